import { expect } from 'chai';
import fc from 'fast-check';
import { IdSet } from '../src/journal-file/id-set.ts';

describe('a set of ids by fingerprint', () => {
  it('answers as a set of strings does, however large it grows', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3_000), { maxLength: 6_000 }), (numbers) => {
        const ids = new IdSet();
        const strings = new Set<string>();
        for (const id of numbers.map(String)) {
          expect(ids.has(id)).to.equal(strings.has(id));
          expect(ids.add(id)).to.equal(!strings.has(id));
          strings.add(id);
        }
        expect([...strings].every((id) => ids.has(id))).to.equal(true);
      }),
      { numRuns: 25 },
    );
  });
});
