import type { Clock } from '@cls/shared/clock';
import type { NewSession, OnceEntry, OnceKind, SessionStore } from './session-store.ts';

const SWEEP_INTERVAL_MS = 60_000;
/** Of sessions, and of what is good once: visitors who never sign in must not fill the memory. */
const ENTRIES_MAX = 50_000;

interface Expiring {
  readonly expiresAtMs: number;
}
type Kept = Pick<NewSession, 'sid' | 'sealed'> & Expiring & { readonly leasedUntilMs?: number };

/** Sessions of one process that runs alone: they end with it, and people sign in again. */
export function memorySessionStore(clock: Clock): SessionStore {
  const sessions = new Map<string, Kept>();
  const once = new Map<string, Expiring & Pick<OnceEntry, 'sealed'>>();
  const nowMs = () => clock.now().getTime();
  const isLive = ({ expiresAtMs }: Expiring) => expiresAtMs > nowMs();
  const until = (ttlS: number) => ({ expiresAtMs: nowMs() + ttlS * 1_000 });
  const nameOf = (kind: OnceKind, key: string) => `${kind} ${key}`;
  const live = <T extends Expiring>(entries: ReadonlyMap<string, T>, name: string) => {
    const found = entries.get(name);
    return found !== undefined && isLive(found) ? found : undefined;
  };
  const put = <T>(entries: Map<string, T>, name: string, value: T) => {
    entries.set(name, value);
    const [oldest] = entries.size > ENTRIES_MAX ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
  };
  const keepOnce = ({ kind, key, sealed, ttlS }: OnceEntry): boolean => {
    const name = nameOf(kind, key);
    if (live(once, name) !== undefined) return false;
    put(once, name, { sealed, ...until(ttlS) });
    return true;
  };
  const look = (kind: OnceKind, key: string) => live(once, nameOf(kind, key))?.sealed;
  const sweeper = setInterval(() => {
    for (const entries of [sessions, once]) {
      for (const [name, entry] of entries) if (!isLive(entry)) entries.delete(name);
    }
  }, SWEEP_INTERVAL_MS);
  sweeper.unref();
  return {
    async create({ key, sid, sealed, ttlS }) {
      if (look('ended', sid) !== undefined) return;
      put(sessions, key, { sid, sealed, ...until(ttlS) });
    },
    find: async (key) => live(sessions, key)?.sealed,
    async replace(key, from, to) {
      const found = live(sessions, key);
      if (found?.sealed !== from) return false;
      sessions.set(key, { ...found, sealed: to });
      return true;
    },
    async lease(key, forMs) {
      const found = sessions.get(key);
      if (found === undefined || (found.leasedUntilMs ?? 0) > nowMs()) return false;
      sessions.set(key, { ...found, leasedUntilMs: nowMs() + forMs });
      return true;
    },
    async end(key) {
      sessions.delete(key);
    },
    async endAll(sid, ttlS) {
      keepOnce({ kind: 'ended', key: sid, sealed: '', ttlS });
      for (const [key, session] of sessions) if (session.sid === sid) sessions.delete(key);
    },
    keepOnce: async (entry) => keepOnce(entry),
    look: async (kind, key) => look(kind, key),
    async take(kind, key) {
      const found = look(kind, key);
      once.delete(nameOf(kind, key));
      return found;
    },
    ready: async () => undefined,
    close: async () => clearInterval(sweeper),
  };
}
