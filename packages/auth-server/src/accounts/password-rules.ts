/**
 * What a password must be, after NIST SP 800-63B-4 §3.1.1.2: long enough, counted in code points
 * after normalisation, and not one that a guesser tries early. No rule about kinds of characters,
 * and no expiry.
 *
 * The shortest length is 15 where a password may be the only factor, and 8 where the policy
 * demands a second one.
 */
import type { MfaPolicy } from './mfa-policy.ts';
import { normalizePassword, PASSWORD_LENGTH_MAX } from './password.ts';

/** In code points. */
export function passwordLengthMin(mfaPolicy: MfaPolicy): number {
  return mfaPolicy === 'required' ? 8 : 15;
}

export interface PasswordRules {
  /** In code points, after normalisation. */
  readonly lengthMin: number;
  /** Whether a guesser's list has this word; it is asked in lower case, without separators. */
  readonly isListed: (word: string) => boolean;
}

/** Why a password may not be set. */
export type PasswordFault =
  | { readonly code: 'password_short'; readonly lengthMin: number }
  | { readonly code: 'password_long' | 'password_common' | 'password_personal' };

/**
 * @param context what a guesser knows of the person: e-mail address, organisation.
 * @returns undefined when the password may be set.
 */
export function passwordFault(
  password: string,
  { lengthMin, isListed }: PasswordRules,
  context: readonly string[],
): PasswordFault | undefined {
  const length = [...normalizePassword(password)].length;
  if (length < lengthMin) return { code: 'password_short', lengthMin };
  if (length > PASSWORD_LENGTH_MAX) return { code: 'password_long' };
  const folded = fold(password);
  if (isGuess(folded, isListed)) return { code: 'password_common' };
  return isPersonal(folded, context) ? { code: 'password_personal' } : undefined;
}

/** Fewer different characters than this is a repetition. */
const DISTINCT_MIN = 5;

/** A repetition, a run such as 1234…, or at most two words of the list one after the other. */
function isGuess(folded: string, isListed: (word: string) => boolean): boolean {
  const characters = [...folded];
  if (new Set(characters).size < DISTINCT_MIN || isRun(characters) || isListed(folded)) return true;
  return characters.some(
    (_, at) =>
      at > 0 &&
      isListed(characters.slice(0, at).join('')) &&
      isListed(characters.slice(at).join('')),
  );
}

function isRun(characters: readonly string[]): boolean {
  const points = characters.map((character) => character.codePointAt(0) ?? 0);
  const step = (points[1] ?? 0) - (points[0] ?? 0);
  // 9 is followed by 0, or by 10, whose 1 breaks the run: two breaks are still a run.
  const breaks = points.slice(1).filter((point, index) => point - (points[index] ?? 0) !== step);
  return Math.abs(step) === 1 && breaks.length <= characters.length / 8;
}

const PRODUCT_NAME = 'cls';
/** Shorter words of the context are in many a good password by chance. */
const CONTEXT_WORD_MIN = 4;
/** What must be left when the context's words are taken out. */
const UNKNOWN_MIN = 8;

function isPersonal(folded: string, context: readonly string[]): boolean {
  const parts = context.flatMap((text) => [fold(text), ...text.split(/[^\p{L}\p{N}]+/u).map(fold)]);
  const words = parts.filter((word) => word.length >= CONTEXT_WORD_MIN);
  const known = [...new Set([...words, PRODUCT_NAME])].sort((a, b) => b.length - a.length);
  const rest = known.reduce((text, word) => text.replaceAll(word, ''), folded);
  return rest !== folded && [...rest].length < UNKNOWN_MIN;
}

/** As a guesser sees it: case, width and separators make no other password. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\-_.]+/g, '');
}
