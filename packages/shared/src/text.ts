/** What text must be, wherever it comes in: parameters, bodies, files, arguments. */

/** PostgreSQL keeps no NUL, and half of a surrogate pair is no character in UTF-8. */
const NOT_STORABLE = /[\0\p{Cs}]/u;
const EVERY_NOT_STORABLE = /[\0\p{Cs}]/gu;

/** Whether a text can be kept and passed on as it is. */
export function isStorable(text: string): boolean {
  return !NOT_STORABLE.test(text);
}

/** A text with a mark for each character that cannot be kept: to tell what a file has. */
export function storable(text: string): string {
  return text.replaceAll(EVERY_NOT_STORABLE, '\ufffd');
}

export const STORABLE_EXPECTED = 'expected text without NUL characters and half surrogate pairs';

/** Controls, format characters, and others that show nothing. U+2800 is an empty Braille cell. */
const UNSEEN = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800';
const INVISIBLE = new RegExp(`[${UNSEEN}]`, 'u');
const VISIBLE = new RegExp(`[^\\s${UNSEEN}]`, 'u');

/** Whether a text can name a record: all of it shows, so that two keys that look alike are one. */
export function isKey(text: string): boolean {
  return text !== '' && text.trim() === text && !INVISIBLE.test(text);
}

/** The first character that shows nothing, as `U+200B`. */
export function unseenIn(text: string): string | undefined {
  const code = INVISIBLE.exec(text)?.[0].codePointAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

export const KEY_EXPECTED = 'expected characters that show, without spaces around them';

/** Whether anything of a text shows. */
export function hasVisible(text: string): boolean {
  return VISIBLE.test(text);
}

const UNSEEN_EACH = new RegExp(`(?!\\s)[${UNSEEN}]`, 'gu');

/**
 * The form in which names are compared: NFC, what shows of it, one space for several, without regard to
 * case.
 */
export function foldName(name: string): string {
  const shown = name.replaceAll(UNSEEN_EACH, '').trim().replaceAll(/\s+/gu, ' ');
  return shown.normalize('NFC').toLowerCase().normalize('NFC');
}

/**
 * Controls beside line ends and tabs, and what turns the direction of the text that follows. The marks U+200E
 * and U+200F may stay: names in Arabic and Hebrew have them, and they do no more than a letter of these scripts.
 */
const MOVES_CURSOR = /\r(?!\n)|[^\P{Cc}\r\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text that may quote a file or a caller, as a terminal, a page or a table may show it: it sets no colour and
 * no title, and turns nothing around.
 */
export function forDisplay(text: string): string {
  return text.replaceAll(MOVES_CURSOR, '\ufffd');
}
