import { randomFillSync } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 26;
/** Random bytes for many ids: asking for those of one takes longer than making it. */
const bytes = Buffer.alloc(LENGTH * 128);
let used = bytes.length;

/** A new identifier such as `svc_7Z…`: the prefix and 26 characters of Crockford's base 32. */
export function newId(prefix: string): string {
  if (used === bytes.length) {
    randomFillSync(bytes);
    used = 0;
  }
  let id = `${prefix}_`;
  for (const end = used + LENGTH; used < end; used += 1) id += CROCKFORD[(bytes[used] ?? 0) % 32];
  return id;
}
