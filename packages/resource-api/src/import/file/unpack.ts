import { bytesSource, firstBytes } from './bytes-source.ts';
import { byteOrderMark, utf16Of } from './encodings.ts';
import { inflated, limitExpansion } from './expansion.ts';
import { PACKED_WORKBOOK_MAX_BYTES, WORKBOOK_MAX_BYTES } from './limits.ts';
import {
  FOREIGN_ZIPS,
  foreignFormat,
  isBinary,
  isGzip,
  isOle,
  oleAdvice,
  SIGNATURE_BYTES,
} from './signatures.ts';
import { type StatementSource, UnreadableFile } from './table.ts';
import { type ZipEntry, zipContent, zipEntries } from './zip.ts';

export type Compression = 'none' | 'gzip' | 'zip';

export interface TextContent {
  readonly kind: 'text';
  readonly compression: Compression;
  /** Unpacked, from the beginning at each call. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface WorkbookContent {
  readonly kind: 'workbook';
  readonly compression: Compression;
  readonly source: StatementSource;
  readonly entries: readonly ZipEntry[];
}

/** @throws {UnreadableFile} when it is of a format that is not read, damaged, or has a password. */
export async function unpack(source: StatementSource): Promise<TextContent | WorkbookContent> {
  const first = await firstBytes(source.bytes(), SIGNATURE_BYTES);
  if (isGzip(first)) {
    return unpacked('gzip', source, () => inflated(source.bytes(), 'gzip'));
  }
  if (isZip(first)) {
    const entries = await zipEntries(source);
    const foreign = FOREIGN_ZIPS.find(([mark]) => entries.some(({ name }) => mark.test(name)));
    if (foreign !== undefined) throw new UnreadableFile('unknown_format', foreign[1]);
    if (isWorkbook(entries)) return workbook('none', source, entries);
    const entry = onlyFile(entries);
    return unpacked('zip', source, () => zipContent(source, entry));
  }
  await refuseForeign(first, () => source.bytes());
  return { kind: 'text', compression: 'none', bytes: () => source.bytes() };
}

async function unpacked(
  compression: Compression,
  source: StatementSource,
  open: () => AsyncIterable<Uint8Array>,
): Promise<TextContent | WorkbookContent> {
  const bytes = () => limitExpansion(open(), source.size);
  const first = await firstBytes(bytes(), SIGNATURE_BYTES);
  if (!isZip(first)) {
    await refuseForeign(first, bytes);
    return { kind: 'text', compression, bytes };
  }
  // The directory of a zip is at its end, so a workbook within a compressed file is held in memory.
  const inner = await firstBytes(bytes(), PACKED_WORKBOOK_MAX_BYTES + 1);
  if (inner.length > PACKED_WORKBOOK_MAX_BYTES) {
    const message = `expected a compressed workbook of at most ${PACKED_WORKBOOK_MAX_BYTES} bytes; unpack it first`;
    throw new UnreadableFile('too_large', message);
  }
  const innerSource = bytesSource(source.name, inner);
  const entries = await zipEntries(innerSource);
  if (isWorkbook(entries)) return workbook(compression, innerSource, entries);
  throw new UnreadableFile(
    'nested_archive',
    'the file is an archive in an archive; unpack it once',
  );
}

async function refuseForeign(first: Uint8Array, bytes: () => AsyncIterable<Uint8Array>) {
  if (isOle(first)) {
    const { code, message } = oleAdvice(await firstBytes(bytes(), WORKBOOK_MAX_BYTES));
    throw new UnreadableFile(code, message);
  }
  const foreign = foreignFormat(first);
  if (foreign !== undefined) throw new UnreadableFile('unknown_format', foreign);
  const isUtf16 = byteOrderMark(first) !== undefined || utf16Of(first) !== undefined;
  if (isBinary(first) && !isUtf16) {
    const message = 'the file is neither text nor a workbook; save the statement as CSV or .xlsx';
    throw new UnreadableFile('unknown_format', message);
  }
}

function isZip(first: Uint8Array): boolean {
  const [p, k, three, four] = first;
  return p === 0x50 && k === 0x4b && ((three === 3 && four === 4) || (three === 5 && four === 6));
}

function isWorkbook(entries: readonly ZipEntry[]): boolean {
  return entries.some(({ name }) => /^\[content_types\]\.xml$/i.test(name));
}

function workbook(
  compression: Compression,
  source: StatementSource,
  entries: readonly ZipEntry[],
): WorkbookContent {
  if (source.size <= WORKBOOK_MAX_BYTES) return { kind: 'workbook', compression, source, entries };
  const message = `expected a workbook of at most ${WORKBOOK_MAX_BYTES} bytes; save the sheet as CSV`;
  throw new UnreadableFile('too_large', message);
}

/** Folders, and what macOS adds, do not count. */
function onlyFile(entries: readonly ZipEntry[]): ZipEntry {
  const files = entries.filter(({ name }) => !/\/$|^__MACOSX\/|(^|\/)\.DS_Store$/.test(name));
  const [file, second] = files;
  if (file !== undefined && second === undefined) return file;
  const names = files.slice(0, 10).map(({ name }) => name);
  const more = files.length > names.length ? `, and ${files.length - names.length} more` : '';
  const message =
    file === undefined
      ? 'the zip has no file'
      : `expected one file in the zip, got ${files.length}: ${names.join(', ')}${more}; zip the statement alone`;
  throw new UnreadableFile('several_files', message);
}
