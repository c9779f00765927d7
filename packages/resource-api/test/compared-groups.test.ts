import { Random } from '@cls/book-generator/random';
import type { Refusal } from '@cls/shared/http/refusal';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { outstandingPrincipal } from '../src/ledger/balance.ts';
import { GROUPINGS, type Grouping, LEVELS, NO_FILTER } from '../src/questions/ask/balance-store.ts';
import type { GroupTotal, ToldGroup } from '../src/questions/totals/group-sums.ts';
import { type GroupsAnswer, groupsReader } from '../src/questions/totals/read-groups.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { CUSTOMERS, callerOf, openAskedBook, WHOLE } from './support/asked-book.ts';
import { date, importWorldBank, postPrincipal, statement } from './support/book.ts';

const QUESTIONS = 70;
const BEFORE_BOOK = ['as_of_before_book', 'known_at_before_book'];

/** What a group comes to: the number of items, and each sum by its name. */
type Sums = Readonly<Record<string, bigint | number | undefined>>;

describeOnDatabase('totals by group that compare two times', (engine) => {
  const random = new Random(59);
  const book = openAskedBook(engine, random);

  it('are those of two plain answers, joined by group, for every caller, filter and two times', async function () {
    this.timeout(0);
    // Some by a guess of the groups that matter, some without one.
    const readers = [1, 1_000].map((guessed) => groupsReader(book().store, book().times, guessed));
    const met = { gone: 0, goneInRest: 0, came: 0, stayed: 0, rest: 0, beforeBook: 0 };
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const readGroups = random.pick(readers as [(typeof readers)[number]]);
      const level = random.pick(LEVELS);
      const groupBy = random.pick(
        GROUPINGS.filter(
          (one) =>
            (one !== 'lender' || level === 'position') &&
            (one !== 'facilityType' || level !== 'deal'),
        ) as [Grouping],
      );
      const filter = random.chance(0.3) ? NO_FILTER : book().aFilter();
      const top = random.pick([1, 2, 3, 100]);
      const question = { ...book().aTime(), level, groupBy, filter, top };
      const other = book().aTime();
      const often = Array.from({ length: 8 }, () => other.asOf);
      const compare = {
        asOf: random.pick([date('2001-01-01'), undefined, ...often]),
        knownAt: random.chance(0.3) ? other.knownAt : undefined,
      };
      const caller = callerOf(random.pick(CUSTOMERS));
      const plain = (more: object): Promise<GroupsAnswer | undefined> =>
        readGroups(caller, { ...question, top: WHOLE, ...more }).catch(
          (error: Partial<Refusal>) => {
            if (BEFORE_BOOK.includes(error.details?.code ?? '')) return undefined;
            throw error;
          },
        );
      const now = await plain({});
      if (now === undefined) continue;
      const answer = await readGroups(caller, { ...question, compare });
      const note = JSON.stringify({ ...question, compare, customer: caller.customer });
      const then = await plain({
        asOf: compare.asOf ?? answer.snapshot.asOf,
        knownAt: compare.knownAt ?? question.knownAt,
      });
      expect(answer.totals.map(sumsOf), note).to.deep.equal(now.totals.map(sumsOf));
      expect(answer.comparison?.totals.map(sumsOf), note).to.deep.equal(
        (then?.totals ?? []).map(sumsOf),
      );
      if (then === undefined) {
        expect(answer.comparison?.snapshot, note).to.equal(undefined);
        const told = [...answer.groups, ...answer.rest];
        expect(
          told.filter(({ compared }) => compared !== undefined),
          note,
        ).to.deep.equal([]);
        met.beforeBook += 1;
        continue;
      }
      const { groups, rest } = joined(now.groups, then.groups, top);
      expect(answer.groups.map(toldOf), note).to.deep.equal(groups);
      expect(answer.rest.map(toldOf), note).to.deep.equal(rest);
      for (const [is, was] of groups.map(({ is, was }) => [is['count'], was['count']])) {
        if (is === 0) met.gone += 1;
        else if (was === 0) met.came += 1;
        else met.stayed += 1;
      }
      met.rest += rest.length;
      met.goneInRest += rest.filter(({ is }) => is['count'] === 0).length;
    }
    for (const [what, times] of Object.entries(met)) expect(times, what).to.be.greaterThan(0);
  });
});

/**
 * By naive reading of two answers that tell all groups: those that there are come first, then those
 * that there were, each by principal; and in the rest is what has no place.
 */
function joined(are: readonly GroupTotal[], were: readonly GroupTotal[], top: number) {
  const all = [...are, ...were];
  const rowOf = (currency: string, names: readonly (string | null)[], group: string | null) => {
    const sums = (groups: readonly GroupTotal[]) =>
      addedUp(groups.filter((one) => one.currency === currency && names.includes(one.group)));
    return { currency, group, is: sums(are), was: sums(were) };
  };
  const currencies = [...new Set(all.map(({ currency }) => currency))].sort();
  const found = currencies.map((currency) => {
    const own = all.filter((one) => one.currency === currency);
    return { currency, names: [...new Set(own.map(({ group }) => group))] };
  });
  return {
    groups: found.flatMap(({ currency, names }) =>
      names.slice(0, top).map((group) => rowOf(currency, [group], group)),
    ),
    rest: found.flatMap(({ currency, names }) =>
      names.length > top ? [rowOf(currency, names.slice(top), null)] : [],
    ),
  };
}

