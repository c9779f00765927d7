/** From bytes to characters. A byte that the encoding does not have is a fault, never a mark. */
import {
  byteOrderMark,
  controlOf,
  type Encoding,
  firstOddByte,
  fromWindows1252,
  hex,
  isMojibake,
  utf16Of,
} from './encodings.ts';
import { lineEndsIn } from './records.ts';
import { UnreadableFile } from './table.ts';
import type { TextContent } from './unpack.ts';

const LABELS: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little-endian)',
  'utf-16be': 'UTF-16 (big-endian)',
  'windows-1252': 'Windows-1252',
  'iso-8859-1': 'ISO-8859-1',
};
/** How many bytes show whether a text is UTF-16. */
export const PROBE_BYTES = 4_096;

type EncodedText = Pick<TextContent, 'bytes'>;

/** The characters of a text. A byte order mark takes precedence over the encoding, and is left out. */
export async function* decode(text: EncodedText, declared: Encoding): AsyncGenerator<string> {
  let decoder: ChunkDecoder | undefined;
  for await (const chunk of probed(text.bytes())) {
    decoder ??= decoderFor(chunk, declared);
    yield await decoder(chunk, text);
  }
  if (decoder !== undefined) yield await decoder(undefined, text);
}

function decoderFor(first: Uint8Array, declared: Encoding): ChunkDecoder {
  const mark = byteOrderMark(first);
  if (mark === undefined) checkUtf16(first.subarray(0, PROBE_BYTES), declared);
  const encoding = mark ?? declared;
  // TextDecoder takes the label of ISO-8859-1 for Windows-1252, as browsers do.
  return encoding.startsWith('utf') ? unicodeDecoder(encoding) : singleByteDecoder(encoding);
}

/** The same bytes, with a first chunk that is long enough to be looked at. */
async function* probed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let first: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (first === undefined) yield chunk;
    else {
      first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
      if (first.length < PROBE_BYTES) continue;
      yield first;
      first = undefined;
    }
  }
  if (first !== undefined && first.length > 0) yield first;
}

function checkUtf16(first: Uint8Array, declared: Encoding): void {
  const likely = utf16Of(first);
  if (likely !== undefined && likely !== declared)
    throw wrongEncoding(declared, likely, 'has a zero in every second byte');
  // Delimiters, digits and line ends of UTF-16 have a byte that is zero.
  if (declared.startsWith('utf-16') && first.length > 1 && !first.includes(0)) {
    throw wrongEncoding(declared, 'utf-8', 'has no zero among its first bytes');
  }
}

function wrongEncoding(declared: Encoding, likely: Encoding, reason: string): UnreadableFile {
  const message = `the file is not ${LABELS[declared]}: it ${reason}; declare encoding: ${likely}`;
  return new UnreadableFile('wrong_encoding', message, { row: 1 });
}

/** @param chunk undefined at the end. */
type ChunkDecoder = (chunk: Uint8Array | undefined, text: EncodedText) => string | Promise<string>;

function unicodeDecoder(encoding: Encoding): ChunkDecoder {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (chunk, text) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      return invalidBytes(text, encoding);
    }
  };
}

async function invalidBytes(text: EncodedText, encoding: Encoding): Promise<never> {
  const odd = encoding === 'utf-8' ? await firstOddByte(text.bytes()) : undefined;
  const message =
    odd === undefined
      ? `the file is not ${LABELS[encoding]}: it has half a character; get it again from its sender`
      : `byte ${hex(odd.byte)} in line ${odd.line} is not UTF-8; if the file is Windows-1252, declare encoding: windows-1252`;
  throw new UnreadableFile('wrong_encoding', message, { row: odd?.line ?? 0 });
}

function singleByteDecoder(encoding: Encoding): ChunkDecoder {
  let line = 1;
  let isChecked = false;
  return (chunk) => {
    if (chunk === undefined) return '';
    const latin1 = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
    if (!isChecked) {
      const mojibake = isMojibake(latin1);
      if (mojibake) throw wrongEncoding(encoding, 'utf-8', 'has characters of UTF-8');
      isChecked = mojibake === false;
    }
    const decoded = encoding === 'windows-1252' ? fromWindows1252(latin1) : latin1;
    const control = controlOf(decoded);
    if (control !== undefined) {
      const row = line + lineEndsIn(decoded.slice(0, decoded.indexOf(control)));
      throw new UnreadableFile('wrong_encoding', controlMessage(control, row, encoding), { row });
    }
    line += lineEndsIn(decoded);
    return decoded;
  };
}

function controlMessage(control: string, line: number, encoding: Encoding): string {
  const fact = `byte ${hex(control.charCodeAt(0))} in line ${line} is no character of ${LABELS[encoding]}`;
  if (encoding === 'windows-1252') return `${fact}; ask the sender which encoding the file has`;
  return `${fact}; if the file is Windows-1252, declare encoding: windows-1252`;
}
