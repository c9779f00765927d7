import { expect } from 'chai';
import { checkJournal } from '../src/journal-file/check-journal.ts';
import { date } from './support/book.ts';
import { aJournal, aLoan, aParty } from './support/records.ts';

describe('the faults of one journal', () => {
  it('are all told, also where they are very many', () => {
    const { deal, facility } = aLoan(aParty('Borrower'), []);
    const rate = {
      facility: facility.id,
      component: 'commitment_fee',
      startDate: date('2024-01-02'),
    };
    const rates = Array(200_000).fill(rate);
    const journal = { ...aJournal(deal, 'rate_set', '2024-01-02', []), rates };
    const codes = checkJournal(journal, () => undefined).map(({ code }) => code);
    expect(codes.filter((code) => code === 'other_deal')).to.have.length(200_000);
    expect(codes.filter((code) => code === 'duplicate_fact')).to.have.length(199_999);
  });
});
