import { Random } from '@cls/book-generator/random';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/store/sql-entitlements.ts';
import { lenderOf, postInAnyOrder } from './support/any-order.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { datedFacts } from './support/dated-facts.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const QUESTIONS = 24;
const LEVELS = ['deal', 'facility', 'contract', 'position'] as const;
const CUSTOMERS = [undefined, undefined, 'agency', 'lender', 'germany'] as const;

/** Which items of a list pass, by what the list tells of them. */
type Passes = (item: Json, facilities: readonly Json[]) => boolean;

describeOnEngines('filters that leave some items', (engine) => {
  const random = new Random(47);
  let api: TestApi;
  let times: readonly [string, ...string[]];

  before(async function () {
    this.timeout(0);
    api = await startTestApi(engine);
    const { database } = api;
    const records = await postInAnyOrder(database, random, (book) => datedFacts(book, random));
    const entitlements = sqlEntitlements(database);
    const grant = (customer: string, role: string, deals: object) =>
      entitlements.grant({
        ...{ customer, role, deals },
        lenderId: role === 'lender' ? lenderOf(records) : undefined,
      } as never);
    await grant('agency', 'agent', { allDeals: true });
    await grant('lender', 'lender', { allDeals: true });
    await grant('germany', 'agent', { country: 'DE' });
    const [newest] = await database.query<{ at: string }>(
      `SELECT max(posted_at)::text AS at FROM journal`,
    );
    times = [new Date(`${newest?.at}`).toISOString()];
  });
  after(() => api?.stop());

  const walk = async (path: string, customer: string | undefined): Promise<Json> => {
    const claims = customer === undefined ? undefined : viewer(customer);
    const data: Json[] = [];
    let first: Json;
    for (let next: string | undefined = path; next !== undefined; ) {
      const response = await api.get(`/api/v1${next}`, claims);
      const body = (await response.json()) as Json;
      expect(response.status, `${next} ${JSON.stringify(body)}`).to.equal(200);
      first ??= body;
      data.push(...body.data);
      const { nextCursor, limit } = body.page;
      next = nextCursor && `${path.split('?')[0]}?limit=${limit}&cursor=${nextCursor}`;
      if (next === null) next = undefined;
    }
    return { ...first, data };
  };

  const aFilter = (): readonly [string, Passes] => {
    const from = random.pick(['2023-06-01', '2024-01-31', '2026-06-30']);
    const to = random.pick(['2024-01-31', '2026-06-30', '2031-12-31', '2040-01-01']);
    return random.pick<() => readonly [string, Passes]>([
      () => [`maturityFrom=${from}`, matures((day) => day >= from)],
      () => [`maturityTo=${to}`, matures((day) => day <= to)],
      () => [
        `maturityFrom=2024-01-31&maturityTo=${to}`,
        matures((day) => day >= '2024-01-31' && day <= to),
      ],
      () => ['pastDue=true', isLate],
      () => ['restated=true', ({ provenance }) => provenance.restated],
      () => [
        'pastDue=true&restated=true',
        (item, all) => isLate(item, all) && item.provenance.restated,
      ],
      () => ['pastDue=false&restated=false', () => true],
    ])();
  };

  it('leave what the list tells, at any date, as known at any time, for every caller, and add up', async function () {
    this.timeout(0);
    const rows = await api.database.query<{ at: string }>(
      `SELECT DISTINCT to_char(posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
       FROM journal`,
    );
    times = [times[0], ...rows.map(({ at }) => at)];
    const found = new Map<string, number>();
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const customer = random.pick(CUSTOMERS);
      const level = random.pick(LEVELS);
      const [filter, passes] = aFilter();
      const day = random.pick(['2023-06-30', '2024-03-15', '2024-12-31', '2025-06-30']);
      const known = random.chance(0.6) ? '' : `&knownAt=${random.pick(times)}`;
      const also = random.pick(['', '&currency=USD', '&includeZero=true', '&sort=-outstanding']);
      const at = `asOf=${day}${known}`;
      const resource = random.pick(['/cls/balances', '/cls/balances', '/cls/balances/principal']);
      const question = `level=${level}&${at}${also}`;
      const note = `${resource}?${question}&${filter} for ${customer}`;
      const probe = await api.get(`/api/v1${resource}?${question}&limit=1`);
      // The book may begin later, as known then.
      if (probe.status === 400) continue;
      const every = await walk(`/cls/balances?${question}&limit=1000`, customer);
      const facilities = await walk(
        `/cls/balances?level=facility&${at}&includeZero=true&limit=1000`,
        customer,
      );
      const expected = every.data.filter((item: Json) => passes(item, facilities.data));
      const limit = random.pick([1000, 1000, Math.ceil(expected.length / 2) || 1, 3]);
      const path = `${resource}?${question}&${filter}&limit=${limit}&include=totals`;
      const answer = await walk(path, customer);
      const idOf = ({ id }: Json) => id.slice(id.indexOf('_'));
      expect(answer.data.map(idOf), note).to.deep.equal(expected.map(idOf));
      const counts = answer.totals.map(({ currency, count }: Json) => [currency, count]);
      expect(counts, note).to.deep.equal(countsOf(expected));
      const accrued = answer.totals.map((total: Json) => total.interestAccrued);
      const sums = accrued.map((sum: string) => BigInt(sum.replace('.', '')));
      expect(sums, note).to.deep.equal(accruedOf(expected, level));
      found.set(filter, (found.get(filter) ?? 0) + expected.length);
    }
    for (const filter of ['pastDue=true', 'restated=true']) {
      expect(found.get(filter), filter).to.be.greaterThan(0);
    }
  });

  it('leave the same items in an export', async () => {
    for (const filter of ['pastDue=true', 'restated=true', 'maturityTo=2024-12-31']) {
      const path = `/cls/balances?level=position&asOf=2024-03-15&${filter}`;
      const { data } = await walk(`${path}&limit=1000`, undefined);
      const headers = { accept: 'application/x-ndjson' };
      const response = await api.getWith(`/api/v1${path}`, await api.token(), headers);
      const lines = (await response.text()).trimEnd().split('\n');
      const items = lines
        .map((line) => JSON.parse(line))
        .filter(({ object }) => object !== 'summary');
      expect(items, filter).to.deep.equal(data);
    }
  });

  it('are refused where they contradict each other, or are no dates', async () => {
    const path = '/api/v1/cls/balances?maturityFrom=2025-01-02&maturityTo=2025-01-01&pastDue=1';
    const { errors } = (await (await api.get(path)).json()) as Json;
    expect(errors.map(({ parameter, code }: Json) => [parameter, code])).to.deep.equal([
      ['maturityFrom', 'contradictory'],
      ['pastDue', 'invalid_parameter'],
    ]);
    const wrong = await api.get('/api/v1/cls/balances?maturityTo=2025-02-30');
    expect(((await wrong.json()) as Json).errors[0].code).to.equal('invalid_date');
  });
});

const matures =
  (within: (day: string) => boolean): Passes =>
  (item, facilities) => {
    const { level, contract, facility, deal, currency } = item;
    const days =
      level === 'deal'
        ? facilities
            .filter((one: Json) => one.deal.id === deal.id && one.currency === currency)
            .map((one: Json) => one.facility.maturityDate)
        : [(level === 'contract' ? contract : facility).maturityDate];
    return days.some((day: string | null) => day !== null && within(day));
  };

const isLate: Passes = ({ level, global, share }) => {
  const { pastDue } = (level === 'position' ? share : global).total;
  return !pastDue.startsWith('-') && /[1-9]/.test(pastDue);
};

function countsOf(items: readonly Json[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { currency } of items) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Sums in minor units, by currency. */
function accruedOf(items: readonly Json[], level: string): readonly bigint[] {
  const sums = new Map<string, bigint>();
  for (const { currency, global, share } of items) {
    const { accrued } = (level === 'position' ? share : global).interest;
    sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(accrued.replace('.', '')));
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
