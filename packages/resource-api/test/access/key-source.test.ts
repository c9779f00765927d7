import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { KeysUnavailable } from '@cls/shared/access/verification-keys';
import { silentLog } from '@cls/shared/log';
import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { documentFile } from '../../src/access/kept-document.ts';
import {
  type DocumentFile,
  type KeySource,
  logReads,
  remoteKeySource,
} from '../../src/access/key-source.ts';
import { type JwksServer, newKey, startJwksServer, type TestKey } from '../support/issuer.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('the source of verification keys', () => {
  let first: TestKey;
  let second: TestKey;
  let small: TestKey;
  let jwks: JwksServer;
  let source: KeySource | undefined;
  let failures: string[] = [];
  before(async () => {
    [first, second, small] = await Promise.all([
      newKey('first'),
      newKey('second'),
      newKey('small', 1024),
    ]);
  });
  beforeEach(async () => {
    jwks = await startJwksServer([first.jwk]);
    failures = [];
  });
  afterEach(async () => {
    source?.stop();
    await jwks.stop();
  });
  const open = (refreshMs = 60_000, file?: DocumentFile): KeySource => {
    source = remoteKeySource({
      url: jwks.url,
      refreshMs,
      ...(file === undefined ? {} : { file }),
      onFailure: ({ message }) => failures.push(message),
    });
    return source;
  };

  it('reads the set once for five hundred requests that come at once', async () => {
    const keys = open();
    const found = await Promise.all(Array.from({ length: 500 }, () => keys.find('first')));
    expect(found.every((key) => key !== undefined)).to.equal(true);
    expect(jwks.requests()).to.equal(1);
  });

  it('has no keys while the issuer was never reached, and recovers by itself', async () => {
    await jwks.stop();
    const keys = open();
    const refused = await keys.find('first').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(KeysUnavailable);
    expect(keys.ready).to.equal(false);
    await jwks.start();
    await eventually(async () => expect(await keys.find('first')).not.to.equal(undefined));
    expect(keys.ready).to.equal(true);
  });

  it('keeps its keys while the issuer is down', async () => {
    const keys = open(50);
    await keys.find('first');
    await jwks.stop();
    await eventually(async () => expect(failures.length).to.be.greaterThan(1));
    expect(await keys.find('first')).not.to.equal(undefined);
    expect(keys.ready).to.equal(true);
    await jwks.start();
  });

  it('has one log line for an issuer that is down, and one when its set is read again', async () => {
    await jwks.stop();
    const lines: [string, object][] = [];
    const write = (fields: object, message: string) => void lines.push([message, fields]);
    const { onFailure, onRead } = logReads({ ...silentLog, warn: write, info: write });
    let reads = 0;
    source = remoteKeySource({
      ...{ url: jwks.url, refreshMs: 50, onRead },
      onFailure(error) {
        reads += 1;
        onFailure(error);
      },
    });
    await eventually(async () => expect(reads).to.be.at.least(3));
    expect(lines.map(([message]) => message)).to.deep.equal(['the key set cannot be read']);
    expect(lines[0]?.[1]).to.have.keys('reason', 'cause');
    await jwks.start();
    await eventually(async () => expect(lines).to.have.length(2));
    const [, [message, fields] = ['', {}]] = lines;
    expect(message).to.equal('the key set is read again');
    expect(fields).to.have.property('lastedS').that.is.above(0);
  });

  it('learns a new key when a token asks for it, and not for every unknown one', async () => {
    const keys = open();
    await keys.find('first');
    jwks.serve([first.jwk, second.jwk]);
    expect(await keys.find('second')).not.to.equal(undefined);
    const before = jwks.requests();
    const found = await Promise.all(
      Array.from({ length: 200 }, (_, n) => keys.find(`unknown-${n}`)),
    );
    expect(found.every((key) => key === undefined)).to.equal(true);
    expect(jwks.requests() - before).to.be.at.most(1);
  });

  it('drops a key that is gone from two reads in a row, and tells', async () => {
    const keys = open(50);
    await keys.find('first');
    const removed: string[] = [];
    keys.onRemoved((kids) => removed.push(...kids));
    jwks.serve([second.jwk]);
    await eventually(async () => expect(removed).to.deep.equal(['first']));
    expect(await keys.find('first')).to.equal(undefined);
    expect(await keys.find('second')).not.to.equal(undefined);
  });

  const misbehaviour: readonly [string, (response: ServerResponse) => void][] = [
    ['a 500', (r) => r.writeHead(500).end('{}')],
    ['a page', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['an empty object', (r) => r.end('{}')],
    ['no keys', (r) => r.end('{"keys":[]}')],
    ['half a document', (r) => r.end('{"keys":[{"kty":"RSA"')],
    ['a redirect', (r) => r.writeHead(302, { location: jwks.url }).end()],
    ['a megabyte', (r) => r.end(`{"keys":[],"x":"${'x'.repeat(1_000_000)}"}`)],
    ['no answer', () => undefined],
    ['an answer byte by byte', (r) => r.write('{')],
    ['seventeen keys', (r) => r.end(JSON.stringify({ keys: Array(17).fill(second.jwk) }))],
  ];
  for (const [given, answer] of misbehaviour) {
    it(`keeps its keys when the issuer answers with ${given}`, async () => {
      const keys = open(50);
      await keys.find('first');
      jwks.serveWith((_, response) => answer(response));
      await eventually(async () => {
        // An answer that is waited for must not be forgotten by the collector.
        collectGarbage();
        expect(failures.length).to.be.greaterThan(0);
      });
      expect(await keys.find('first')).not.to.equal(undefined);
    });
  }

  const bad: readonly [string, () => object][] = [
    ['of 1024 bits', () => small.jwk],
    ['with private parts', () => ({ ...second.jwk, d: 'AQAB' })],
    ['with a small exponent', () => ({ ...second.jwk, e: 'Aw' })],
    ['for encryption', () => ({ ...second.jwk, use: 'enc' })],
    ['for another algorithm', () => ({ ...second.jwk, alg: 'RS512' })],
    ['for HS256', () => ({ kty: 'oct', k: 'AAAA', kid: 'second', alg: 'HS256', use: 'sig' })],
    ['without alg', () => ({ ...second.jwk, alg: undefined })],
    ['without kid', () => ({ ...second.jwk, kid: undefined })],
    ['made by the generator of CVE-2017-15361', () => ({ ...second.jwk, n: rocaModulus() })],
  ];
  for (const [given, jwk] of bad) {
    it(`leaves a key out that is ${given}, and takes the good one beside it`, async () => {
      jwks.serveWith((_, response) => response.end(JSON.stringify({ keys: [jwk(), first.jwk] })));
      const keys = open();
      expect(await keys.find('first')).not.to.equal(undefined);
      expect(await keys.find('second')).to.equal(undefined);
    });
  }

  it('leaves both keys out that share a kid', async () => {
    jwks.serve([first.jwk, { ...second.jwk, kid: 'twice' }, { ...first.jwk, kid: 'twice' }]);
    const keys = open();
    expect(await keys.find('first')).not.to.equal(undefined);
    expect(await keys.find('twice')).to.equal(undefined);
  });

  describe('after a restart while the issuer is away', () => {
    let path: string;
    const kept = (url = jwks.url) =>
      documentFile(path, url, ({ message }) => failures.push(`file: ${message}`));
    const readOnce = async () => {
      const keys = open(60_000, kept());
      expect(await keys.find('first')).not.to.equal(undefined);
      keys.stop();
    };
    const rewrite = (change: (value: Record<string, unknown>) => unknown) =>
      writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
    const refusedBy = async (keys: KeySource) => {
      expect(await keys.find('first').catch((error: unknown) => error)).to.be.instanceOf(
        KeysUnavailable,
      );
      expect(keys.ready).to.equal(false);
    };
    beforeEach(() => {
      path = join(temporaryDirectory('cls-keys-'), 'deeper', 'key-set.json');
    });

    it('has the keys that were read last, and reports ready', async () => {
      await readOnce();
      await jwks.stop();
      const keys = open(60_000, kept());
      expect(await keys.find('first')).not.to.equal(undefined);
      expect(keys.ready).to.equal(true);
      expect(failures).to.have.length(1);
    });

    it('has no keys from a set that is older than any token', async () => {
      await readOnce();
      rewrite((set) => ({ ...set, readAt: new Date(Date.now() - 25 * 3_600_000).toISOString() }));
      await jwks.stop();
      await refusedBy(open(60_000, kept()));
    });

    it('has keys that could not be kept at first, and says that once', () => {
      const file = kept();
      const folder = dirname(path);
      writeFileSync(folder, ''); // A disk that is full fails as well.
      for (const document of ['one', 'two']) file.keep(document);
      expect(failures).to.have.length(1);
      rmSync(folder);
      file.keep('three');
      expect(file.load()?.document).to.equal('three');
    });

    for (const [fault, spoil] of [
      ['is cut', () => writeFileSync(path, readFileSync(path).subarray(0, 100))],
      ['is dated in the future', () => rewrite((set) => ({ ...set, readAt: '2999-01-01' }))],
      ['has no date', () => rewrite(({ readAt: _, ...set }) => set)],
      ['came from another address', () => rewrite((set) => ({ ...set, url: 'https://x.test' }))],
      ['holds no key set', () => rewrite((set) => ({ ...set, document: 'keys' }))],
    ] as const) {
      it(`has no keys from a file that ${fault}`, async () => {
        await readOnce();
        spoil();
        await jwks.stop();
        await refusedBy(open(60_000, kept()));
      });
    }

    it('asks the issuer first: a key that is gone meanwhile is not taken from the file', async () => {
      await readOnce();
      jwks.serve([second.jwk]);
      const keys = open(60_000, kept());
      expect(await keys.find('second')).not.to.equal(undefined);
      expect(await keys.find('first')).to.equal(undefined);
    });

    it('tells that a key of the file is removed once the issuer answers without it', async () => {
      await readOnce();
      await jwks.stop();
      const keys = open(50, kept());
      const removed: string[] = [];
      keys.onRemoved((kids) => removed.push(...kids));
      expect(await keys.find('first')).not.to.equal(undefined);
      jwks.serve([second.jwk]);
      await jwks.start();
      await eventually(async () => expect(await keys.find('second')).not.to.equal(undefined));
      expect(await keys.find('first')).to.equal(undefined);
      expect(removed).to.deep.equal(['first']);
    });

    it('works without the file where its folder cannot be made, and says so once', async () => {
      path = join(import.meta.filename, 'key-set.json');
      const keys = open(60_000, kept());
      expect(await keys.find('first')).not.to.equal(undefined);
      expect(failures).to.have.length(1);
      expect(failures[0]).to.match(/^file: /);
    });
  });
});

/** A power of 65537 modulo the product of the fingerprint's primes, raised to 2048 bits. */
function rocaModulus(): string {
  const primes = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
  ];
  const product = primes.reduce((all, prime) => all * BigInt(prime), 1n);
  const residue = 65_537n ** 7n % product;
  const modulus = residue + product * (2n ** 2047n / product + 1n);
  return Buffer.from(modulus.toString(16), 'hex').toString('base64url');
}
