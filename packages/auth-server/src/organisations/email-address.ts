import { domainToUnicode } from 'node:url';
import { canonicalEmail, EMAIL } from '../accounts/account.ts';
import { domainOfEmail } from './email-domain.ts';

export const EMAIL_EXPECTED = 'expected an e-mail address such as name@example.com';

/** Characters that do not show, or that turn the text around them, and those without a meaning. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** They separate addresses, and mark names and comments, in a message's head (RFC 5322 §3.2.3). */
const SPECIAL = /[()<>[\]:;\\,"]/;

/** Letters that may stand beside each other, for the alphabets that share shapes with another. */
const ALPHABETS = [
  [
    /\p{scx=Latin}/u,
    /^[\p{scx=Latin}\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hangul}\p{scx=Bopo}\P{L}]*$/u,
  ],
  [/\p{scx=Cyrillic}/u, /^[\p{scx=Cyrillic}\P{L}]*$/u],
  [/\p{scx=Greek}/u, /^[\p{scx=Greek}\P{L}]*$/u],
  [/\p{scx=Armenian}/u, /^[\p{scx=Armenian}\P{L}]*$/u],
  [/\p{scx=Cherokee}/u, /^[\p{scx=Cherokee}\P{L}]*$/u],
] as const;
/** Cyrillic and Greek letters that look like Latin ones (UTS 39, as browsers show domains). */
const LOOKS_LATIN = /^(?=.*\p{L})[асԁеһіјӏорԛѕԝхуъьҽпгѵѡαγικνορτυχω\P{L}]+$/u;
/** Marks on the dots of i and j, and Latin letters that are taken for other ones (UTS 39). */
const LOOKS_PLAIN = /[ij]\p{M}|[\u0131\u0237\u01C0-\u01C3\u0251\u0261]/u;

/**
 * Why nobody new may have this e-mail address: a sentence, or undefined for a plain address. An
 * address that looks like a colleague's is refused, because people would confuse the two.
 * Accounts from before these rules go on.
 */
export function emailProblem(text: string): string | undefined {
  const email = canonicalEmail(text);
  const [local = ''] = email.split('@');
  const domain = domainOfEmail(email);
  if (HIDDEN.test(email)) return 'the e-mail address has characters that do not show';
  if (!EMAIL.test(email) || SPECIAL.test(local) || domain === undefined) return EMAIL_EXPECTED;
  const shown = domainToUnicode(domain);
  const labels = shown.split('.');
  const parts = [local, ...labels];
  if (parts.some((part) => ALPHABETS.some(([one, all]) => one.test(part) && !all.test(part)))) {
    return 'the e-mail address mixes letters of several alphabets';
  }
  if (LOOKS_PLAIN.test(`${local}@${shown}`)) {
    return 'the e-mail address has letters that look like plain ones, and are not';
  }
  // Below a domain of its own alphabet, nobody takes a label for a Latin one.
  const latin = /^[a-z0-9-]+$/.test(labels.at(-1) ?? '');
  return [local, ...(latin ? labels : [shown])].some((part) => LOOKS_LATIN.test(part))
    ? 'the e-mail address has letters that look like Latin ones, and are not'
    : undefined;
}
