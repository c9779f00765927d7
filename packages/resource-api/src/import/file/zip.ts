/** Reads a zip by its directory, which stands at the end (APPNOTE 4.3). */
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { inflated } from './expansion.ts';
import { ZIP_MAX_ENTRIES } from './limits.ts';
import { type StatementSource, UnreadableFile } from './table.ts';

export interface ZipEntry {
  /** With slashes, also where the writer used backslashes. */
  readonly name: string;
  readonly encrypted: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  /** Where its local header stands in the zip. */
  readonly offset: number;
}

const STORED = 0;
const DEFLATED = 8;
const END_BYTES = 22;
const COMMENT_MAX_BYTES = 65_535;
const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');
const END64_LOCATOR_BYTES = 20;
const END64_BYTES = 56;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** Stands in a field of 32 bits whose value is in the zip64 field. */
const IN_ZIP64 = 0xffff_ffff;
const DIRECTORY_MAX_BYTES = 16 * 1024 ** 2;

export async function zipEntries(source: StatementSource): Promise<readonly ZipEntry[]> {
  const { start, bytes, count } = await findDirectory(source);
  if (count > ZIP_MAX_ENTRIES || bytes > DIRECTORY_MAX_BYTES) {
    const message = `expected at most ${ZIP_MAX_ENTRIES} files in a zip, got ${count}`;
    throw new UnreadableFile('too_many_files', message);
  }
  const directory = await bytesAt(source, start, bytes);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < count; ) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_SIGNATURE) {
      throw damaged();
    }
    const nameEnd = at + ENTRY_BYTES + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    entries.push(readEntry(directory, at, nameEnd, extraEnd));
    at = extraEnd + directory.readUInt16LE(at + 32);
  }
  return entries;
}

async function findDirectory(source: StatementSource) {
  const tailStart = Math.max(0, source.size - END_BYTES - COMMENT_MAX_BYTES - END64_LOCATOR_BYTES);
  const tail = await bytesAt(source, tailStart, source.size - tailStart);
  const at = tail.lastIndexOf(END_SIGNATURE);
  if (at < 0 || at + END_BYTES > tail.length) {
    const message = 'the zip has no directory at its end; it was not copied completely';
    throw new UnreadableFile('truncated_file', message);
  }
  const end = {
    count: tail.readUInt16LE(at + 10),
    bytes: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  };
  if (end.start !== IN_ZIP64 || at < END64_LOCATOR_BYTES) return end;
  const end64Start = Number(tail.readBigUInt64LE(at - END64_LOCATOR_BYTES + 8));
  const end64 = await bytesAt(source, end64Start, END64_BYTES);
  const read = (offset: number) => Number(end64.readBigUInt64LE(offset));
  return { count: read(32), bytes: read(40), start: read(48) };
}

function readEntry(directory: Buffer, at: number, nameEnd: number, extraEnd: number): ZipEntry {
  const zip64 = zip64Values(directory.subarray(nameEnd, extraEnd));
  // The zip64 field has only what did not fit, in this order.
  const sized = (offset: number) => {
    const value = directory.readUInt32LE(at + offset);
    return value === IN_ZIP64 ? (zip64.shift() ?? value) : value;
  };
  sized(24);
  const packedBytes = sized(20);
  return {
    name: directory.toString('utf8', at + ENTRY_BYTES, nameEnd).replaceAll('\\', '/'),
    encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
    method: directory.readUInt16LE(at + 10),
    crc: directory.readUInt32LE(at + 16),
    packedBytes,
    offset: sized(42),
  };
}

function zip64Values(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    const values = Array.from({ length: Math.floor(field.length / 8) }, (_, index) => index * 8);
    return values.map((offset) => Number(field.readBigUInt64LE(offset)));
  }
  return [];
}

/** The bytes of one file of a zip; the caller limits how many. */
export async function* zipContent(
  source: StatementSource,
  entry: ZipEntry,
): AsyncIterable<Uint8Array> {
  if (entry.encrypted) {
    const message = `the zip has a password; unpack ${entry.name} and give the file itself`;
    throw new UnreadableFile('encrypted_file', message);
  }
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    const message = `${entry.name} is packed in a way that few programs read (method ${entry.method}); zip it again with deflate`;
    throw new UnreadableFile('unknown_compression', message);
  }
  const header = await bytesAt(source, entry.offset, LOCAL_BYTES);
  const start = entry.offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  checkPlace(source, start, entry.packedBytes);
  const packed = source.bytes(start, start + entry.packedBytes);
  let crc = 0;
  for await (const chunk of entry.method === STORED ? packed : inflated(packed, 'zip')) {
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (crc !== entry.crc) throw damaged();
}

async function bytesAt(source: StatementSource, start: number, length: number): Promise<Buffer> {
  checkPlace(source, start, length);
  return buffer(source.bytes(start, start + length));
}

/** A damaged zip names places that it does not have. */
function checkPlace(source: StatementSource, start: number, length: number): void {
  if (start + length > source.size) throw damaged();
}

function damaged(): UnreadableFile {
  return new UnreadableFile(
    'damaged_file',
    'the zip file is damaged; get it again from its sender',
  );
}
