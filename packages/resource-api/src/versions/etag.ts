import { createHash } from 'node:crypto';

/** A strong validator. Answers name their version, so those of two versions differ. */
export function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}
