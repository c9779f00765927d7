import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { silentLog } from '@cls/shared/log';
import {
  type DatabaseLocation,
  openDatabaseAsOperator,
  openDatabaseAsOwner,
} from '@cls/shared/service/open-database';
import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import type { Engine } from '@cls/testing/engines';
import { digest } from '../../src/crypto/digest.ts';
import { sealState, unsealState } from '../../src/crypto/seal.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/${name}`, import.meta.url));

interface Caller {
  readonly id: string;
  readonly secret: string;
}

interface Person {
  readonly email: string;
  readonly password: string;
}

/** Who could do what in the store of the release. */
export interface Release {
  readonly issuer: string;
  readonly dumpedAt: string;
  /** Of the key that signed. */
  readonly kid: string;
  /** One service account, by its secret before and after the replacement; both are good. */
  readonly client: Caller;
  readonly replaced: Caller;
  readonly person: Person;
  readonly guarded: Person & { readonly totpSecret: string };
  /** Of a customer that was disabled. */
  readonly gone: Person;
  /** Of `person`, in a public and in a confidential application. */
  readonly sessions: readonly {
    readonly id: string;
    readonly confidential: boolean;
    readonly refreshToken: string;
  }[];
}

export function releasedFacts(): Release {
  return JSON.parse(fixture('release-0009.json').toString());
}

/** What release 0.5.0 made of a store: the last that had each migration. */
export const MIGRATIONS_OF_0_5_0 = new URL('../../../test/migrations-of-0.5.0/', import.meta.url);

/** A store of an early release, which 0.5.0 has opened, and no build since: as if it had been made just now. */
export async function releasedStore(engine: Engine, facts: Release): Promise<DatabaseLocation> {
  const location = await engine.createLocation();
  const sinceMs = Date.now() - Date.parse(facts.dumpedAt);
  const script = gunzipSync(fixture('release-0009.sql.gz'))
    .toString()
    .replace(/'(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?\+00'/g, (_, day, time, fraction = '') => {
      const moved = new Date(Date.parse(`${day}T${time}Z`) + sinceMs).toISOString();
      return `'${moved.slice(0, 19)}${fraction}+00'`;
    });
  const database = await openDatabaseAsOwner(location, 'test', silentLog, true);
  try {
    await database.transaction((transaction) =>
      transaction.execute(`SET LOCAL check_function_bodies = off; ${script}`),
    );
    await migrate(database, readMigrations(MIGRATIONS_OF_0_5_0));
  } finally {
    await database.close();
  }
  for (const { refreshToken } of facts.sessions) {
    const { grantId } = await redate(location, 'RefreshToken', refreshToken, sinceMs);
    await redate(location, 'Grant', grantId ?? '', sinceMs);
  }
  return location;
}

/** Moves the instants in a sealed payload. */
async function redate(location: DatabaseLocation, kind: string, id: string, byMs: number) {
  const database = await openDatabaseAsOperator(location, 'test', silentLog);
  try {
    const key = [kind, digest(id)];
    const [row] = await database.query<{ sealed: string }>(
      `SELECT payload ->> 'sealed' AS sealed FROM protocol_state
       WHERE kind = $1 AND id_sha256 = $2`,
      key,
    );
    if (row === undefined) throw new Error(`the store has no such ${kind}`);
    const payload = JSON.parse(unsealState(row.sealed, id)) as { grantId?: string };
    const moved = Object.entries(payload).map(([name, value]) => [
      name,
      typeof value === 'number' && value > 1e9 ? value + Math.round(byMs / 1000) : value,
    ]);
    await database.query(
      `UPDATE protocol_state SET payload = jsonb_set(payload, '{sealed}', to_jsonb($3::text))
       WHERE kind = $1 AND id_sha256 = $2`,
      [...key, sealState(JSON.stringify(Object.fromEntries(moved)), id)],
    );
    return payload;
  } finally {
    await database.close();
  }
}
