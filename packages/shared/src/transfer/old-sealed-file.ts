/**
 * A file that opens with a passphrase alone: scrypt (RFC 7914) makes the key, AES-256-GCM seals
 * chunks. The nonce of a chunk is its number and whether it is the last (the STREAM construction of
 * Hoang, Reyhanitabar, Rogaway and Vizár), so chunks cannot be left out, moved or cut off. The
 * header line is authenticated with each chunk.
 *
 * Header: one line of JSON. Chunk: 4 bytes of length, big endian, the sealed text, a tag of 16 bytes.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import type { Secret } from '../secret.ts';
import { StoreFileRefused } from './store-file.ts';

const CHUNK_BYTES = 64 * 1024;
const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;
const HEADER_MAX_BYTES = 1_000;
/** 128 MiB and about half a second. */
const COST = { N: 2 ** 17, r: 8, p: 1 };
/** A header must not make the reader take more memory than this. */
const COST_MAX = 2 ** 20;

/** Passphrases that a dictionary has are found offline: there is no throttle in front of a file. */
export const PASSPHRASE_MIN_CHARS = 16;

export interface SealedWriter {
  write(text: string): Promise<void>;
  /** Writes the last chunk, without which the file does not open. */
  end(): Promise<void>;
}

/**
 * @param format names what the file is; the reader must ask for the same.
 * @param cost of scrypt; the header says it.
 */
export async function sealedWriter(
  passphrase: Secret,
  format: string,
  send: (bytes: Buffer) => Promise<void>,
  cost = COST,
): Promise<SealedWriter> {
  const salt = randomBytes(16).toString('base64url');
  const header = Buffer.from(`${JSON.stringify({ format, version: 1, ...cost, salt })}\n`);
  const key = await keyOf(passphrase, salt, cost);
  await send(header);
  let number = 0;
  let waiting = Buffer.alloc(0);
  const seal = (text: Buffer, last: boolean) => {
    const cipher = createCipheriv(CIPHER, key, nonceOf(number, last));
    cipher.setAAD(header);
    number += 1;
    const sealed = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(sealed.length);
    return Buffer.concat([length, sealed]);
  };
  return {
    async write(text) {
      waiting = Buffer.concat([waiting, Buffer.from(text)]);
      while (waiting.length > CHUNK_BYTES) {
        await send(seal(waiting.subarray(0, CHUNK_BYTES), false));
        waiting = waiting.subarray(CHUNK_BYTES);
      }
    },
    end: () => send(seal(waiting, true)),
  };
}

/**
 * The lines of a sealed file. Each chunk is authenticated before a line of it is given.
 *
 * @throws {StoreFileRefused} on another file, another passphrase, and a file that was cut or changed.
 */
export async function* unsealedLines(
  passphrase: Secret,
  format: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  const reader = byteReader(source);
  const header = await readHeader(reader, format);
  const key = await keyOf(passphrase, header.salt, header.cost);
  const decoder = new TextDecoder();
  let rest = '';
  for (let number = 0; ; number += 1) {
    const sealed = await readChunk(reader);
    const last = await reader.atEnd();
    const text = open(key, header.bytes, number, last, sealed);
    const lines = (rest + decoder.decode(text, { stream: !last })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (last) break;
  }
  if (rest !== '') yield rest;
}

function open(key: Buffer, header: Buffer, number: number, last: boolean, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, nonceOf(number, last), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(header);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new StoreFileRefused(
      number === 0 && !last
        ? 'the file does not open: another passphrase, or the file was changed'
        : 'the file does not open: another passphrase, or the file was cut or changed',
    );
  }
}

async function readHeader(reader: ByteReader, format: string) {
  const bytes = await reader.line(HEADER_MAX_BYTES);
  const { format: found, version, salt, N, r, p } = headerFields(bytes);
  if (found !== format || version !== 1 || typeof salt !== 'string') {
    throw new StoreFileRefused(`the file is no ${format} that this build reads`);
  }
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const power = Number.isInteger(Math.log2(cost.N)) && cost.N > 1;
  if (!power || cost.N * cost.r * cost.p > COST_MAX * COST.r || cost.r < 1 || cost.p < 1) {
    throw new StoreFileRefused('the header of the file was changed');
  }
  return { bytes, salt, cost };
}

interface HeaderFields {
  readonly format?: unknown;
  readonly version?: unknown;
  readonly salt?: unknown;
  readonly N?: unknown;
  readonly r?: unknown;
  readonly p?: unknown;
}

function headerFields(bytes: Buffer): HeaderFields {
  try {
    return (JSON.parse(bytes.toString('utf8')) ?? {}) as HeaderFields;
  } catch {
    return {};
  }
}

async function readChunk(reader: ByteReader): Promise<Buffer> {
  const length = (await reader.take(4)).readUInt32BE();
  if (length < TAG_BYTES || length > CHUNK_BYTES + TAG_BYTES) {
    throw new StoreFileRefused('the file was cut or changed');
  }
  return reader.take(length);
}

function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 7);
  nonce.writeUInt8(last ? 1 : 0, 11);
  return nonce;
}

function keyOf(passphrase: Secret, salt: string, cost: typeof COST): Promise<Buffer> {
  const { N, r, p } = cost;
  const options = { N, r, p, maxmem: 128 * r * (N + p + 2) + 1024 };
  return new Promise((resolve, reject) =>
    scrypt(passphrase.expose().normalize('NFC'), salt, 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  );
}

interface ByteReader {
  /** @throws {StoreFileRefused} where the source has fewer. */
  take(count: number): Promise<Buffer>;
  /** With its end. */
  line(maxBytes: number): Promise<Buffer>;
  atEnd(): Promise<boolean>;
}

function byteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const chunks = source[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const { done, value } = await chunks.next();
    if (done) return false;
    held = Buffer.concat([held, value]);
    return true;
  };
  const take = async (count: number) => {
    while (held.length < count) {
      if (!(await more())) throw new StoreFileRefused('the file was cut');
    }
    const taken = held.subarray(0, count);
    held = held.subarray(count);
    return taken;
  };
  return {
    take,
    async line(maxBytes) {
      while (!held.includes(0x0a) && held.length < maxBytes && (await more()));
      const end = held.indexOf(0x0a);
      return take(end < 0 ? held.length : end + 1);
    },
    async atEnd() {
      while (held.length === 0) if (!(await more())) return true;
      return false;
    },
  };
}
