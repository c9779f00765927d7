import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Secret } from '@cls/shared/secret';
import type { Sql } from '@cls/shared/sql/database';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits of base 62 that 256 bits need, and that a CRC-32 needs. */
const RANDOM_CHARS = 43;
const CHECKSUM_CHARS = 6;

/** What scanners for leaked secrets look for; published in docs/guides/answer-a-leak.md. */
const CLIENT_SECRET = /^cls_[0-9A-Za-z]{49}$/;
/** Made before 0.6.0: 256 random bits in base64url. */
const FORMER_SECRET = /^[\w-]{43}$/;

/** `cls_`, 256 random bits, and the CRC-32 of all that, in base 62: no character of it needs an escape. */
export function newClientSecret(): Secret {
  const random = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const body = `cls_${base62(random, RANDOM_CHARS)}`;
  return new Secret(body + checksum(body));
}

/** Whether the text has the form and the checksum: what a slip of the hand or a guess has not. */
export function isClientSecret(text: string): boolean {
  return (
    CLIENT_SECRET.test(text) &&
    checksum(text.slice(0, -CHECKSUM_CHARS)) === text.slice(-CHECKSUM_CHARS)
  );
}

/** Whether the text has the form of a secret from before 0.6.0, which no newer one has. */
export function isFormerSecret(text: string): boolean {
  return FORMER_SECRET.test(text);
}

/** Whether it can be a secret that was ever made here: no store needs to be asked about another text. */
export function canBeClientSecret(text: string): boolean {
  return isFormerSecret(text) || isClientSecret(text);
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_CHARS);
}

function base62(number: bigint, chars: number): string {
  let text = '';
  for (let rest = number; text.length < chars; rest /= 62n)
    text = DIGITS[Number(rest % 62n)] + text;
  return text;
}

/** What is stored of client secrets: HMAC-SHA-256, and SHA-256 of those from before 0.6.0, in base64url. */
export interface ClientSecretHashes {
  /** Undefined where no secret of this form can be there, because no key was ever made. */
  of(text: string): Promise<string | undefined>;
  /** Of a new secret: makes the key if it is the first. */
  ofNew(sql: Sql, text: string): Promise<string>;
}
