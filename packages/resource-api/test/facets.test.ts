import { Random } from '@cls/book-generator/random';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import {
  FACETS,
  type Facet,
  LEVELS,
  type Level,
  NO_FILTER,
} from '../src/questions/ask/balance-store.ts';
import type { BalanceReading } from '../src/questions/page/read-items.ts';
import { facetsReader } from '../src/questions/totals/read-facets.ts';
import { CUSTOMERS, callerOf, openAskedBook } from './support/asked-book.ts';

const QUESTIONS = 40;

describeOnDatabase('the choices of a filter', (engine) => {
  const random = new Random(83);
  const book = openAskedBook(engine, random);

  it('are the values that the items of the list have, counted, for every caller and two times', async function () {
    this.timeout(0);
    const readFacets = facetsReader(book().store, book().times);
    let counted = 0;
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const level = random.pick(LEVELS);
      const fields = FACETS.filter((field) => field !== 'facilityType' || level !== 'deal');
      const question = {
        ...book().aTime(),
        reporting: undefined,
        level,
        filter: random.chance(0.3) ? NO_FILTER : book().aFilter(),
        fields,
        top: random.pick([1, 3, 100, 100]),
      };
      const caller = callerOf(random.pick(CUSTOMERS));
      const { readings } = await book().readings(caller, question);
      const { facets } = await readFacets(caller, question);
      const note = JSON.stringify({ ...question, customer: caller.customer });
      expect(facets.map(({ field }) => field)).to.deep.equal(fields);
      for (const { field, values, hasMore } of facets) {
        const expected = countsOf(readings, level, field);
        const shown = values.map(({ value, count }): [string, number] => [value, count]);
        for (const [value, count] of shown)
          expect(count, `${note} ${value}`).to.equal(expected.get(value));
        expect(shown.length, `${note} ${field}`).to.equal(Math.min(question.top, expected.size));
        expect(hasMore, note).to.equal(expected.size > question.top);
        const told = shown.map(([, count]) => count);
        expect(told, note).to.deep.equal(
          [...expected.values()].sort((a, b) => b - a).slice(0, told.length),
        );
        for (const { value, party } of values) {
          expect(party?.id, note).to.equal(
            field === 'lender' || field === 'borrower' ? value : undefined,
          );
        }
        counted += shown.length;
      }
    }
    expect(counted).to.be.greaterThan(QUESTIONS * 5);
  });
});

function countsOf(readings: readonly BalanceReading[], level: Level, field: Facet) {
  const counts = new Map<string, number>();
  for (const reading of readings) {
    for (const value of new Set(valuesOf(reading, level, field))) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}

function valuesOf({ item }: BalanceReading, level: Level, field: Facet): readonly string[] {
  const { borrower, currency, deal, facility, contract, position, lenders } = item;
  const status = level === 'deal' ? deal.status : (contract ?? facility)?.status;
  const values: Readonly<Record<Facet, readonly (string | undefined)[]>> = {
    country: [borrower.country],
    currency: [currency],
    status: [status],
    lender: position === null ? lenders.map(({ lender }) => lender.id) : [position.lenderId],
    borrower: [borrower.id],
    facilityType: [facility?.type],
  };
  return values[field].filter((value) => value !== undefined);
}
