import { createHash } from 'node:crypto';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { StateStore } from './state-store.ts';

/** For what the library keeps without a stated lifetime. */
const DEFAULT_TTL_S = 86_400;

/**
 * oidc-provider's Adapter over a StateStore. Ids are kept as digests and put back when an entry
 * is found by its id. Kinds that are also found by another value keep their id in the payload:
 * the library needs it there.
 */
export function providerAdapter(store: StateStore, kind: string): Adapter {
  return {
    async upsert(id, payload, expiresIn) {
      const { jti: _, ...withoutId } = payload;
      const indexed = payload.uid !== undefined || payload.userCode !== undefined;
      const written = await store.put(
        {
          kind,
          key: digest(id),
          payload: indexed ? payload : withoutId,
          ttlS: Math.max(1, expiresIn ?? DEFAULT_TTL_S),
          ...(payload.grantId === undefined ? {} : { grantId: payload.grantId }),
          ...(payload.uid === undefined ? {} : { uid: payload.uid }),
          ...(payload.userCode === undefined ? {} : { userCode: payload.userCode }),
        },
        // A replayed assertion must lose even when both copies arrive at once.
        { onlyIfAbsent: kind === 'ReplayDetection' },
      );
      if (!written) throw new errors.InvalidRequest('this assertion was used before');
    },
    async find(id) {
      const entry = await store.find(kind, digest(id));
      return entry === undefined ? undefined : toPayload(entry.payload, entry.consumedAtS, id);
    },
    async findByUid(uid) {
      const entry = await store.findBy(kind, 'uid', uid);
      return entry === undefined ? undefined : toPayload(entry.payload, entry.consumedAtS);
    },
    async findByUserCode(userCode) {
      const entry = await store.findBy(kind, 'userCode', userCode);
      return entry === undefined ? undefined : toPayload(entry.payload, entry.consumedAtS);
    },
    async consume(id) {
      const key = digest(id);
      const entry = await store.find(kind, key);
      const outcome = await store.consume(kind, key);
      if (outcome === 'won') return;
      // Spent twice: whoever holds a copy must not keep what the first spending brought.
      const grantId = entry?.payload['grantId'];
      if (outcome === 'already' && typeof grantId === 'string') await store.revokeGrant(grantId);
      throw new errors.InvalidGrant(`${kind} is ${outcome === 'gone' ? 'gone' : 'consumed'}`);
    },
    destroy: (id) => store.remove(kind, digest(id)),
    revokeByGrantId: (grantId) => store.revokeGrant(grantId),
  };
}

/** What is stored of an id. */
export function digest(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

function toPayload(
  payload: Readonly<Record<string, unknown>>,
  consumed: number | undefined,
  id?: string,
): AdapterPayload {
  return {
    ...payload,
    ...(id === undefined ? {} : { jti: id }),
    ...(consumed === undefined ? {} : { consumed }),
  };
}
