import { firstBytes } from './bytes-source.ts';
import { decode, PROBE_BYTES } from './decode.ts';
import {
  byteOrderMark,
  type EncodingGuess,
  firstOddByte,
  fromWindows1252,
  hex,
  utf16Of,
} from './encodings.ts';
import { SAMPLE_MAX_CHARS } from './limits.ts';
import { describeSheets, type SheetDescription } from './read-workbook.ts';
import type { StatementSource } from './table.ts';
import { type Compression, type TextContent, unpack } from './unpack.ts';

export type FileDescription =
  | {
      readonly kind: 'text';
      readonly compression: Compression;
      readonly encoding: EncodingGuess;
      /** The first characters; ends with a line end where the text goes on. */
      readonly sample: string;
    }
  | {
      readonly kind: 'workbook';
      readonly compression: Compression;
      readonly sheets: readonly SheetDescription[];
    };

/** @throws {UnreadableFile} when the file is neither text nor a workbook that can be read. */
export async function describeFile(source: StatementSource): Promise<FileDescription> {
  const content = await unpack(source);
  const { kind, compression } = content;
  if (kind === 'workbook') return { kind, compression, sheets: await describeSheets(content) };
  const encoding = await guessEncoding(content);
  return { kind, compression, encoding, sample: await readSample(content, encoding) };
}

async function guessEncoding(content: TextContent): Promise<EncodingGuess> {
  const first = await firstBytes(content.bytes(), PROBE_BYTES);
  const mark = byteOrderMark(first);
  if (mark) return { name: mark, sure: true, why: 'the file begins with a byte order mark' };
  const utf16 = utf16Of(first);
  if (utf16) return { name: utf16, sure: true, why: 'every second byte is zero' };
  const odd = await firstOddByte(content.bytes());
  if (odd === undefined) return { name: 'utf-8', sure: true, why: 'all bytes are valid UTF-8' };
  const character = fromWindows1252(String.fromCharCode(odd.byte));
  const why = `byte ${hex(odd.byte)} in line ${odd.line} is not UTF-8; Windows-1252 reads it as ${character}`;
  return { name: 'windows-1252', sure: false, why };
}

async function readSample(content: TextContent, { name }: EncodingGuess): Promise<string> {
  let sample = '';
  for await (const piece of decode(content, name)) {
    sample += piece;
    if (sample.length > SAMPLE_MAX_CHARS) return sample.slice(0, lastLineEnd(sample));
  }
  return sample;
}

function lastLineEnd(text: string): number {
  const lastStart = Math.max(
    text.lastIndexOf('\n', SAMPLE_MAX_CHARS),
    text.lastIndexOf('\r', SAMPLE_MAX_CHARS - 1),
  );
  return lastStart < 0 ? SAMPLE_MAX_CHARS : lastStart + 1;
}