function addedUp(groups: readonly GroupTotal[]): Sums {
  const none = { count: 0, principal: 0n, unfunded: 0n, interest: 0n, fees: 0n };
  const all = { ...none, commitment: 0n, available: 0n, pastDue: 0n, warnings: 0 };
  return groups.map(sumsOf).reduce<Sums>((sum, one) => {
    const names = Object.keys(sum);
    return Object.fromEntries(
      names.map((name) => [name, (sum[name] as never) + (one[name] as never)]),
    );
  }, all);
}

function sumsOf({ count, balance, details }: GroupTotal): Sums {
  return {
    count,
    principal: outstandingPrincipal(balance),
    unfunded: balance.unfunded,
    interest: balance.interest_accrued,
    fees: balance.fees_accrued,
    commitment: details?.commitment,
    available: details?.available,
    pastDue: details?.pastDue,
    warnings: details?.warnings,
  };
}

function toldOf(told: ToldGroup) {
  const { currency, group, compared } = told;
  return { currency, group, is: sumsOf(told), was: compared && sumsOf(compared) };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

describeOnDatabase('compareAsOf and compareKnownAt of totals', (engine) => {
  let api: TestApi;
  let known = '';
  const loan = (number: string, country: string, due: string) => ({
    'Loan Number': number,
    'Country / Economy Code': country,
    'Country / Economy': country,
    'Original Principal Amount': '1000',
    'Disbursed Amount': due,
    'Undisbursed Amount': `${1000 - Number(due)}`,
    'Due to IBRD': due,
    "Borrower's Obligation": due,
    'Loans Held': '1000',
  });
  before(async () => {
    api = await startTestApi(engine);
    const rows = [loan('A', 'IN', '100'), loan('B', 'BR', '200'), loan('C', 'KE', '300')];
    await importWorldBank(api.database, statement('01/31/2025', rows));
    known = (await totals('')).meta.knownAt;
    await postPrincipal(api.database, 'A', 'advance', '2025-03-10', 250_00n);
  });
  after(() => api?.stop());
  const raw = async (query: string) =>
    api.getWith(`/api/v1/cls/balances/totals${query}`, await api.token(), {
      accept: 'application/json',
    });
  const totals = async (query: string): Promise<Json> => {
    const response = await raw(query);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const without = (object: Json, ...names: readonly string[]) =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
  const row = ({ value, principalOutstanding, compared }: Json) => [
    ...(value === undefined ? [] : [value]),
    principalOutstanding,
    compared?.principalOutstanding ?? null,
  ];

  it('say of each group, of all others and of all what was known then', async () => {
    const query = '?asOf=2025-03-31&groupBy=country&top=1';
    const answer = await totals(`${query}&compareKnownAt=${known}`);
    const plain = await totals(`?asOf=2025-03-31&groupBy=country&knownAt=${known}`);
    expect(answer.data.map(row)).to.deep.equal([['IN', '350.00', '100.00']]);
    expect(answer.rest.map(row)).to.deep.equal([['500.00', '500.00']]);
    const india = plain.data.find(({ value }: Json) => value === 'IN');
    const sums = without(india, 'object', 'groupBy', 'value', 'name');
    expect(answer.data[0].compared).to.deep.equal(sums);
    expect(answer.comparedTotals).to.deep.equal(plain.totals);
    expect(answer.meta.compared).to.deep.equal(without(plain.meta, 'apiVersion'));
    const alone = await totals(query);
    expect(without(answer.meta, 'compared')).to.deep.equal(alone.meta);
    expect(answer.totals).to.deep.equal(alone.totals);
    expect(alone.data[0]).not.to.have.property('compared');
    expect(alone).not.to.have.property('comparedTotals');
  });

  it('say that nothing was there before the book', async () => {
    for (const time of ['compareAsOf=2001-01-01', 'compareKnownAt=2001-01-01T00:00:00Z']) {
      const answer = await totals(`?asOf=2025-03-31&groupBy=country&top=2&${time}`);
      expect(
        [...answer.data, ...answer.rest].map(({ compared }: Json) => compared),
        time,
      ).to.deep.equal([null, null, null]);
      expect([answer.comparedTotals, answer.meta.compared], time).to.deep.equal([[], null]);
    }
  });

  it('compare the whole where nothing is grouped', async () => {
    const answer = await totals('?asOf=2025-03-31&compareAsOf=2025-01-31');
    expect([answer.data, answer.rest]).to.deep.equal([[], []]);
    expect(row(answer.totals[0])).to.deep.equal(['850.00', null]);
    expect(row(answer.comparedTotals[0])).to.deep.equal(['600.00', null]);
  });

  it('are refused by their names, in the future and where they are no times', async () => {
    const cases = [
      ['?compareAsOf=2150-01-01', 'as_of_in_future'],
      ['?compareKnownAt=2150-01-01T00:00:00Z', 'known_at_in_future'],
      ['?compareAsOf=soon', 'invalid_date'],
    ] as const;
    for (const [query, code] of cases) {
      const response = await raw(query);
      const { errors } = (await response.json()) as Json;
      expect([response.status, errors[0].code], query).to.deep.equal([400, code]);
      expect(errors[0].parameter, query).to.match(/^compare/);
    }
  });
});
