import { Random } from '@cls/book-generator/random';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import type { BookRecord } from '../src/journal-file/record.ts';
import { formatRate } from '../src/ledger/rate.ts';
import { LEVELS, NO_FILTER } from '../src/questions/ask/balance-store.ts';
import { CUSTOMERS, callerOf, openAskedBook } from './support/asked-book.ts';

const QUESTIONS = 40;

interface Due {
  readonly facility: string;
  readonly line: bigint;
  readonly account: string;
  readonly due_date: string | null;
  readonly amount: bigint;
}

describeOnDatabase('the terms of items', (engine) => {
  const random = new Random(97);
  const book = openAskedBook(engine, random);

  const byId = <T extends BookRecord['object']>(object: T) =>
    new Map(
      book()
        .records.filter(
          (one): one is Extract<BookRecord, { object: T; id: string }> => one.object === object,
        )
        .map((one) => [one.id, one] as const),
    );

  it('are those of the records, and of what the caller may see, at any two times', async function () {
    this.timeout(0);
    const [deals, facilities, positions] = [byId('deal'), byId('facility'), byId('position')];
    let rated = 0;
    let paying = 0;
    let stepped = 0;
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const level = random.pick(LEVELS);
      const { asOf, knownAt } = book().aTime();
      const expand = new Set(['terms', 'accrual', 'rates'] as const);
      const filter = { ...NO_FILTER, includeZero: true };
      const caller = callerOf(random.pick(CUSTOMERS));
      const question = { level, asOf, knownAt, filter, expand };
      const { readings, snapshot } = await book().readings(caller, question);
      const dues = await duesAt(snapshot.asOf, snapshot.ledgerSeq);
      const note = JSON.stringify({ level, asOf, knownAt, customer: caller.customer });
      for (const { item, terms, accruals } of readings) {
        expect(terms?.agent.id, note).to.equal(deals.get(item.deal.id)?.agent);
        const facility = facilities.get(item.facility?.id ?? '');
        expect(terms?.dayCount, note).to.equal(level === 'deal' ? null : facility?.dayCount);
        const lenders = terms?.positions.map(({ lender }) => lender.id) ?? [];
        const own =
          item.position === null
            ? item.lenders.map(({ lender }) => lender.id)
            : [item.position.lenderId];
        expect([...new Set(lenders)], note).to.have.members(own);
        for (const { id, kind, lender, facilityId } of terms?.positions ?? []) {
          const record = positions.get(id);
          expect([kind, lender.id, facilityId]).to.deep.equal([
            record?.kind,
            record?.lender,
            record?.facility,
          ]);
        }
        if (level === 'contract') {
          const rates = terms?.rates ?? [];
          expect(rates.at(-1) ?? null, note).to.deep.equal(terms?.rate);
          const days = rates.map(({ since }) => since);
          expect(days, note).to.deep.equal([...new Set(days)].sort());
          const interest = accruals.find(({ component }) => component === 'interest');
          for (const { start, allInRate } of interest?.periods() ?? []) {
            const then = rates.findLast(({ since }) => since <= start);
            expect(then?.allIn, note).to.equal(formatRate(allInRate));
            stepped += rates.length > 1 ? 1 : 0;
          }
        }
        // What accrued last accrued by the rate, where it holds since before the date.
        const last = accruals
          .find(({ component }) => component === 'interest')
          ?.periods()
          .at(-1);
        const rate = terms?.rate;
        if (
          level === 'contract' &&
          last?.end === snapshot.asOf &&
          rate &&
          rate.since < snapshot.asOf
        ) {
          expect(rate.allIn, note).to.equal(formatRate(last.allInRate));
          rated += 1;
        }
        if (level === 'facility') {
          const next = nextOf(
            dues.filter((one) => one.facility === item.facility?.id),
            snapshot.asOf,
          );
          expect(terms?.nextPaymentDate, `${note} ${item.facility?.id}`).to.equal(next);
          if (next !== null) paying += 1;
        }
      }
    }
    expect(rated).to.be.greaterThan(10);
    expect(stepped).to.be.greaterThan(0);
    expect(paying).to.be.greaterThan(0);
  });

  /** Every posting to what is due of global lines. */
  const duesAt = (asOf: string, seq: bigint) =>
    book().database.query<Due>(
      `SELECT f.id AS facility, p.line_key AS line, p.account::text AS account,
         p.due_date::text AS due_date, p.amount_minor AS amount
       FROM posting p JOIN balance_line l ON l.key = p.line_key
       JOIN facility f ON f.key = l.facility_key
       WHERE p.account IN ('PRINCIPAL_DUE', 'INTEREST_DUE', 'FEES_DUE') AND l.lender_key = 0
         AND p.effective_date <= $1 AND p.journal_seq <= $2`,
      [asOf, seq],
    );
});

/** The oldest bills are paid first; the next one is the first open bill that is due from the date on. */
function nextOf(dues: readonly Due[], asOf: string): string | null {
  const open: string[] = [];
  for (const key of new Set(dues.map(({ line, account }) => `${line} ${account}`))) {
    const own = dues.filter(({ line, account }) => `${line} ${account}` === key);
    const bills = new Map<string, bigint>();
    for (const { due_date: day, amount } of own) {
      if (day !== null) bills.set(day, (bills.get(day) ?? 0n) + amount);
    }
    let left = own.reduce((sum, { amount }) => sum + amount, 0n);
    // From the newest bill on: what is due is of the newest bills.
    for (const [day, billed] of [...bills].sort(([a], [b]) => (a < b ? 1 : -1))) {
      if (day < asOf || left <= 0n) break;
      if (billed > 0n) open.push(day);
      left -= billed;
    }
  }
  return open.sort()[0] ?? null;
}
