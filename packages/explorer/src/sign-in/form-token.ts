import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the forms of a session send back: only pages of that session know it. */
export function formToken(identifier: string): string {
  return createHmac('sha256', identifier).update('form').digest('base64url');
}

export function isFormOf(given: string, identifier: string): boolean {
  const [got, wanted] = [Buffer.from(given), Buffer.from(formToken(identifier))];
  return got.length === wanted.length && timingSafeEqual(got, wanted);
}
