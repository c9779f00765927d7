import { Random } from '@cls/book-generator/random';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import type { BookRecord } from '../src/journal-file/record.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { bookInAnyOrder } from './support/book-in-any-order.ts';
import { loadRecords } from './support/generated.ts';
import { expectReconciled } from './support/reconciled.ts';
import { aFacility, aJournal, aLoan, aParty, aPosition, entry } from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const QUESTIONS = 48;
const LEVELS = ['deal', 'facility', 'contract', 'position'] as const;
const CUSTOMERS = [undefined, undefined, 'agency', 'lender', 'germany'] as const;

/** Which items of a list pass, by what the list tells of them. */
type Passes = (item: Json, within: Within) => boolean;
/** Facilities and contracts of the book at the question's times, as the caller sees them. */
interface Within {
  readonly facilities: readonly Json[];
  readonly contracts: readonly Json[];
}
/** For filters by what the item itself tells. */
const NOTHING: Within = { facilities: [], contracts: [] };

describeOnDatabase('filters that leave some items', (engine) => {
  const random = new Random(47);
  let api: TestApi;
  let times: readonly [string, ...string[]];
  let names: readonly string[];
  let externals: ReadonlyMap<string, readonly string[]>;

  before(async function () {
    this.timeout(0);
    api = await startTestApi({
      ...engine,
      createLocation: (of) => engine.createLocation(of, bookInAnyOrder),
    });
    const { database } = api;
    await loadRecords(database, namedLoans());
    const called = await database.query<{ id: string; names: string[] }>(
      'SELECT entity_id AS id, array_agg(value) AS names FROM external_id GROUP BY entity_id',
    );
    externals = new Map(called.map((one) => [one.id, one.names]));
    names = (
      await database.query<{ name: string }>(
        `SELECT name FROM deal UNION SELECT name FROM facility UNION SELECT name FROM party
         UNION SELECT value FROM external_id UNION SELECT deal_number FROM deal ORDER BY name`,
      )
    ).map(({ name }) => name);
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
      () => ['daysPastDue=1-30,61-90', isLateFor(1, 30, 61, 90)],
      () => ['daysPastDue=0,31-60', isLateFor(0, 0, 31, 60)],
      () => ['daysPastDue=31-60&daysPastDue=over-90', isLateFor(31, 60, 91, Infinity)],
      () => ['restated=true', ({ provenance }) => provenance.restated],
      () => [
        'pastDue=true&restated=true',
        (item, within) => isLate(item, within) && item.provenance.restated,
      ],
      () => ['pastDue=false&restated=false', () => true],
      aSearch,
      aSearch,
      aSearch,
    ])();
  };

  const aSearch = (): readonly [string, Passes] => {
    const known = [...['Zeta', 'alpha', 'ÄRG', 'term', 'Borrower 1', 'no such name'], ...names];
    const word = () => {
      const [text = ''] = random
        .pick(known as [string])
        .split(/[ :_-]/)
        .slice(0, 1);
      return text.slice(0, random.between(2, Math.max(2, text.length)));
    };
    const words = random.chance(0.5) ? [word()] : [word(), word()];
    const search = words
      .filter((one) => /[\p{L}\p{N}]{2}/u.test(one))
      .join(random.pick([' ', ', ']));
    return search === ''
      ? ['restated=false', () => true]
      : [`q=${encodeURIComponent(search)}`, isNamed(search, externals)];
  };

  it('leave what the list tells, at any date, as known at any time, for every caller, and add up', async function () {
    this.timeout(0);
    const rows = await api.database.query<{ at: string }>(
      `SELECT DISTINCT to_char(posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
       FROM journal ORDER BY at`,
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
      const all = async (of: string) =>
        (await walk(`/cls/balances?level=${of}&${at}&includeZero=true&limit=1000`, customer)).data;
      const within = /^(maturity|q=)/.test(filter)
        ? { facilities: await all('facility'), contracts: await all('contract') }
        : NOTHING;
      const expected = every.data.filter((item: Json) => passes(item, within));
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
    for (const filter of ['pastDue', 'restated', 'q']) {
      const some = [...found].filter(([name]) => name.startsWith(`${filter}=`));
      expect(Math.max(...some.map(([, items]) => items)), filter).to.be.greaterThan(0);
    }
  });

  it('leave the same items in the order of a sort', async function () {
    this.timeout(0);
    let moved = 0;
    for (const [sort, told] of Object.entries(SORTED_BY)) {
      for (const level of LEVELS) {
        const customer = random.pick(CUSTOMERS);
        const day = random.pick(['2023-06-30', '2024-03-15', '2025-06-30']);
        const filter = random.pick([
          '',
          '&includeZero=true',
          '&currency=USD',
          '&maturityTo=2031-01-01',
          '&q=te',
        ]);
        const question = `/cls/balances?level=${level}&asOf=${day}${filter}`;
        const { data } = await walk(`${question}&limit=1000`, customer);
        const value = (item: Json) => BigInt(`${told(item)}`.replace('.', ''));
        const descending = random.chance(0.5);
        const expected = [...data].sort((a, b) => {
          if (sort !== 'lastPostedAt' && a.currency !== b.currency) {
            return a.currency < b.currency ? -1 : 1;
          }
          const [one, other] = descending ? [value(b), value(a)] : [value(a), value(b)];
          return one < other ? -1 : Number(one > other);
        });
        const limit = random.pick([1000, Math.ceil(data.length / 3) || 1]);
        const sorted = await walk(
          `${question}&sort=${descending ? '-' : ''}${sort}&limit=${limit}`,
          customer,
        );
        const ids = (items: readonly Json[]) => items.map(({ id }) => id);
        expect(ids(sorted.data), `${question} ${sort} for ${customer}`).to.deep.equal(
          ids(expected),
        );
        moved += ids(expected).join() === ids(data).join() ? 0 : 1;
      }
    }
    expect(moved).to.be.greaterThan(10);
  });

  it('leave the same items in an export', async () => {
    for (const filter of ['pastDue=true', 'restated=true', 'maturityTo=2024-12-31', 'q=te']) {
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

  // Its loans have an unfunded amount that follows from nothing.
  it('are asked of a book that reconciles', () =>
    expectReconciled(api.database, { points: 0, except: ['unfunded_is_undrawn'] }));

  it('leave a deal in the currencies of facilities that the lender is in', async () => {
    const [borrower, anna, bert] = [aParty('Borrower'), aParty('Anna'), aParty('Bert')];
    const loan = aLoan(borrower, [anna, bert]);
    const euros = aFacility(loan.deal, { currency: 'EUR' });
    const positions = [aPosition(euros, anna)];
    await loadRecords(api.database, [borrower, anna, bert, ...loan.all, euros, ...positions]);
    const query = `/api/v1/cls/balances?level=deal&dealId=${loan.deal.id}&includeZero=true`;
    for (const [lender, currencies] of [
      [anna, ['EUR', 'USD']],
      [bert, ['USD']],
    ] as const) {
      const { data } = (await (await api.get(`${query}&lenderId=${lender.id}`)).json()) as Json;
      const found = data.map(({ currency }: Json) => currency);
      expect(found.sort(), lender.name).to.deep.equal(currencies);
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

/** Loans with accents in their names, and with external ids of every record. */
function namedLoans(): readonly BookRecord[] {
  const called = (value: string) => ({ externalIds: [{ source: 'BANK', value }] });
  const lender = aParty('Crédit Général');
  return ['Société Générale des Eaux', 'Łódź Straße GmbH', 'ΑΘΗΝΑ Bank'].flatMap((name, index) => {
    const borrower = { ...aParty(name), ...called(`CIF-77${index}`) };
    const loan = aLoan(borrower, [lender], called(`FAC/${index}/2024`));
    const deal = { ...loan.deal, ...called(`DL.${index}`) };
    const contract = { ...loan.contract, ...called(`LN-00${index}-Ä`) };
    const postings = entry(
      { facility: loan.facility },
      ['UNFUNDED', 'MEMO'],
      [
        [undefined, '50.00'],
        [lender, '50.00'],
      ],
    );
    return [
      ...(index === 0 ? [lender] : []),
      borrower,
      deal,
      loan.facility,
      contract,
      ...loan.positions,
      aJournal(deal, 'original_commitment', '2024-02-01', postings),
    ];
  });
}

const ownOf = ({ level, global, share }: Json) => (level === 'position' ? share : global);
/** What the list tells of what it is sorted by. */
const SORTED_BY: Readonly<Record<string, (item: Json) => string | number>> = {
  outstanding: (item) => ownOf(item).principal.outstanding,
  unfunded: (item) => ownOf(item).commitment.unfunded,
  commitment: (item) => ownOf(item).commitment.current,
  available: (item) => ownOf(item).commitment.available,
  pastDue: (item) => ownOf(item).total.pastDue,
  interestAccrued: (item) => ownOf(item).interest.accrued,
  lastPostedAt: ({ provenance }) => provenance.ledgerSeq ?? 0,
};

const matures =
  (within: (day: string) => boolean): Passes =>
  (item, { facilities }) => {
    const { level, contract, facility, deal, currency } = item;
    const days =
      level === 'deal'
        ? facilities
            .filter((one: Json) => one.deal.id === deal.id && one.currency === currency)
            .map((one: Json) => one.facility.maturityDate)
        : [(level === 'contract' ? contract : facility).maturityDate];
    return days.some((day: string | null) => day !== null && within(day));
  };

/** Each word begins a word of a name, or of what the records are called elsewhere. */
function isNamed(search: string, externals: ReadonlyMap<string, readonly string[]>): Passes {
  return (item, { facilities, contracts }) => {
    const { level, deal, borrower, currency } = item;
    const isOfDeal = (one: Json) => one.deal.id === deal.id && one.currency === currency;
    const ofItem = (one: Json) => isOfDeal(one) && one.facility.id === item.facility?.id;
    const held = facilities.filter(level === 'deal' ? isOfDeal : ofItem);
    const booked =
      level === 'contract' ? [item] : contracts.filter(level === 'deal' ? isOfDeal : ofItem);
    const ids = [
      deal.id,
      borrower.id,
      ...held.map(({ facility }) => facility.id),
      ...booked.map(({ contract }) => contract.id),
    ];
    const texts = [
      ...[deal.name, deal.dealNumber, borrower.name, ...held.map(({ facility }) => facility.name)],
      ...ids.flatMap((id) => externals.get(id) ?? []),
    ];
    const words = texts.flatMap(wordsOf);
    return wordsOf(search).every((typed) => words.some((word) => word.startsWith(typed)));
  };
}

function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

const isLateFor =
  (...[from, to, again, end]: readonly [number, number, number, number]): Passes =>
  ({ status: { daysPastDue: days } }) =>
    (days >= from && days <= to) || (days >= again && days <= end);

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
