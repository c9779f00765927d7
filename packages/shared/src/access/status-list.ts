/** Token Status List of the IETF OAuth working group: a bit for each token, set when it is revoked. */

import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';

/** Tokens of one list: 128 KiB before compression. */
export const STATUS_LIST_LENGTH = 2 ** 20;
export const STATUS_LIST_TYPE = 'statuslist+jwt';
export const STATUS_LIST_MEDIA_TYPE = `application/${STATUS_LIST_TYPE}`;
/** Where auth-server tells other services, in a Redis that they share, that something was revoked. */
export const REVOCATIONS_CHANNEL = 'cls:auth:revocations';
/** Under the issuer. */
export const STATUS_LISTS_PATH = '/status-lists';

/** Where a token's bit is: its claim `status.status_list`. */
export interface StatusReference {
  readonly idx: number;
  readonly uri: string;
}

/** The reference of the token with this index, of all of the issuer. */
export function statusReference(issuer: string, index: number): StatusReference {
  const list = Math.floor(index / STATUS_LIST_LENGTH);
  return { idx: index % STATUS_LIST_LENGTH, uri: `${issuer}${STATUS_LISTS_PATH}/${list}` };
}

/** The number of a list by its address; undefined for the address of no list of the issuer. */
export function statusListNumber(issuer: string, uri: string): number | undefined {
  const start = `${issuer}${STATUS_LISTS_PATH}/`;
  const digits = uri.startsWith(start) ? uri.slice(start.length) : '';
  return /^(0|[1-9]\d{0,9})$/.test(digits) ? Number(digits) : undefined;
}

/** The index of the token, of all of the issuer; undefined where the reference is not the issuer's. */
export function statusIndex(issuer: string, { idx, uri }: StatusReference): number | undefined {
  const list = statusListNumber(issuer, uri);
  return list === undefined ? undefined : list * STATUS_LIST_LENGTH + idx;
}

/** Bit `idx` of byte `idx / 8`, the least significant first. */
export function isRevokedIn(bits: Uint8Array, idx: number): boolean {
  return (((bits[idx >> 3] ?? 0) >> (idx & 7)) & 1) === 1;
}

/** Sets the bits from `first` to `last`. */
export function setRevoked(bits: Uint8Array, first: number, last: number): void {
  for (let idx = first; idx <= last; idx += 1) {
    if ((idx & 7) === 0 && idx + 7 <= last) {
      bits[idx >> 3] = 0xff;
      idx += 7;
    } else bits[idx >> 3] = (bits[idx >> 3] ?? 0) | (1 << (idx & 7));
  }
}

const zip = promisify<Uint8Array, { level: number }, Buffer>(deflate);
const unzip = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflate);

/** The member `lst`: the bits, compressed (ZLIB) and in base64url. */
export async function packBits(bits: Uint8Array): Promise<string> {
  return (await zip(bits, { level: 9 })).toString('base64url');
}

/** @throws {Error} for anything but a list of the length that this issuer's lists have. */
export async function unpackBits(lst: string): Promise<Buffer> {
  const bits = await unzip(Buffer.from(lst, 'base64url'), {
    maxOutputLength: STATUS_LIST_LENGTH / 8,
  });
  if (bits.length !== STATUS_LIST_LENGTH / 8) throw new Error('a status list of another length');
  return bits;
}
