import { createHash } from 'node:crypto';
import {
  packBits,
  STATUS_LIST_LENGTH,
  STATUS_LIST_TYPE,
  STATUS_LISTS_PATH,
  setRevoked,
} from '@cls/shared/access/status-list';
import { type Clock, epochSeconds } from '@cls/shared/clock';
import { LRUCache } from 'lru-cache';
import { digest } from '../crypto/digest.ts';
import type { ActiveKey } from '../keys/own-keys.ts';
import type { Indices, TokenStatusRecords } from './token-status.ts';

/** Seconds after which whoever keeps a list asks again: its claim `ttl`. */
const TTL_S = 5;
/** A list in which nothing changes is signed anew well before its `exp`. */
const SIGN_AFTER_S = 1_800;
const EXPIRES_S = 3_600;
/** More than the lists of a day of a large installation. */
const KEPT_MAX = 256;

export interface StatusListToken {
  /** Compact JWT of the type `statuslist+jwt`. */
  readonly token: string;
  readonly etag: string;
}

interface Signed extends StatusListToken {
  /** Of what it was made. */
  readonly content: string;
  readonly signedAtS: number;
}

/**
 * The list with this number, as the table has it now: no replica answers with what another one has changed.
 * Undefined where no token is in it: anybody may ask, and a signature costs too much for that.
 */
export type StatusLists = (list: number) => Promise<StatusListToken | undefined>;

export function statusLists(
  issuer: string,
  records: Pick<TokenStatusRecords, 'hasLeased' | 'revokedWithin'>,
  activeKey: () => Promise<ActiveKey>,
  clock: Clock,
): StatusLists {
  const kept = new LRUCache<number, Signed>({ max: KEPT_MAX });
  let last = -1;
  return async (list) => {
    const first = list * STATUS_LIST_LENGTH;
    if (list > last && !(await records.hasLeased(first))) return undefined;
    last = Math.max(last, list);
    const revoked = await records.revokedWithin({ first, last: first + STATUS_LIST_LENGTH - 1 });
    const { kid, sign } = await activeKey();
    const content = contentOf(kid, revoked);
    const nowS = epochSeconds(clock);
    const known = kept.get(list);
    const isFresh = known !== undefined && Math.abs(nowS - known.signedAtS) < SIGN_AFTER_S;
    if (isFresh && known.content === content) return known;
    const bits = new Uint8Array(STATUS_LIST_LENGTH / 8);
    for (const { first: from, last: to } of revoked) setRevoked(bits, from - first, to - first);
    const token = await sign(STATUS_LIST_TYPE, {
      iss: issuer,
      sub: `${issuer}${STATUS_LISTS_PATH}/${list}`,
      iat: nowS,
      exp: nowS + EXPIRES_S,
      ttl: TTL_S,
      status_list: { bits: 1, lst: await packBits(bits) },
    });
    const signed = { token, etag: `"${digest(token)}"`, content, signedAtS: nowS };
    kept.set(list, signed);
    return signed;
  };
}

function contentOf(kid: string, revoked: readonly Indices[]): string {
  const hash = createHash('sha256').update(kid);
  for (const { first, last } of revoked) hash.update(` ${first}-${last}`);
  return hash.digest('base64url');
}
