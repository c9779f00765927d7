import { randomBytes } from 'node:crypto';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 26;

/** A new identifier such as `svc_7Z…`: the prefix and 26 characters of Crockford's base 32. */
export function newId(prefix: string): string {
  const characters = Array.from(randomBytes(LENGTH), (byte) => CROCKFORD[byte % 32]);
  return `${prefix}_${characters.join('')}`;
}
