import { parseBusinessDate } from '@cls/resource-api/ledger/business-date';
import { expect } from 'chai';
import { generateBook } from '../src/generate-book.ts';
import type { KnownAnswer } from '../src/generated-books.ts';

describe('a generated book', () => {
  it('has a history of thirty years too, in which nothing is repaid that was not drawn', () => {
    const from = parseBusinessDate('1960-01-15');
    if (from === undefined) throw new Error('no date');
    for (const uneven of [false, true]) {
      const answers: KnownAnswer[] = [];
      const plan = { contracts: 40, years: 30, seed: 2, from, sublimits: true, uneven };
      const journals = [...generateBook(plan, (answer) => answers.push(answer))].filter(
        ({ object }) => object === 'journal',
      );
      expect(journals).to.have.length.above(10_000);
      expect(answers.filter(({ principalCash }) => principalCash < 0n)).to.deep.equal([]);
    }
  });
});
