import { emailProblem } from './email-address.ts';
import { UpstreamFailed } from './upstream-provider.ts';

/** OpenID Connect Core §2: ASCII, at most 255 characters; here ones that show, not surrounded by spaces. */
const SUBJECT = /^[\x21-\x7E](?:[\x20-\x7E]{0,253}[\x21-\x7E])?$/;

/**
 * The claim that says who somebody is. A provider that leaves it empty, or cuts it, would let
 * several people into one account.
 *
 * @throws {UpstreamFailed} `upstream_subject_invalid`
 */
export function subjectOf({ sub }: Readonly<Record<string, unknown>>): string {
  if (typeof sub === 'string' && SUBJECT.test(sub)) return sub;
  throw new UpstreamFailed('upstream_subject_invalid', `the claim sub ${faultOf(sub)}`);
}

function faultOf(sub: unknown): string {
  if (typeof sub !== 'string') return 'is no text';
  if (sub.trim() === '') return 'is empty';
  if (sub.length > 255) return 'has more than 255 characters';
  return 'has characters other than printable ASCII, or is surrounded by spaces';
}

/** Whether a claim is an e-mail address that can name one person alone, in the letters that it shows. */
export function isPlainEmail(claim: unknown): claim is string {
  if (typeof claim !== 'string' || emailProblem(claim) !== undefined) return false;
  // Letters that only become others when the address is made canonical name somebody else.
  return claim === claim.normalize('NFKC');
}
