/** What is no number of a loan, although it stands where one is expected. Pure. */
import { isKey, KEY_EXPECTED, unseenIn } from '@cls/shared/text';
import { EXTERNAL_VALUE_EXPECTED, isExternalValue } from '../../ledger/external-id.ts';
import type { ImportProfile } from '../profile/profile.ts';

export function numberOf(text: string, { commasInNumbers }: ImportProfile): string {
  return commasInNumbers === undefined ? text : text.replaceAll(',', commasInNumbers);
}

/** Words with which senders begin a row of sums, in lower case without accents. */
const TOTALS =
  /^(?:grand |sub-?\s?|zwischen|gesamt|end)?(?:totals?|totale|totaux|sum|sums|summe|summen|somme|suma|gesamt|insgesamt)\b/;

/** Whether a loan number is a word such as `Total` or `Gesamtsumme:`. Numbers of loans have digits. */
export function isTotalsWord(value: string): boolean {
  if (/\d/.test(value)) return false;
  return TOTALS.test(value.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase());
}

/** @returns a sentence, or undefined where the value can be the number of a loan, facility or deal. */
export function whyNoKey(value: string): string | undefined {
  if (value.startsWith("'")) {
    return 'this begins with an apostrophe, which a spreadsheet puts before text: take it away in the file';
  }
  if (/^\d([.,]\d+)?E\+\d+$/i.test(value)) {
    return 'this is in scientific notation, which leaves digits out: format the column as text, and export the file again';
  }
  if (!isKey(value)) {
    const unseen = unseenIn(value);
    return unseen === undefined
      ? KEY_EXPECTED
      : `expected characters that show; ${unseen} does not: take it away in the file`;
  }
  if (isExternalValue(value)) return undefined;
  return value.includes(',')
    ? `${EXTERNAL_VALUE_EXPECTED}; to write semicolons for commas, declare commasInNumbers: ';'`
    : EXTERNAL_VALUE_EXPECTED;
}
