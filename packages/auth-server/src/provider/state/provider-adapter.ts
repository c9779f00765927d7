import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { digest, seal, unseal } from './sealing.ts';
import type { NewStateEntry, StateEntry, StateStore } from './state-store.ts';

/** For what the library keeps without a stated lifetime. */
const DEFAULT_TTL_S = 86_400;

/** Seconds for which one is kept that has expired: a device is told so (RFC 8628 §3.5). */
const EXPIRED_TTL_S: Readonly<Record<string, number>> = { DeviceCode: 600 };

/** Kinds that die with their grant. An interaction names one too, but only asks for it. */
const OF_A_GRANT = new Set([
  'AccessToken',
  'AuthorizationCode',
  'BackchannelAuthenticationRequest',
  'DeviceCode',
  'PreAuthorizedCode',
  'RefreshToken',
]);

/**
 * oidc-provider's Adapter over a StateStore. Ids are kept as digests, and payloads sealed under
 * their own id: they name further ids that would open something, such as the session's cookie.
 * What is also found by another value keeps its id sealed under that value.
 */
export function providerAdapter(
  store: StateStore,
  kind: string,
  /** Seconds in which a second use of one entry is refused and nothing else; 0: never. */
  graceS = 0,
): Adapter {
  // Asked of the grace first: a store's clock may be ahead of ours, and an age below zero.
  const spentJustNow = ({ consumed }: AdapterPayload) =>
    graceS > 0 && typeof consumed === 'number' && Date.now() / 1000 - consumed < graceS;
  const findBy = async (index: 'uid' | 'userCode', value: string) => {
    const entry = await store.findBy(kind, index, digest(value));
    const sealedId = entry?.payload['sealedId'];
    return typeof sealedId === 'string' ? opened(entry, unseal(sealedId, value)) : undefined;
  };
  return {
    async upsert(id, payload, expiresIn) {
      const ttlS = (expiresIn ?? DEFAULT_TTL_S) + (EXPIRED_TTL_S[kind] ?? 0);
      const written = await store.put(
        sealedEntry(kind, id, payload, Math.max(1, ttlS)),
        // A replayed assertion must lose even when both copies arrive at once.
        { onlyIfAbsent: kind === 'ReplayDetection' },
      );
      if (!written) throw new errors.InvalidRequest('this assertion was used before');
    },
    async find(id) {
      const entry = opened(await store.find(kind, digest(id)), id);
      // The library would end the whole grant; the first use may still be under way. `consume` tells.
      return entry !== undefined && spentJustNow(entry) ? { ...entry, consumed: undefined } : entry;
    },
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: (userCode) => findBy('userCode', userCode),
    async consume(id) {
      const key = digest(id);
      const entry = opened(await store.find(kind, key), id);
      const outcome = await store.consume(kind, key);
      if (outcome === 'won') return;
      // Spent twice: whoever holds a copy must not keep what the first spending brought.
      const grantId = entry?.grantId;
      const again = outcome === 'already' && graceS === 0;
      if (again && grantId !== undefined) await store.revokeGrant(digest(grantId));
      throw new errors.InvalidGrant(`${kind} is ${outcome === 'gone' ? 'gone' : 'consumed'}`);
    },
    destroy: (id) => store.remove(kind, digest(id)),
    revokeByGrantId: (grantId) => store.revokeGrant(digest(grantId)),
  };
}

function sealedEntry(
  kind: string,
  id: string,
  payload: AdapterPayload,
  ttlS: number,
): NewStateEntry {
  const { uid, userCode, accountId } = payload;
  const other = uid ?? userCode;
  const grantId = grantOf(kind, id, payload);
  return {
    kind,
    key: digest(id),
    payload: {
      sealed: seal(JSON.stringify(payload), id),
      ...(other === undefined ? {} : { sealedId: seal(id, other) }),
    },
    ttlS,
    ...(grantId === undefined ? {} : { grantId: digest(grantId) }),
    ...(uid === undefined ? {} : { uid: digest(uid) }),
    ...(userCode === undefined ? {} : { userCode: digest(userCode) }),
    ...(accountId === undefined ? {} : { account: digest(accountId) }),
  };
}

/** What it dies with: a session with itself, so that a request under way does not revive it. */
function grantOf(kind: string, id: string, { uid, grantId }: AdapterPayload): string | undefined {
  if (kind === 'Session') return uid;
  if (kind === 'Grant') return id;
  return OF_A_GRANT.has(kind) ? grantId : undefined;
}

function opened(entry: StateEntry | undefined, id: string): AdapterPayload | undefined {
  const sealed = entry?.payload['sealed'];
  if (typeof sealed !== 'string') return undefined;
  const payload = JSON.parse(unseal(sealed, id)) as AdapterPayload;
  const consumed = entry?.consumedAtS;
  return { ...payload, jti: id, ...(consumed === undefined ? {} : { consumed }) };
}
