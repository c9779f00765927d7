/**
 * Files of `cls-auth export` of 0.5.0. Header: one line of JSON. Chunk: 4 bytes of length, big endian,
 * text under AES-256-GCM, a tag of 16 bytes. The nonce of a chunk is its number and whether it is the
 * last; the header is authenticated with each chunk.
 */
import { createDecipheriv, scrypt } from 'node:crypto';
import type { Secret } from '../secret.ts';
import { StoreFileRefused } from './store-file.ts';

const HEADER_MAX_BYTES = 1_000;
const CHUNK_MAX_BYTES = 64 * 1024;
const TAG_BYTES = 16;
/** No file has another. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

/** @throws {StoreFileRefused} on another file, another passphrase, and a file that was cut or changed. */
export async function* readOldSealedFile(
  passphrase: Secret,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { peek, take } = byteReader(source);
  const header = await take((await peek(HEADER_MAX_BYTES)).indexOf(0x0a) + 1);
  const key = await keyOf(passphrase, saltOf(header));
  let last = false;
  for (let number = 0; !last; number += 1) {
    const length = (await take(4)).readUInt32BE();
    if (length < TAG_BYTES || length > CHUNK_MAX_BYTES + TAG_BYTES) throw cut();
    const sealed = await take(length);
    last = (await peek(1)).length === 0;
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, last));
    decipher.setAAD(header);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = decipher.update(sealed.subarray(0, -TAG_BYTES));
    try {
      decipher.final();
    } catch {
      throw new StoreFileRefused(
        'the file does not open: expected the passphrase that it was written with; or the file was cut or changed',
      );
    }
    yield text;
  }
}

function saltOf(header: Buffer): string {
  const { format, version, salt } = parsed(header.toString());
  if (format === 'cls-auth-installation' && version === 1 && typeof salt === 'string') return salt;
  throw new StoreFileRefused('expected a file of cls-auth export');
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function keyOf(passphrase: Secret, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(passphrase.expose().normalize('NFC'), salt, 32, COST, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  );
}

function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 7);
  nonce.writeUInt8(last ? 1 : 0, 11);
  return nonce;
}

function cut(): StoreFileRefused {
  return new StoreFileRefused('the file was cut or changed');
}

function byteReader(source: AsyncIterable<Uint8Array>) {
  const chunks = source[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  /** The bytes that come next: so many, or more, or all that there are. */
  const peek = async (count: number) => {
    while (held.length < count) {
      const { done, value } = await chunks.next();
      if (done) break;
      held = Buffer.concat([held, value]);
    }
    return held;
  };
  const take = async (count: number) => {
    if ((await peek(count)).length < count) throw cut();
    const taken = held.subarray(0, count);
    held = held.subarray(count);
    return taken;
  };
  return { peek, take };
}
