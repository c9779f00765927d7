import type pg from 'pg';

/** A plan of a page takes some megabytes of its session in the server. */
const KEPT = 24;

/** The driver prepares a text under a name once per session, and remembers which it prepared. */
interface Session {
  readonly connection: { readonly parsedStatements: Record<string, string> };
}

export interface PreparedNames {
  /** The name under which a session knows a text. Forgets the text that it used the longest ago. */
  nameFor(client: pg.PoolClient, text: string): string;
}

/** Names of prepared statements, by session and text. */
export function preparedNames(kept = KEPT): PreparedNames {
  const bySession = new WeakMap<pg.PoolClient, Map<string, string>>();
  let made = 0;
  return {
    nameFor(client, text) {
      const names = bySession.get(client) ?? new Map<string, string>();
      bySession.set(client, names);
      const known = names.get(text);
      // A map keeps the order of insertion: what was used last comes last.
      names.delete(text);
      if (known !== undefined) {
        names.set(text, known);
        return known;
      }
      const [oldest] = names;
      if (oldest !== undefined && names.size >= kept) {
        const [oldText, oldName] = oldest;
        names.delete(oldText);
        const { parsedStatements } = (client as pg.PoolClient & Session).connection;
        // A text that the server refused was never prepared.
        if (parsedStatements[oldName] !== undefined) {
          delete parsedStatements[oldName];
          // Ahead of what comes next in this session, which fails if this does.
          client.query(`DEALLOCATE ${oldName}`).catch(() => undefined);
        }
      }
      made += 1;
      const name = `cls_${made}`;
      names.set(text, name);
      return name;
    },
  };
}
