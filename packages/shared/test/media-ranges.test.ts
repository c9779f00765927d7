import { expect } from 'chai';
import { plainMediaRanges } from '../src/http/media-ranges.ts';

describe('an Accept header', () => {
  it('is read without the parameters of its media ranges, save their weights', () => {
    for (const [given, plain] of [
      ['application/json', 'application/json'],
      ['application/json; charset=utf-8', 'application/json'],
      ['text/csv; header=present', 'text/csv'],
      ['text/csv;header=present;q=0.2, */*;Q=0.1', 'text/csv;q=0.2, */*;Q=0.1'],
      ['a/b;x="1,2;q=0";q=0.5,c/d', 'a/b;q=0.5, c/d'],
      ['a/b;x="\\",";y=1 , c/d', 'a/b, c/d'],
      ['gzip;q=1.0, deflate', 'gzip;q=1.0, deflate'],
    ] as const) {
      expect(plainMediaRanges(given), given).to.equal(plain);
    }
  });

  it('is read in one pass, also where no quote of it is closed', () => {
    for (const part of ['"', '"\\"', ';"', ',"\\']) {
      expect(plainMediaRanges(`;${part.repeat(100_000)}`), part).to.be.a('string');
    }
  });
});
