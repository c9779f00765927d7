import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import { expect } from 'chai';
import { Secret } from '../src/secret.ts';
import { readSealedFile } from '../src/transfer/sealed-file.ts';
import { pieces } from './support/pieces.ts';

const PASSPHRASE = new Secret('a passphrase of sufficient length');
const COST = { N: 2 ** 17, r: 8, p: 1 };
const CHUNK = 64 * 1024;

const SALT = randomBytes(16).toString('base64url');
const KEY = scryptSync(PASSPHRASE.expose(), SALT, 32, { ...COST, maxmem: 2 ** 28 });

/** Header and chunks as 0.5.0 wrote them. */
function sealed(text: Buffer, format = 'cls-auth-installation'): readonly Buffer[] {
  const header = Buffer.from(`${JSON.stringify({ format, version: 1, ...COST, salt: SALT })}\n`);
  const count = Math.max(1, Math.ceil(text.length / CHUNK));
  const chunks = Array.from({ length: count }, (_, number) => {
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(number, 7);
    nonce.writeUInt8(number === count - 1 ? 1 : 0, 11);
    const cipher = createCipheriv('aes-256-gcm', KEY, nonce);
    cipher.setAAD(header);
    const part = text.subarray(number * CHUNK, (number + 1) * CHUNK);
    const bytes = Buffer.concat([cipher.update(part), cipher.final(), cipher.getAuthTag()]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  });
  return [header, ...chunks];
}

async function read(parts: readonly Buffer[], passphrase = PASSPHRASE): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readSealedFile({ passphrase }, pieces(Buffer.concat(parts), 7_000))) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const refusal = (parts: readonly Buffer[], passphrase = PASSPHRASE) =>
  read(parts, passphrase).then(
    () => 'read',
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe('a sealed file of 0.5.0', function () {
  this.timeout(300_000); // Each reading derives a key.
  const text = randomBytes(2 * CHUNK + 500);
  const [header, first, second, last] = sealed(text) as [Buffer, Buffer, Buffer, Buffer];

  it('is read as it was written', async () => {
    expect((await read([header, first, second, last])).equals(text)).to.equal(true);
    expect((await read(sealed(Buffer.alloc(0)))).length).to.equal(0);
  });

  it('is refused with another passphrase, and with a key', async () => {
    const other = new Secret(`${PASSPHRASE.expose()} `);
    expect(await refusal([header, first, second, last], other)).to.match(/expected the passphrase/);
    const asKey = readSealedFile({ identities: [] }, pieces(header, 1)).next();
    const { message } = await asKey.then(
      () => new Error('read'),
      (error: Error) => error,
    );
    expect(message).to.include('expected its passphrase');
  });

  it('is refused where it was cut or changed, or its chunks were moved', async () => {
    const changed = (bytes: Buffer, at: number) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    };
    const faults = [
      [header.subarray(0, 50)],
      [header],
      [header, first],
      [header, first, second],
      [header, first, second, last.subarray(0, -1)],
      [header, second, first, last],
      [header, first, last],
      [header, first, second, last, last],
      [changed(header, header.indexOf('131072')), first, second, last],
      [header, changed(first, 0), second, last],
      [header, first, changed(second, 9_000), last],
    ];
    for (const [n, parts] of faults.entries()) {
      expect(await refusal(parts), `${n}`).to.match(
        /^StoreFileRefused: .*(cut|changed|expected a file)/,
      );
    }
    expect(await refusal(sealed(text, 'other-file'))).to.include('expected a file of cls-auth');
  });
});
