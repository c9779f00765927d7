import { Readable } from 'node:stream';
import { expect } from 'chai';
import { codingFor } from '../src/http/compression.ts';

const PAGE = Buffer.alloc(5_000);

describe('the coding of a body', () => {
  const cases: readonly (readonly [string | undefined, string | undefined])[] = [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['*', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip; q=0.5 , br; q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0', undefined],
    ['*;q=0', undefined],
    ['br;q=0.1, identity', undefined],
    ['br;q=, gzip', 'gzip'],
  ];
  for (const [header, coding] of cases) {
    it(`is ${coding ?? 'none'} for Accept-Encoding: ${header ?? '(absent)'}`, () => {
      expect(codingFor(header, PAGE)).to.equal(coding);
    });
  }

  it('is none for a body that fits a packet', () => {
    expect(codingFor('br, gzip', Buffer.alloc(1_000))).to.equal(undefined);
  });

  it('is gzip for a stream', () => {
    expect(codingFor('br, gzip;q=0.5', Readable.from([]))).to.equal('gzip');
    expect(codingFor('br', Readable.from([]))).to.equal(undefined);
  });
});
