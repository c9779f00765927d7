import { type Key, readAgeFile } from './age-file.ts';
import { readOldSealedFile } from './old-sealed-file.ts';
import { StoreFileRefused } from './store-file.ts';

/** An age file begins with its name, one of 0.5.0 with an object of JSON. */
const BRACE = 0x7b;

/**
 * What is in an encrypted file of this build or of 0.5.0.
 *
 * @throws {StoreFileRefused} on another file, another key, and a file that was cut or changed.
 */
export async function* readSealedFile(
  key: Key,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    async function* whole() {
      for (let next = first; !next.done; next = await chunks.next()) yield next.value;
    }
    if (first.value?.[0] !== BRACE) yield* readAgeFile(key, whole());
    else if ('passphrase' in key) yield* readOldSealedFile(key.passphrase, whole());
    else throw new StoreFileRefused('the file is of 0.5.0: expected its passphrase, and no key');
  } finally {
    await chunks.return?.();
  }
}
