import { randomFillSync } from 'node:crypto';

const CROCKFORD = Buffer.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
const LENGTH = 26;
/** Random bytes for many ids: asking for those of one takes longer than making it. */
const bytes = Buffer.alloc(LENGTH * 128);
let used = bytes.length;
/** One id at a time: text that is put together character by character takes eight times the memory. */
const characters = Buffer.alloc(LENGTH);

/** A new identifier such as `svc_7Z…`: the prefix and 26 characters of Crockford's base 32. */
export function newId(prefix: string): string {
  if (used === bytes.length) {
    randomFillSync(bytes);
    used = 0;
  }
  for (let at = 0; at < LENGTH; at += 1)
    characters[at] = CROCKFORD[(bytes[used + at] ?? 0) % 32] ?? 0;
  used += LENGTH;
  return `${prefix}_${characters.toString('latin1')}`;
}
