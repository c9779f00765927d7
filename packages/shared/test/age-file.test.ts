import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { requireServer } from '@cls/testing/engines';
import { findBinary, temporaryDirectory } from '@cls/testing/servers';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { expect } from 'chai';
import { Secret } from '../src/secret.ts';
import {
  isIdentity,
  isRecipient,
  type Key,
  type Lock,
  writeAgeFile,
} from '../src/transfer/age-file.ts';
import { readSealedFile } from '../src/transfer/sealed-file.ts';
import { pieces } from './support/pieces.ts';

const PASSPHRASE = { passphrase: new Secret('a passphrase with an \u00fc') };
const QUICK_LOG_N = 2;
const CHUNK = 64 * 1024;
const SEALED_CHUNK = CHUNK + 16;

async function written(lock: Lock, texts: readonly string[]): Promise<Buffer> {
  const sent: Uint8Array[] = [];
  const send = async (bytes: Uint8Array) => {
    sent.push(bytes);
  };
  const work = async (write: (text: string) => Promise<void>) => {
    for (const text of texts) await write(text);
  };
  await writeAgeFile(lock, send, work, QUICK_LOG_N);
  return Buffer.concat(sent);
}

async function read(key: Key, file: Uint8Array, size = 7_000): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readSealedFile(key, pieces(file, size))) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const refusal = (key: Key, file: Uint8Array) =>
  read(key, file).then(
    () => 'read',
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe('an age file', () => {
  const text = Array.from({ length: 700 }, (_, n) => `${n} ${'ü'.repeat(n)}\n`);
  let identity: string;
  let recipients: readonly string[];
  let file: Buffer;
  before(async () => {
    identity = await generateX25519Identity();
    recipients = [await identityToRecipient(identity)];
    file = await written(PASSPHRASE, text);
  });
  const asKey = (text: string) => ({ identities: [new Secret(text)] });
  /** Where the chunks begin: after the header and the nonce of the file. */
  const payloadAt = () => file.indexOf('\n', file.indexOf('--- ')) + 1 + 16;

  it('has what was written, however it arrives, and nothing of it in clear', async () => {
    for (const size of [7_000, CHUNK, file.length]) {
      expect(await read(PASSPHRASE, file, size)).to.equal(text.join(''));
    }
    expect(file.includes('üüü')).to.equal(false);
    for (const length of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK]) {
      const one = 'x'.repeat(length);
      expect(await read(asKey(identity), await written({ recipients }, [one]))).to.equal(one);
    }
  });

  it('opens with the passphrase as another keyboard writes it', async () => {
    const decomposed = new Secret(PASSPHRASE.passphrase.expose().normalize('NFD'));
    expect(await read({ passphrase: decomposed }, file)).to.equal(text.join(''));
  });

  it('is refused with another passphrase or key, with what was expected and without the secret', async () => {
    const other = new Secret(`${PASSPHRASE.passphrase.expose()} `);
    for (const key of [{ passphrase: other }, asKey(identity)]) {
      expect(await refusal(key, file)).to.match(/^StoreFileRefused: .*expected .*passphrase/);
    }
    const toKey = await written({ recipients }, text);
    for (const key of [PASSPHRASE, asKey(await generateX25519Identity())]) {
      const said = await refusal(key, toKey);
      expect(said).to.match(/^StoreFileRefused: .*expected .*secret key/);
      expect(said).to.not.match(/AGE-SECRET|ü/);
    }
  });

  it('is refused where it was cut, at the end of a chunk too', async () => {
    const at = payloadAt();
    expect(file.length).to.be.greaterThan(at + 3 * SEALED_CHUNK);
    const ends = [10, at - 20, at - 16, at - 1, at, at + 500, at + SEALED_CHUNK];
    for (const end of [...ends, at + 2 * SEALED_CHUNK, file.length - 1]) {
      expect(await refusal(PASSPHRASE, file.subarray(0, end)), `${end}`).to.match(
        /^StoreFileRefused: .*(cut|expected a file of export)/,
      );
    }
  });

  it('is refused where one bit was changed, anywhere, or something follows', async () => {
    for (const at of [
      5,
      25,
      60,
      100,
      ...Array.from({ length: 60 }, () => randomInt(file.length)),
    ]) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await refusal(PASSPHRASE, changed), `${at}`).to.match(/^StoreFileRefused: /);
    }
    const longer = Buffer.concat([file, randomBytes(1)]);
    expect(await refusal(PASSPHRASE, longer)).to.match(/^StoreFileRefused: .*changed/);
  });

  it('is refused where chunks change places or are left out', async () => {
    const at = payloadAt();
    const part = (n: number) => file.subarray(at + n * SEALED_CHUNK, at + (n + 1) * SEALED_CHUNK);
    const [head, rest] = [file.subarray(0, at), file.subarray(at + 2 * SEALED_CHUNK)];
    for (const order of [
      [part(1), part(0), rest],
      [part(0), rest],
    ]) {
      const said = await refusal(PASSPHRASE, Buffer.concat([head, ...order]));
      expect(said).to.match(/^StoreFileRefused: .*changed/);
    }
  });

  it('is refused where it is something else, and a file that cannot be read is called so', async () => {
    for (const other of ['', 'a,b\n', '-----BEGIN AGE ENCRYPTED FILE-----\n']) {
      expect(await refusal(PASSPHRASE, Buffer.from(other))).to.include('expected a file of export');
    }
    async function* failing() {
      yield file.subarray(0, 200);
      throw Object.assign(new Error('gone'), { code: 'EIO' });
    }
    const fault = await readSealedFile(PASSPHRASE, failing())
      .next()
      .catch(({ code }) => code);
    expect(fault).to.equal('EIO');
  });

  it('is written no faster than it is taken, and a reader that stops lets the file go', async () => {
    let take = () => {};
    const taken = new Promise<void>((resolve) => {
      take = resolve;
    });
    let chunks = 0;
    const all = writeAgeFile(
      { recipients },
      () => taken,
      async (write) => {
        for (; chunks < 100; chunks += 1) await write('x'.repeat(CHUNK));
      },
    );
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(chunks).to.be.lessThan(10);
    take();
    await all;
    expect(chunks).to.equal(100);
    let isOpen = true;
    async function* open() {
      try {
        yield* pieces(file, 7_000);
      } finally {
        isOpen = false;
      }
    }
    for await (const _ of readSealedFile(PASSPHRASE, open())) break;
    expect(isOpen).to.equal(false);
  });

  it('fails as its disk fails, and as what is written fails, and then has no end', async () => {
    const full = new Error('ENOSPC');
    let ended: unknown;
    const work = async (write: (text: string) => Promise<void>) => {
      try {
        for (;;) await write('x'.repeat(CHUNK));
      } catch (error) {
        ended = error;
        throw error;
      }
    };
    const failed = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
    expect(await failed(writeAgeFile({ recipients }, () => Promise.reject(full), work))).to.equal(
      full,
    );
    expect(ended).to.be.instanceOf(Error);
    const sent: Uint8Array[] = [];
    const send = async (bytes: Uint8Array) => {
      sent.push(bytes);
    };
    const lost = new Error('the database is gone');
    const half = async (write: (text: string) => Promise<void>) => {
      await write('x'.repeat(3 * CHUNK));
      throw lost;
    };
    expect(await failed(writeAgeFile({ recipients }, send, half))).to.equal(lost);
    expect(await refusal(asKey(identity), Buffer.concat(sent))).to.match(/^StoreFileRefused: /);
  });

  it('is for keys of age alone', () => {
    expect([recipients[0] ?? '', identity, 'age1x', 'ssh-ed25519 AAAA'].map(isRecipient)).to.eql([
      true,
      false,
      false,
      false,
    ]);
    expect([identity, recipients[0] ?? '', `${identity}X`].map(isIdentity)).to.eql([
      true,
      false,
      false,
    ]);
  });

  describe('and the `age` tool', () => {
    const folder = temporaryDirectory('cls-age-');
    const [sealed, plain, keys] = ['sealed', 'plain', 'keys'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    let age: string;
    before(function () {
      const found = findBinary('age');
      requireServer(this, 'age', found);
      age = found;
      writeFileSync(keys, `# of a test\n${identity}\n`);
    });
    const run = (...words: string[]) => execFileSync(age, words, { stdio: 'pipe' });
    /** The tool asks a terminal alone. */
    const runTyping = (typed: string, ...words: string[]) =>
      execFileSync('script', ['-qec', [age, ...words].join(' '), '/dev/null'], { input: typed });

    it('read each other’s files, of keys and of passphrases', async () => {
      const all = text.join('');
      const words = PASSPHRASE.passphrase.expose();
      writeFileSync(sealed, await written({ recipients }, text));
      expect(run('-d', '-i', keys, sealed).toString()).to.equal(all);
      writeFileSync(sealed, file);
      runTyping(`${words}\n`, '-d', '-o', plain, sealed);
      expect(readFileSync(plain, 'utf8')).to.equal(all);
      run('-r', recipients[0] ?? '', '-o', sealed, plain);
      expect(await read(asKey(identity), readFileSync(sealed))).to.equal(all);
      runTyping(`${words}\n${words}\n`, '-p', '-o', sealed, plain);
      expect(await read(PASSPHRASE, readFileSync(sealed))).to.equal(all);
    });
  });
});
