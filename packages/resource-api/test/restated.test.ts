import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import type { BookRecord, JournalRecord } from '../src/journal-file/record.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';
import {
  aCommitment,
  aFacility,
  aJournal,
  aLoan,
  aParty,
  aPosition,
  entry,
} from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

describeOnDatabase('what was reported before', (engine) => {
  let api: TestApi;
  // When a date was reported first is said of the whole book.
  beforeEach(async () => {
    api = await startTestApi(engine);
  });
  afterEach(() => api?.stop());

  const ask = async (query: string, resource = ''): Promise<Json> => {
    const response = await api.get(`/api/v1/cls/balances${resource}?limit=1000&${query}`);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };

  it('is field by field what the API answers with its knownAt, shares included', async () => {
    const book = generated({ contracts: 12, years: 1, seed: 11 });
    const [first, late] = partLate(book.records, 5);
    await loadRecords(api.database, first);
    for (const some of late) await loadRecords(api.database, some);
    const days = ['2023-06-30', '2023-10-02', '2023-12-31'];
    let restated = 0;
    for (const level of ['deal', 'facility', 'contract', 'position']) {
      for (const asOf of days) {
        for (const resource of ['', '/principal']) {
          const query = `level=${level}&asOf=${asOf}&includeZero=true`;
          const { data } = await ask(query, resource);
          const knownAt = data.map(({ provenance }: Json) => provenance.restatedFrom?.knownAt);
          const [reported] = knownAt.filter(Boolean);
          expect(reported, `${query} has nothing restated`).to.match(/Z$/);
          const then = await ask(`${query}&knownAt=${reported}`, resource);
          const before = new Map(then.data.map((item: Json) => [item.id, amountsOf(item)]));
          for (const item of data) {
            const { restatedFrom } = item.provenance;
            const was = before.get(item.id);
            if (was === undefined) continue;
            const told = restatedFrom === null ? amountsOf(item) : withoutTime(restatedFrom);
            expect(told, `${query} ${item.id}`).to.deep.equal(was);
            restated += restatedFrom === null ? 0 : 1;
          }
        }
      }
    }
    expect(restated).to.be.greaterThan(50);
  });

  it('is shown for a sublimit when a late drawing of its facility leaves less available', async () => {
    const [borrower, anna] = [aParty('Borrower'), aParty('Anna')];
    const loan = aLoan(borrower, [anna], { type: 'revolver' });
    const swingline = aFacility(loan.deal, { type: 'swingline', sublimitOf: loan.facility.id });
    const both = (amount: string) => [[undefined, amount] as const, [anna, amount] as const];
    const committed = (facility: typeof swingline, amount: string) =>
      aCommitment({ deal: loan.deal, facility }, '2024-01-02', both(amount));
    const drawn = (day: string, amount: string) =>
      aJournal(loan.deal, 'advance', day, [
        ...entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], both(amount), { movement: 'advance' }),
        ...entry({ facility: loan.facility }, ['UNFUNDED', 'MEMO'], both(`-${amount}`)),
      ]);
    await loadRecords(api.database, [borrower, anna, ...loan.all, swingline]);
    await loadRecords(api.database, [aPosition(swingline, anna)]);
    await loadRecords(api.database, [
      committed(loan.facility, '100.00'),
      committed(swingline, '50.00'),
    ]);
    await loadRecords(api.database, [drawn('2024-12-31', '1.00')]);
    await loadRecords(api.database, [drawn('2024-05-01', '80.00')]);
    for (const level of ['facility', 'position']) {
      const query = `level=${level}&asOf=2024-06-30&facilityId=${swingline.id}`;
      const { data } = await ask(`${query}&restated=true`);
      expect(data, level).to.have.length(1);
      const own = level === 'position' ? 'share' : 'global';
      expect(data[0][own].commitment.available, level).to.equal('20.00');
      const { restatedFrom } = data[0].provenance;
      expect(restatedFrom[own].commitment.available, level).to.equal('50.00');
    }
  });

  it('has the amounts past due of then, where a bill was taken back late', async () => {
    const [borrower, anna] = [aParty('Borrower'), aParty('Anna')];
    const loan = aLoan(borrower, [anna], { availabilityEndDate: date('2025-12-01') });
    const both = (amount: string) => [[undefined, amount] as const, [anna, amount] as const];
    const billed = (amount: string) =>
      entry(loan, ['INTEREST_DUE', 'INTEREST_INCOME'], both(amount), {
        dueDate: date('2025-02-01'),
      });
    const bill = aJournal(loan.deal, 'interest_billing', '2025-01-15', billed('337.84'));
    const unfunded = entry({ facility: loan.facility }, ['UNFUNDED', 'MEMO'], both('50.00'));
    await loadRecords(api.database, [
      borrower,
      anna,
      ...loan.all,
      aJournal(loan.deal, 'original_commitment', '2025-01-01', unfunded),
      bill,
      aJournal(loan.deal, 'terms', '2025-12-31', []),
    ]);
    await loadRecords(api.database, [
      aJournal(loan.deal, 'interest_billing', '2025-01-15', billed('-337.84'), {
        reverses: bill.id,
      }),
      aJournal(loan.deal, 'terms', '2025-02-15', [], {
        terms: [
          {
            facility: loan.facility.id,
            status: 'active',
            availabilityEndDate: date('2025-02-10'),
          },
        ],
      }),
    ]);
    const { data } = await ask(`dealId=${loan.deal.id}&asOf=2025-03-01&includeZero=true`);
    const { global, provenance } = data[0];
    expect(global.interest.pastDue).to.equal('0.00');
    expect(provenance.restatedFrom.global.interest.pastDue).to.equal('337.84');
    expect(provenance.restatedFrom.lenders[0].total.pastDue).to.equal('337.84');
    // What may be drawn follows from terms, which move no balance.
    expect(global.commitment.available).to.equal('0.00');
    expect(provenance.restatedFrom.global.commitment.available).to.equal('50.00');
  });

  it('names the lenders as they were known then', async () => {
    const [borrower, anna] = [aParty('Borrower'), aParty('Anna')];
    const loan = aLoan(borrower, [anna]);
    const drawn = (amount: string) => {
      const both = [[undefined, amount] as const, [anna, amount] as const];
      const postings = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], both, {
        movement: 'advance',
      });
      return aJournal(loan.deal, 'advance', '2025-01-15', postings);
    };
    const post = (records: readonly BookRecord[]) => loadRecords(api.database, records);
    // The book reaches the date, so that it is reported.
    const reached = aJournal(loan.deal, 'terms', '2025-12-31', []);
    await post([borrower, anna, ...loan.all, drawn('10.00'), reached]);
    const renamed = { details: [{ party: anna.id, name: 'Anna, as renamed' }] };
    await post([aJournal(loan.deal, 'terms', '2025-01-10', [], renamed), drawn('5.00')]);
    for (const resource of ['', '/principal']) {
      const query = `level=position&dealId=${loan.deal.id}&asOf=2025-01-31`;
      const { data } = await ask(query, resource);
      const { share, provenance } = data[0];
      expect(share.lender.name).to.equal('Anna, as renamed');
      expect(provenance.restatedFrom.share.lender.name).to.equal('Anna');
      const whole = await ask(query.replace('position', 'facility'), resource);
      expect(whole.data[0].provenance.restatedFrom.lenders[0].lender.name).to.equal('Anna');
    }
  });
});

