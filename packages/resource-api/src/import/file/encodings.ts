import type { FileDialect } from './table.ts';

export type Encoding = FileDialect['encoding'];

export interface EncodingGuess {
  readonly name: Encoding;
  readonly sure: boolean;
  readonly why: string;
}

const MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The encoding whose byte order mark a text begins with. */
export function byteOrderMark(first: Uint8Array): Encoding | undefined {
  return MARKS.find(([, bytes]) => bytes.every((byte, at) => first[at] === byte))?.[0];
}

/** Of the characters of a table in UTF-16, most have a byte that is zero. */
const UTF16_SHARE = 0.3;

/** The kind of UTF-16 that a text without a mark is in: every second byte is zero. */
export function utf16Of(first: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0];
  for (const [at, byte] of first.entries()) {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = zeros;
  const least = Math.max(1, (first.length / 2) * UTF16_SHARE);
  if (odd >= least && even * 10 < odd) return 'utf-16le';
  return even >= least && odd * 10 < even ? 'utf-16be' : undefined;
}

/** The first byte that is not UTF-8 (RFC 3629, section 4), with its line. */
export async function firstOddByte(chunks: AsyncIterable<Uint8Array>) {
  let line = 1;
  let afterCr = false;
  let lead = 0;
  let missing = 0;
  let [low, high]: readonly [number, number] = ANY_TAIL;
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      if (missing > 0) {
        if (byte < low || byte > high) return { byte: lead, line };
        missing -= 1;
        [low, high] = ANY_TAIL;
      } else if (byte >= 0x80) {
        if (byte < 0xc2 || byte > 0xf4) return { byte, line };
        lead = byte;
        missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        [low, high] = NARROW_TAILS[byte] ?? ANY_TAIL;
      } else {
        if (byte === 0x0d || (byte === 0x0a && !afterCr)) line += 1;
        afterCr = byte === 0x0d;
      }
    }
  }
  return missing > 0 ? { byte: lead, line } : undefined;
}

const ANY_TAIL: readonly [number, number] = [0x80, 0xbf];
/** Second bytes that leave out overlong forms, surrogates, and what is beyond Unicode. */
const NARROW_TAILS: Readonly<Record<number, readonly [number, number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};

/** Windows-1252 from 0x80 to 0x9F; a space where it has no character. */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
const C1 = /[\x80-\x9f]/;
const EVERY_C1 = /[\x80-\x9f]/g;

/** A text of one byte a character; undefined characters stay control characters. */
export function fromWindows1252(latin1: string): string {
  if (!C1.test(latin1)) return latin1;
  return latin1.replace(EVERY_C1, (character) => {
    const mapped = WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? ' ';
    return mapped === ' ' ? character : mapped;
  });
}

/** The first control character from 0x80 to 0x9F, which no text of a table has. */
export function controlOf(text: string): string | undefined {
  return C1.exec(text)?.[0];
}

/** Runs of characters beyond ASCII that no edge of the text may have cut. */
const WHOLE_RUNS = /(?<=[\0-\x7f])[\x80-\xff]+(?=[\0-\x7f])/g;
/** Nothing but characters of UTF-8 of two to four bytes, each byte being one character here. */
const UTF8_RUN = /^([\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})+$/;

/**
 * Whether every character beyond ASCII is a piece of UTF-8: `Ã¼` for `ü`. Undefined for a text that
 * does not show it.
 */
export function isMojibake(latin1: string): boolean | undefined {
  return latin1.match(WHOLE_RUNS)?.every((run) => UTF8_RUN.test(run));
}

export function hex(byte: number): string {
  return `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
