/**
 * Files in the age format (age-encryption.org/v1), which the `age` tool reads too. Chunks of 64 KiB are
 * authenticated one by one with their places, so chunks cannot be left out, moved or cut off.
 */
import { Decrypter, Encrypter } from 'age-encryption';
import type { Secret } from '../secret.ts';
import { StoreFileRefused } from './store-file.ts';

/** What a file is encrypted with: a passphrase, or public keys (`age1…`). */
export type Lock = { readonly passphrase: Secret } | { readonly recipients: readonly string[] };

/** What opens it: the passphrase, or secret keys (`AGE-SECRET-KEY-1…`). */
export type Key = { readonly passphrase: Secret } | { readonly identities: readonly Secret[] };

/** 256 MiB and about a second, as the `age` tool takes. */
const SCRYPT_LOG_N = 18;

export function isRecipient(text: string): boolean {
  return succeeds(() => new Encrypter().addRecipient(text));
}

/** The library's own error would repeat the key. */
export function isIdentity(text: string): boolean {
  return succeeds(() => new Decrypter().addIdentity(text));
}

/** Encrypts what `work` writes. Without the last chunk, which follows its end, no file opens. */
export async function writeAgeFile<T>(
  lock: Lock,
  send: (bytes: Uint8Array) => Promise<void>,
  work: (write: (text: string) => Promise<void>) => Promise<T>,
  scryptLogN = SCRYPT_LOG_N,
): Promise<T> {
  const encrypter = new Encrypter();
  if ('passphrase' in lock) {
    encrypter.setPassphrase(typed(lock.passphrase));
    encrypter.setScryptWorkFactor(scryptLogN);
  } else {
    for (const recipient of lock.recipients) encrypter.addRecipient(recipient);
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const encrypted = await encrypter.encrypt(readable);
  const sent = encrypted.pipeTo(new WritableStream({ write: send }));
  sent.catch(() => undefined); // It is awaited when `work` has ended.
  const writer = writable.getWriter();
  try {
    const result = await work((text) => writer.write(Buffer.from(text)));
    await writer.close();
    await sent;
    return result;
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    // Of a disk that is full, a write may see an error of Node's own (v20).
    throw await sent.then(
      () => error,
      (cause: unknown) => cause,
    );
  }
}

/**
 * What was encrypted. Each chunk is authenticated before it is given; that the file is whole is known at its end.
 *
 * @throws {StoreFileRefused} on another file, another key, and a file that was cut or changed.
 */
export async function* readAgeFile(
  key: Key,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter();
  if ('passphrase' in key) decrypter.addPassphrase(typed(key.passphrase));
  else for (const identity of key.identities) decrypter.addIdentity(identity.expose());
  const content = await decrypter.decrypt(ReadableStream.from(source)).catch((error: Error) => {
    throw refusal(error, faultOfHeader(error, key));
  });
  try {
    yield* content;
  } catch (error) {
    throw refusal(error as Error, 'the file was cut or changed after it was written');
  }
}

function faultOfHeader({ message }: Error, key: Key): string {
  if (message.startsWith('invalid version')) {
    return 'expected a file of export: one in the age format, which begins with age-encryption.org/v1, or one of 0.5.0';
  }
  if (!message.startsWith('no identity matched')) return 'the head of the file was cut or changed';
  return 'passphrase' in key
    ? 'the file does not open: expected the passphrase that it was written with, or the secret key where it was written for a recipient; or the file was changed'
    : 'the file does not open: expected the secret key of a recipient that it was written for, or the passphrase where it was written with one; or the file was changed';
}

/** Where the file cannot be read, the system's error as it is. */
function refusal(error: Error & { readonly code?: unknown }, words: string): Error {
  return typeof error.code === 'string' ? error : new StoreFileRefused(words);
}

/** Two keyboards may write one letter differently. */
function typed(passphrase: Secret): string {
  return passphrase.expose().normalize('NFC');
}

function succeeds(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
