import { CommandRefused } from './command-line.ts';

const LINE_FEED = 0x0a;
/** As many bytes of a file tell whether it is UTF-16. */
const SAMPLE = 1_024;
const MARKS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['UTF-32', [0xff, 0xfe, 0, 0]],
  ['UTF-16', [0xff, 0xfe]],
  ['UTF-16', [0xfe, 0xff]],
];

/**
 * Text of a file in UTF-8, a byte order mark included.
 *
 * @param firstLine which line of the file the bytes begin with.
 * @throws {CommandRefused} for other bytes: it names the line, and what the encoding seems to be.
 */
export function utf8Text(bytes: Uint8Array, firstLine = 1): string {
  const encoding = wideEncoding(bytes);
  if (firstLine === 1 && encoding !== undefined) throw refusal(1, encoding);
  const text = decoded(bytes);
  if (text !== undefined) return text;
  let line = firstLine;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(LINE_FEED, start);
    const one = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (decoded(one) === undefined) throw refusal(line, 'Windows-1252 or ISO 8859-1');
    start = end === -1 ? bytes.length : end + 1;
  }
  throw refusal(firstLine, 'another encoding');
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** By its byte order mark; without one, every other byte of common text is zero. */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const marked = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (marked !== undefined) return marked[0];
  const sample = bytes.subarray(0, SAMPLE);
  const zeros = sample.filter((byte) => byte === 0).length;
  return zeros > sample.length / 4 ? 'UTF-16' : undefined;
}

function refusal(line: number, encoding: string): CommandRefused {
  return new CommandRefused(
    `line ${line} of the file is not UTF-8: it seems to be ${encoding}; save the file as UTF-8`,
  );
}
