import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Secret } from '../src/secret.ts';
import { sealedWriter, unsealedLines } from '../src/transfer/old-sealed-file.ts';

const PASSPHRASE = new Secret('a passphrase of sufficient length');
const QUICK = { N: 2, r: 8, p: 1 };
const FORMAT = 'test-file';

async function seal(parts: readonly string[], format = FORMAT): Promise<Buffer> {
  const sent: Buffer[] = [];
  const send = async (bytes: Buffer) => {
    sent.push(Buffer.from(bytes));
  };
  const writer = await sealedWriter(PASSPHRASE, format, send, QUICK);
  for (const part of parts) await writer.write(part);
  await writer.end();
  return Buffer.concat(sent);
}

/** In pieces that end anywhere. */
async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, passphrase = PASSPHRASE, size = 1_000): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of unsealedLines(passphrase, FORMAT, pieces(bytes, size))) {
    lines.push(line);
  }
  return lines;
}

const refusal = (bytes: Buffer, passphrase = PASSPHRASE) =>
  read(bytes, passphrase).then(
    () => 'read',
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe('a sealed file', () => {
  const line = (n: number) => `${n} ${'ü'.repeat(n)}`;
  const lines = Array.from({ length: 700 }, (_, n) => line(n));
  let file: Buffer;
  before(async () => {
    file = await seal(lines.map((one) => `${one}\n`));
  });

  it('gives the lines that were written, however the file arrives', async () => {
    expect(file.length).to.be.greaterThan(3 * 64 * 1024);
    for (const size of [7_000, 64 * 1024, file.length]) {
      expect(await read(file, PASSPHRASE, size)).to.deep.equal(lines);
    }
    expect(await read(await seal([]))).to.deep.equal([]);
    const whole = 'x'.repeat(64 * 1024 - 1);
    expect(await read(await seal([`${whole}\n`, `${whole}\n`]))).to.deep.equal([whole, whole]);
  });

  it('holds nothing in clear', () => {
    expect(file.includes('üüü')).to.equal(false);
  });

  it('is refused with another passphrase, also one that differs by a blank', async () => {
    for (const other of ['another passphrase altogether', `${PASSPHRASE.expose()} `]) {
      expect(await refusal(file, new Secret(other))).to.match(/^StoreFileRefused: .*passphrase/);
    }
  });

  it('is refused where it was cut, at a chunk’s end too', async () => {
    const header = file.indexOf(0x0a) + 1;
    const chunk = 4 + 64 * 1024 + 16;
    const cuts = [0, 1, header, header + 3, header + 500, header + chunk, header + 2 * chunk];
    for (const end of [...cuts, file.length - 1]) {
      expect(await refusal(file.subarray(0, end)), `${end}`).to.match(/^StoreFileRefused: /);
    }
  });

  it('is refused where one bit was changed, anywhere', async () => {
    const random = Array.from({ length: 60 }, () => randomBytes(4).readUInt32BE() % file.length);
    for (const at of [0, 20, 60, file.indexOf(0x0a), ...random]) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await refusal(changed), `${at}`).to.match(/^StoreFileRefused: /);
    }
  });

  it('is refused where chunks change places, are left out or are added', async () => {
    const header = file.indexOf(0x0a) + 1;
    const chunk = 4 + 64 * 1024 + 16;
    const part = (n: number) => file.subarray(header + n * chunk, header + (n + 1) * chunk);
    const head = file.subarray(0, header);
    const rest = file.subarray(header + 2 * chunk);
    for (const order of [
      [part(1), part(0), rest],
      [part(0), rest],
      [part(0), part(0), part(1), rest],
      [part(0), part(1), rest, rest.subarray(-20)],
    ]) {
      expect(await refusal(Buffer.concat([head, ...order]))).to.match(/^StoreFileRefused: /);
    }
  });

  it('is refused where it is of another kind, or asks for more memory than a file may', async () => {
    expect(await refusal(await seal(['x\n'], 'other-file'))).to.include('is no test-file');
    const end = file.indexOf(0x0a);
    const greedy = file.subarray(0, end).toString().replace('"N":2,', '"N":1073741824,');
    expect(await refusal(Buffer.concat([Buffer.from(greedy), file.subarray(end)]))).to.include(
      'header',
    );
  });
});