function withoutTime({ knownAt: _, ...amounts }: Json): Json {
  return amounts;
}

/** Of an answer the fields that `restatedFrom` has. */
function amountsOf({ object, global, share, lenders }: Json): Json {
  const closing = ({ lender, fraction, closing: amount }: Json) => ({
    lender,
    fraction,
    closing: amount,
  });
  const line = object === 'balance' ? (one: Json) => one : closing;
  return {
    ...(object === 'balance' ? { global } : { closing: global.closing }),
    share: share && line(share),
    ...(lenders === undefined ? {} : { lenders: lenders.map(line) }),
  };
}

/** Some journals become known only after the whole book was reported, in several transactions. */
function partLate(
  records: readonly BookRecord[],
  every: number,
): readonly [readonly BookRecord[], readonly (readonly JournalRecord[])[]] {
  const late = new Set<string>();
  const held: JournalRecord[] = [];
  const first = records.filter((record, index) => {
    if (record.object !== 'journal') return true;
    const waits = index % every === 0 || late.has(record.reverses ?? '');
    if (!waits || record.type === 'original_commitment') return true;
    late.add(record.id);
    held.push(record);
    return false;
  });
  const half = Math.ceil(held.length / 2);
  return [first, [held.slice(0, half), held.slice(half)]];
}
