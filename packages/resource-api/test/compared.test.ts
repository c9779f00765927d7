import { Random } from '@cls/book-generator/random';
import type { Refusal } from '@cls/shared/http/refusal';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import type { FacilityRecord } from '../src/journal-file/record.ts';
import { LEVELS, NO_FILTER } from '../src/questions/ask/balance-store.ts';
import { comparedReader } from '../src/questions/lists/read-compared.ts';
import type { BalancePage } from '../src/questions/page/read-balances.ts';
import type { BalanceReading } from '../src/questions/page/read-items.ts';
import { presentItem, presentTotal } from '../src/versions/v1/present.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { CUSTOMERS, callerOf, openAskedBook } from './support/asked-book.ts';
import { date, importWorldBank, postPrincipal, statement } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import { aCommitment, aFacility, aLoan, aParty, aPosition } from './support/records.ts';

const QUESTIONS = 25;
const BEFORE_BOOK = ['as_of_before_book', 'known_at_before_book'];

describeOnDatabase('a list that compares two times', (engine) => {
  const random = new Random(54);
  const book = openAskedBook(engine, random);

  it('has of each item what the plain answer of the other time has, for every caller and filter', async function () {
    this.timeout(0);
    const readCompared = comparedReader(book().store, book().times);
    let found = 0;
    let absent = 0;
    let beforeBook = 0;
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const caller = callerOf(random.pick(CUSTOMERS));
      const filter = random.chance(0.3) ? NO_FILTER : book().aFilter();
      const question = {
        ...{ ...book().aTime(), level: random.pick(LEVELS), filter, totals: 'asked' as const },
        expand: new Set(random.chance(0.3) ? (['terms', 'accrual'] as const) : []),
      };
      const other = book().aTime();
      const compare = {
        asOf: random.chance(0.7) ? other.asOf : undefined,
        knownAt: random.chance(0.7) ? other.knownAt : undefined,
      };
      const page = await book().readings(caller, question);
      const items = page.readings.map(({ item }) => item);
      const { snapshot } = page;
      const compared = await readCompared(caller, {
        ...{ compare, question: page.question, filter: page.filter, snapshot, items },
      });
      const then = {
        ...question,
        asOf: compare.asOf ?? snapshot.asOf,
        knownAt: compare.knownAt ?? question.knownAt,
      };
      const note = JSON.stringify({ ...then, customer: caller.customer, was: question.asOf });
      const plain = (more: object): Promise<BalancePage | undefined> =>
        book()
          .readings(caller, { ...then, ...more })
          .catch((error: Partial<Refusal>) => {
            if (BEFORE_BOOK.includes(error.details?.code ?? '')) return undefined;
            throw error;
          });
      const whole = await plain({ filter: { ...NO_FILTER, includeZero: true } });
      if (whole === undefined || compared === undefined) {
        expect(compared, note).to.equal(undefined);
        expect(whole?.readings ?? [], note).to.deep.equal([]);
        beforeBook += 1;
        continue;
      }
      const asked2 = { ...whole, filter: page.filter };
      const byId = (readings: readonly BalanceReading[], from: typeof compared.page) => {
        const shown = readings.map((reading) => presentItem('balances', reading, from));
        return new Map(shown.map((item) => [item['id'], item]));
      };
      const [was, same] = [byId(compared.readings, compared.page), byId(whole.readings, asked2)];
      for (const id of byId(page.readings, page).keys()) {
        expect(was.get(id), note).to.deep.equal(same.get(id));
        if (was.has(id)) found += 1;
        else absent += 1;
      }
      const totals = (await plain({}))?.totals ?? [];
      const shown = (all: typeof totals) => all.map((total) => presentTotal(total, question.level));
      expect(shown(compared.totals ?? []), note).to.deep.equal(shown(totals));
    }
    expect(found).to.be.greaterThan(QUESTIONS);
    expect(absent + beforeBook).to.be.greaterThan(0);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

describeOnDatabase('compareAsOf and compareKnownAt', (engine) => {
  let api: TestApi;
  let known = '';
  const loan = (number: string, due: string) => ({
    'Loan Number': number,
    'Original Principal Amount': '1000',
    'Disbursed Amount': due,
    'Undisbursed Amount': `${1000 - Number(due)}`,
    'Due to IBRD': due,
    "Borrower's Obligation": due,
    'Loans Held': '1000',
  });
  before(async () => {
    api = await startTestApi(engine);
    const rows = [loan('A', '100'), loan('B', '200')];
    await importWorldBank(api.database, statement('01/31/2025', rows));
    known = (await list('')).meta.knownAt;
    await postPrincipal(api.database, 'A', 'advance', '2025-03-10', 50_00n);
  });
  after(() => api?.stop());
  const raw = async (query: string, accept = 'application/json') =>
    api.getWith(`/api/v1/cls/balances${query}`, await api.token(), { accept });
  const list = async (query: string): Promise<Json> => {
    const response = await raw(query);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const then = ({ data }: Json) =>
    data.map(({ compared }: Json) => compared?.global.principal.outstanding ?? null);

  it('say of each item, and of the totals, what was known then', async () => {
    const query = '?asOf=2025-03-31&sort=dealNumber&include=totals';
    const answer = await list(`${query}&compareKnownAt=${known}`);
    const plain = await list(`${query}&knownAt=${known}`);
    expect(answer.data.map(({ compared }: Json) => compared)).to.deep.equal(plain.data);
    expect(answer.comparedTotals).to.deep.equal(plain.totals);
    const { apiVersion: _, ...meta } = plain.meta;
    expect(answer.meta.compared).to.deep.equal(meta);
    const { compared: __, ...own } = answer.meta;
    expect(own).to.deep.equal((await list(query)).meta);
    expect((await list(query)).data[0]).not.to.have.property('compared');
  });

  it('go on with the pages of a walk, and with the fields that were asked for', async () => {
    const first = await list(
      `?asOf=2025-03-31&sort=dealNumber&compareAsOf=2025-01-31&limit=1&fields=id,global.principal.outstanding`,
    );
    const second = await list(`?limit=1&cursor=${first.page.nextCursor}`);
    expect([...then(first), ...then(second)]).to.deep.equal(['100.00', '200.00']);
    expect(Object.keys(first.data[0].compared)).to.deep.equal([
      'object',
      'id',
      'currency',
      'global',
    ]);
    expect(second.meta.compared).to.deep.equal(first.meta.compared);
  });

  it('say that nothing was there before the book', async () => {
    for (const time of ['compareAsOf=2001-01-01', 'compareKnownAt=2001-01-01T00:00:00Z']) {
      const answer = await list(`?asOf=2025-03-31&include=totals&${time}`);
      expect(then(answer), time).to.deep.equal([null, null]);
      expect([answer.comparedTotals, answer.meta.compared], time).to.deep.equal([[], null]);
    }
  });

  it('say of what changed since what it was', async () => {
    const answer = await list(`?asOf=2025-03-31&updatedSince=${known}&compareKnownAt=${known}`);
    expect(then(answer)).to.deep.equal(['100.00']);
  });

  it('are refused by their names: in the future, on exports, and where nothing compares', async () => {
    const cases = [
      ['?compareAsOf=2150-01-01', 'as_of_in_future'],
      ['?compareKnownAt=2150-01-01T00:00:00Z', 'known_at_in_future'],
      ['?compareAsOf=soon', 'invalid_date'],
      ['/principal?compareAsOf=2025-01-31', 'unknown_parameter'],
    ] as const;
    for (const [query, code] of cases) {
      const response = await raw(query);
      const { errors } = (await response.json()) as Json;
      expect([response.status, errors[0].code], query).to.deep.equal([400, code]);
      expect(errors[0].parameter, query).to.match(/^compare/);
    }
    const response = await raw('?compareAsOf=2025-01-31', 'text/csv');
    const [error] = ((await response.json()) as Json).errors;
    expect([error.parameter, error.code]).to.deep.equal(['compareAsOf', 'contradictory']);
  });

  it('say what a deal was before the book had the facility that it had first', async () => {
    const [borrower, lender] = [aParty('Borrower'), aParty('Lender')];
    const late = date('2025-02-15');
    const { deal, facility, contract, all } = aLoan(borrower, [lender], { bookedOn: late });
    const later = [facility, contract, ...all.filter(({ object }) => object === 'position')];
    const earlier = aFacility(deal);
    const commit = (to: FacilityRecord, day: string, amount: string) =>
      aCommitment({ deal, facility: to }, day, [
        [undefined, amount],
        [lender, amount],
      ]);
    await loadRecords(api.database, [
      ...[borrower, lender, deal],
      ...later.map((record) => ({ ...record, bookedOn: late }) as typeof record),
      ...[earlier, aPosition(earlier, lender)],
      commit(earlier, '2025-02-01', '40.00'),
      commit(facility, '2025-03-01', '60.00'),
    ]);
    const query = `?level=deal&dealId=${deal.id}`;
    const { data } = await list(`${query}&asOf=2025-03-31&compareAsOf=2025-02-10`);
    const plain = await list(`${query}&asOf=2025-02-10`);
    const unfunded = ({ global }: Json) => global.commitment.unfunded;
    expect([unfunded(data[0]), unfunded(data[0].compared)]).to.deep.equal(['100.00', '40.00']);
    expect(data[0].compared).to.deep.equal(plain.data[0]);
  });
});
