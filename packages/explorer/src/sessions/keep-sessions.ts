import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@cls/shared/clock';
import { digest, newIdentifier, type Sealer } from '../crypto/seal.ts';
import { type Session, SignInOver, type Tokens } from './session.ts';
import type { SessionStore } from './session-store.ts';

/** The longest that a session lives, in seconds: the issuer ends its own by then. */
export const SESSION_TTL_S = 43_200;
/** A token that ends so soon is renewed before it is used, in milliseconds. */
const RENEW_BEFORE_MS = 60_000;
/**
 * How long one replica may take to renew tokens. When it died meanwhile, the next one asks the
 * issuer the same within its grace time, and gets the answer that was lost.
 */
const LEASE_MS = 5_000;
const LOOK_AGAIN_MS = 50;

export interface KeptSession extends Session {
  /** What the store calls it. */
  readonly key: string;
}

export interface KeepSessions {
  /** A new session. @returns the identifier for the cookie: the only time that it is known. */
  begin(session: Session): Promise<string>;
  /** The session with tokens that are good; undefined when it is over. @throws {IssuerUnavailable} */
  use(identifier: string): Promise<KeptSession | undefined>;
  /** The session as it is, where its token is good still: nothing is renewed. */
  peek(identifier: string): Promise<KeptSession | undefined>;
  /** @returns what ended; undefined where there was none. */
  end(identifier: string): Promise<Session | undefined>;
}

export interface KeepSessionsDeps {
  readonly store: SessionStore;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** @throws {SignInOver | IssuerUnavailable} */
  readonly renew: (refreshToken: string) => Promise<Tokens>;
}

export function keepSessions({ store, sealer, clock, renew }: KeepSessionsDeps): KeepSessions {
  const renewing = new Map<string, Promise<KeptSession | undefined>>();

  const read = async (key: string) => {
    const sealed = await store.find(key);
    const text = sealed === undefined ? undefined : sealer.open(sealed, contextOf(key));
    if (sealed === undefined || text === undefined) return undefined;
    return { sealed, session: { ...(JSON.parse(text) as Session), key } };
  };
  const isGood = ({ accessExpiresAt }: Session, marginMs: number) =>
    accessExpiresAt - marginMs > clock.now().getTime();

  /** As the one that asks the issuer. */
  const renewLeased = async (sealed: string, kept: KeptSession) => {
    const { key, refreshToken = '', ...session } = kept;
    try {
      const tokens = await renew(refreshToken);
      const renewed = { refreshToken, ...session, ...tokens };
      const resealed = sealer.seal(JSON.stringify(renewed), contextOf(key));
      if (await store.replace(key, sealed, resealed)) return { ...renewed, key };
      return (await read(key))?.session; // It ended meanwhile, or another one was quicker.
    } catch (error) {
      if (error instanceof SignInOver) {
        await store.end(key);
        return undefined;
      }
      if (isGood(kept, 0)) return kept; // The issuer does not answer, and the token is good yet.
      throw error;
    }
  };

  const renewed = async (key: string): Promise<KeptSession | undefined> => {
    for (;;) {
      const leased = await store.lease(key, LEASE_MS);
      const found = await read(key); // Another one may have renewed it before the lease was ours.
      if (found === undefined || isGood(found.session, RENEW_BEFORE_MS)) return found?.session;
      if (leased) return renewLeased(found.sealed, found.session);
      if (isGood(found.session, 0)) return found.session; // Another one renews it.
      await sleep(LOOK_AGAIN_MS);
    }
  };

  return {
    async begin(session) {
      const identifier = newIdentifier();
      const key = digest(identifier);
      const sealed = sealer.seal(JSON.stringify(session), contextOf(key));
      await store.create({ key, sid: digest(session.sid), sealed, ttlS: SESSION_TTL_S });
      return identifier;
    },
    async use(identifier) {
      const key = digest(identifier);
      const found = await read(key);
      if (found === undefined || isGood(found.session, RENEW_BEFORE_MS)) return found?.session;
      if (found.session.refreshToken === undefined) {
        return isGood(found.session, 0) ? found.session : undefined;
      }
      let work = renewing.get(key);
      if (work === undefined) {
        work = renewed(key).finally(() => renewing.delete(key));
        renewing.set(key, work);
      }
      return work;
    },
    async peek(identifier) {
      const found = await read(digest(identifier));
      return found !== undefined && isGood(found.session, 0) ? found.session : undefined;
    },
    async end(identifier) {
      const key = digest(identifier);
      const found = await read(key);
      await store.end(key);
      return found?.session;
    },
  };
}

function contextOf(key: string): string {
  return `session:${key}`;
}
