import { readFileSync } from 'node:fs';
import { Random } from '@cls/book-generator/random';
import { type Clock, epochSeconds } from '@cls/shared/clock';
import { newId } from '@cls/shared/new-id';
import { Secret } from '@cls/shared/secret';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import { sqlFxRates } from '../src/fx/sql-fx-rates.ts';
import { revertImport } from '../src/import/sql/revert-import.ts';
import { currentLedger } from '../src/questions/ask/current-ledger.ts';
import { cursorCodec } from '../src/questions/ask/cursor.ts';
import { snapshots } from '../src/questions/ask/snapshot.ts';
import { changesReader } from '../src/questions/lists/read-changes.ts';
import { balancesReader } from '../src/questions/page/read-balances.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { changePage } from '../src/versions/v1/changes.ts';
import { parseBalancesQuery } from '../src/versions/v1/query.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { callerOf } from './support/asked-book.ts';
import { date, importWorldBank, statement } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import { expectReconciled } from './support/reconciled.ts';
import {
  aFacility,
  aJournal,
  aLoan,
  aParty,
  aPosition,
  type BookRecord,
  entry,
} from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

interface Copy {
  readonly items: ReadonlyMap<string, Json>;
  readonly asOf: string;
  readonly knownAt: string | null;
}
type Refresh = (url: string, token: string, copy: Copy | undefined) => Promise<Copy>;
const EXAMPLE = new URL('../../../../docs/start/examples/keep-a-copy.mjs', import.meta.url);

const CASH = ['PRINCIPAL_CASH', 'CASH_CLEARING'] as const;
const ADVANCE = { movement: 'advance' } as const;
const DAY_MS = 86_400_000;
/** Days that have passed since the test began, as the service sees it. */
let passed = 0;
const clock: Clock = { now: () => new Date(Date.now() + passed * DAY_MS) };
const day = (fromToday: number) =>
  date(new Date(clock.now().getTime() + fromToday * DAY_MS).toISOString().slice(0, 10));

const QUESTIONS = [
  'balances?includeZero=true',
  'balances?level=position',
  'balances?level=deal&expand=contracts,accrual&limit=5',
  'balances?level=contract&minOutstanding=50.00&currency=USD',
  'balances?level=contract&status=active&asOf=2025-06-30',
  'balances?level=facility&asOf=2025-06-30&includeZero=true&fields=global.principal,lenders',
  'balances?reportingCurrency=EUR&currency=USD',
  'balances/principal?fromDate=2025-01-01',
  'balances/principal?level=position&expand=movements&includeZero=true&limit=7',
  'balances/principal?level=deal&asOf=2025-03-31',
];

describeOnDatabase('a copy that is kept by its changes', (engine) => {
  let api: TestApi;
  let refresh: Refresh;
  const [borrower, anna, bert, cleo] = ['Borrower', 'Anna', 'Bert', 'Cleo'].map(aParty) as [
    ReturnType<typeof aParty>,
    ReturnType<typeof aParty>,
    ReturnType<typeof aParty>,
    ReturnType<typeof aParty>,
  ];
  const lenders = [anna, bert, cleo];
  before(async () => {
    ({ refresh } = (await import(EXAMPLE.href)) as { refresh: Refresh });
    api = await startTestApi(engine, {}, clock);
    await post([borrower, ...lenders]);
  });
  afterEach(() => {
    passed = 0;
  });
  after(() => api?.stop());

  const post = (records: readonly BookRecord[]) => loadRecords(api.database, records);
  const tokenFor = (claims: Record<string, unknown>) => {
    const iat = epochSeconds(clock);
    return api.token({ iat, exp: iat + 3_600, ...claims });
  };
  const urlOf = (question: string) => `${api.baseUrl}/api/v1/cls/${question}`;
  const read = async (question: string, claims = {}): Promise<Json> => {
    const headers = { authorization: `Bearer ${await tokenFor(claims)}` };
    const response = await fetch(urlOf(question), { headers });
    return { status: response.status, ...((await response.json()) as Json) };
  };
  const thirds = (cents: number): readonly string[] => {
    const third = Math.floor(cents / 3);
    return [third, third, cents - 2 * third].map(money);
  };
  const money = (cents: number) =>
    `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${`${Math.abs(cents) % 100}`.padStart(2, '0')}`;
  const shares = (cents: number) => {
    const [a = '', b = '', c = ''] = thirds(cents);
    return [
      [undefined, money(cents)],
      [anna, a],
      [bert, b],
      [cleo, c],
    ] as const;
  };
  const drawing = (loan: ReturnType<typeof aLoan>, on: string, cents: number, more = {}) =>
    aJournal(loan.deal, 'advance', on, entry(loan, CASH, shares(cents), ADVANCE), more);
  const interest = (loan: ReturnType<typeof aLoan>, startDate: string, allInRate: string) => ({
    rates: [
      {
        facility: loan.facility.id,
        contract: loan.contract.id,
        component: 'interest' as const,
        startDate: date(startDate),
        allInRate,
      },
    ],
  });

  const same = async (question: string, claims: Record<string, unknown>, copy: Copy) => {
    const whole = await refresh(urlOf(question), await tokenFor(claims), undefined);
    const lines = ({ items }: Copy) =>
      [...items.values()].map((item) => JSON.stringify(item)).sort();
    expect(lines(copy), question).to.deep.equal(lines(whole));
    expect(copy.asOf).to.equal(whole.asOf);
  };

  it('has after any history the bytes of a full read', async function () {
    this.timeout(600_000);
    const random = new Random(Number(process.env['COPY_SEED'] ?? 20_250_401));
    const below = (limit: number) => random.between(0, limit - 1);
    const pick = <T>(values: readonly T[]): T => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    };
    const loans = Array.from({ length: 4 }, () => aLoan(borrower, lenders));
    await post(loans.flatMap(({ all }) => all));
    await sqlFxRates(api.database).add({
      date: date('2024-01-01'),
      from: 'USD',
      to: 'EUR',
      rate: '0.9',
      source: 'x',
    });
    const grants = sqlEntitlements(api.database);
    const grant = (customer: string, role: 'lender' | 'borrower') =>
      grants.grant({
        customer,
        role,
        lenderId: role === 'lender' ? anna.id : undefined,
        deals: { allDeals: true },
      });
    await grant('one', 'lender');
    const reversible: ReturnType<typeof aJournal>[] = [];
    const posted = async (journal: ReturnType<typeof aJournal>) => {
      await post([journal]);
      reversible.push(journal);
    };
    const imports: string[] = [];
    let statements = 0;
    const number = () => newId('n');
    const backdated = () => day(-below(400));
    const ahead = () => day(1 + below(4));
    const operations: readonly (() => Promise<unknown>)[] = [
      () => posted(drawing(pick(loans), backdated(), 100 + below(100_000))),
      () => posted(drawing(pick(loans), ahead(), 100 + below(100_000))),
      () => posted(drawing(pick(loans), day(0), 10_001 + below(100_000))),
      () => {
        const loan = pick(loans);
        const on = backdated();
        return post([drawing(loan, on, 10_001, interest(loan, on, '0.05'))]);
      },
      async () => {
        const [journal] = reversible.splice(below(Math.max(reversible.length, 1)), 1);
        if (journal === undefined) return;
        const negated = (amount: string) =>
          amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
        const { id: _, idempotencyKey: __, ...rest } = journal;
        const reversal = aJournal({ id: rest.deal } as never, rest.type, rest.effectiveDate, []);
        const postings = rest.postings.map((one) => ({ ...one, amount: negated(one.amount) }));
        await post([{ ...reversal, postings, reverses: journal.id }]);
      },
      () => {
        const loan = pick(loans);
        const moved = money(1 + below(50));
        const legs = [
          [anna, `-${moved}`],
          [bert, moved],
        ] as const;
        const postings = entry(loan, ['PRINCIPAL_CASH', 'TRANSFER_CLEARING'], legs, {
          movement: 'transfer',
        });
        return post([aJournal(loan.deal, 'transfer', backdated(), postings)]);
      },
      () => {
        const loan = pick(loans);
        return post([
          aJournal(loan.deal, 'terms', pick([backdated(), ahead()]), [], {
            terms: [
              { contract: loan.contract.id, status: pick(['active', 'repaid'] as const) },
              {
                facility: loan.facility.id,
                status: 'active' as const,
                availabilityEndDate: pick([ahead(), backdated()]),
              },
            ],
          }),
        ]);
      },
      () =>
        billAccruals(sqlBilling(api.database), {
          through: day(-below(30)),
          dueDate: day(below(3)),
          apply: true,
        }).catch(() => undefined),
      async () => {
        const loan = aLoan(borrower, lenders);
        loans.push(loan);
        await post([...loan.all, drawing(loan, backdated(), 5_000 + below(9_000))]);
      },
      // What becomes visible without a journal in its file.
      async () => {
        const loan = aLoan(borrower, lenders);
        loans.push(loan);
        await post(loan.all);
      },
      () => {
        const { contract } = pick(loans);
        return post([
          { ...contract, id: newId('ctr'), contractNumber: number(), bookedOn: backdated() },
        ]);
      },
      () => {
        const { contract } = pick(loans);
        const { bookedOn: _, ...undated } = contract;
        return post([{ ...undated, id: newId('ctr'), contractNumber: number() }]);
      },
      () => {
        const dora = aParty('Dora');
        return post([dora, aPosition(pick(loans).facility, dora)]);
      },
      // Two deals in one file, and a journal of one of them.
      () => {
        const { deal } = pick(loans);
        const facility = aFacility(deal, { currency: pick(['USD', 'EUR']), bookedOn: ahead() });
        return post([
          facility,
          aPosition(facility, anna),
          drawing(pick(loans), backdated(), 7_007),
        ]);
      },
      async () => {
        statements += 1;
        const loan = {
          'Loan Number': `I${below(3)}`,
          'Original Principal Amount': '900',
          'Disbursed Amount': `${100 + statements}`,
          'Due to IBRD': `${100 + statements}`,
          "Borrower's Obligation": `${100 + statements}`,
          'Undisbursed Amount': `${800 - statements}`,
          'Loans Held': '900',
        };
        const asOf = `0${1 + (statements % 9)}/28/2025`;
        const report = (await importWorldBank(api.database, statement(asOf, [loan]))) as Json;
        if (typeof report.importId === 'string') imports.push(report.importId);
      },
      async () => {
        const last = imports.pop();
        if (last !== undefined) await revertImport(api.database, last, true);
      },
      async () => {
        for (const { rule } of await grants.list('two')) await grants.revoke(rule);
        await grant('two', pick(['lender', 'borrower'] as const));
      },
      () =>
        sqlFxRates(api.database).add({
          date: pick([backdated(), day(0)]),
          from: 'USD',
          to: 'EUR',
          rate: `0.${1 + below(9)}`,
          source: 'x',
        }),
      async () => {
        passed += 1 + below(2);
      },
    ];
    const copies = new Map<string, Copy>();
    const callers = [{}, viewer('one'), viewer('two')];
    /** Answers by a question with both times. */
    const given = new Map<string, Json>();
    const keepAnswer = async () => {
      const question = pick(QUESTIONS.filter((one) => !one.includes('asOf')));
      const { meta, ...answer } = await read(question);
      given.set(`${question}&asOf=${meta.asOf}&knownAt=${meta.knownAt}`, { meta, ...answer });
    };
    const sameAnswers = async () => {
      for (const [question, before] of given) {
        const { links: _, page: __, ...again } = await read(question);
        const { links: ___, page: ____, ...first } = before;
        expect(again, question).to.deep.equal(first);
      }
    };
    const check = async (question: string, who: number) => {
      const claims = callers[who] ?? {};
      const name = `${who} ${question}`;
      const token = await tokenFor(claims);
      const copy = await refresh(urlOf(question), token, copies.get(name));
      copies.set(name, copy);
      await same(question, claims, copy);
    };
    await post([
      drawing(pick(loans), '2024-06-01', 100_001),
      drawing(pick(loans), day(-3), 100_001),
    ]);
    for (const question of QUESTIONS) await check(question, 0);
    // The engines differ in speed, and hardly in what can go wrong here.
    const steps = engine.name === 'PGlite' ? 20 : 26;
    for (let step = 0; step < steps; step += 1) {
      const operation = step < operations.length ? operations[step] : pick(operations);
      await operation?.();
      for (let n = 0; n < 2; n += 1) await check(pick(QUESTIONS), below(callers.length));
      await keepAnswer();
      if (step % 11 !== 10) continue;
      // Time goes by, and one deal alone is posted to: the others change by the date.
      for (const question of QUESTIONS) await check(question, 0);
      passed += 1;
      await post([drawing(loans[0] ?? pick(loans), day(0), 100)]);
      for (const question of QUESTIONS) await check(question, 0);
    }
    for (const name of copies.keys()) await check(name.slice(2), Number(name[0]));
    await sameAnswers();
    expect(imports.length + statements).to.be.greaterThan(0);
    await expectReconciled(api.database);
  });

  it('gets the ids of items that are gone, in every format', async () => {
    const loan = aLoan(borrower, lenders);
    const only = `level=contract&dealId=${loan.deal.id}&asOf=2025-01-31`;
    await post([...loan.all, drawing(loan, '2025-01-01', 300)]);
    const { data, meta } = await read(`balances?${only}`);
    await post([drawing(loan, '2025-01-01', -300)]);
    const since = `${only}&updatedSince=${meta.knownAt}`;
    const changes = await read(`balances?${since}`);
    expect([changes.data, changes.removed]).to.deep.equal([
      [],
      [{ object: 'removed', id: data[0].id }],
    ]);
    expect(changes.meta.since).to.deep.equal({ asOf: '2025-01-31', knownAt: meta.knownAt });
    expect(changes).not.to.have.property('totals');
    const exported = async (type: string) => {
      const headers = { authorization: `Bearer ${await tokenFor({})}`, accept: type };
      return (await fetch(urlOf(`balances?${since}`), { headers })).text();
    };
    const [line = '', summary = ''] = (await exported('application/x-ndjson')).split('\n');
    expect(JSON.parse(line)).to.deep.equal({ object: 'removed', id: data[0].id });
    expect(JSON.parse(summary)).to.include({ object: 'summary', count: 0, removed: 1 });
    const [header = '', row = ''] = (await exported('text/csv')).split('\r\n');
    expect(header).to.match(/^asOf,object,id,/);
    expect(row).to.match(new RegExp(`^2025-01-31,removed,${data[0].id},`));
  });

  it('gets totals over the whole filter where it asks for them, in an export too', async () => {
    const [loan, other] = [aLoan(borrower, lenders), aLoan(borrower, lenders)];
    const deals = `${loan.deal.id},${other.deal.id}`;
    const only = `level=contract&dealId=${deals}&asOf=2025-01-31`;
    const drawings = [drawing(loan, '2025-01-01', 300), drawing(other, '2025-01-01', 600)];
    await post([...loan.all, ...other.all, ...drawings]);
    const { meta } = await read(`balances?${only}`);
    await post([drawing(loan, '2025-01-01', 300)]);
    const since = `balances?${only}&updatedSince=${meta.knownAt}`;
    const summaryOf = async (question: string) => {
      const accept = 'application/x-ndjson';
      const headers = { authorization: `Bearer ${await tokenFor({})}`, accept };
      const text = await (await fetch(urlOf(question), { headers })).text();
      return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
    };
    const { totals } = await read(`${since}&include=totals`);
    expect(totals).to.have.length(1);
    expect(await summaryOf(`${since}&include=totals`)).to.deep.include({ count: 1, totals });
    expect(await summaryOf(since)).to.deep.include({ count: 1, totals: [] });
  });

  it('names nothing where nothing changed, whatever was posted elsewhere', async () => {
    const [loan, other] = [aLoan(borrower, lenders), aLoan(borrower, lenders)];
    await post([...loan.all, ...other.all, drawing(loan, '2025-01-01', 300)]);
    const only = `balances/principal?dealId=${loan.deal.id}&includeZero=true`;
    const { meta, data } = await read(only);
    await post([drawing(other, day(0), 600)]);
    const moved = await read(
      `${only}&updatedSince=${meta.knownAt}&sinceAsOf=${meta.asOf}&include=totals`,
    );
    expect(moved.meta.asOf >= meta.asOf).to.equal(true);
    expect([moved.data, moved.removed]).to.deep.equal([[], []]);
    expect(moved.totals[0]).to.include({ count: data.length, principalOutstanding: '3.00' });
  });

  it('is walked in pages that miss nothing and name nothing twice', async () => {
    const many = Array.from({ length: 15 }, () => aLoan(borrower, lenders));
    await post(many.flatMap(({ all }) => all));
    const only = `level=position&includeZero=true&currency=USD`;
    const { meta } = await read(`balances?${only}&limit=1&asOf=2025-02-28`);
    await post(many.map((loan) => drawing(loan, '2025-01-01', 100)));
    const ids: string[] = [];
    let next = `${only}&asOf=2025-02-28&updatedSince=${meta.knownAt}&limit=7`;
    for (let pages = 0; next !== '' && pages < 50; pages += 1) {
      const { data, page, meta: at, status, detail } = await read(`balances?${next}`);
      expect(status, detail).to.equal(200);
      expect(at.since.knownAt).to.equal(meta.knownAt);
      expect(data.length).to.be.lessThan(8);
      ids.push(...data.map(({ id }: Json) => id));
      next = page.hasMore ? `limit=7&cursor=${page.nextCursor}` : '';
      await post([drawing(many[0] as (typeof many)[0], '2025-01-02', 100)]);
    }
    expect(ids.length).to.equal(45);
    expect(new Set(ids).size).to.equal(45);
  });

  it('looks up the changed deals few times, where none of many passes the filter', async () => {
    const many = Array.from({ length: 45 }, () => aLoan(borrower, lenders));
    await post(many.flatMap(({ all }) => all));
    const { meta } = await read('balances?limit=1&asOf=2025-02-28');
    await post(many.map((loan) => drawing(loan, '2025-01-01', 100)));
    let looks = 0;
    const store = sqlBalanceStore(api.database);
    const counting: typeof store = {
      ...store,
      changedDeals(...asked) {
        looks += 1;
        return store.changedDeals(...asked);
      },
    };
    const ledger = currentLedger(counting, clock);
    const times = snapshots(counting, ledger);
    const cursors = cursorCodec(new Secret('k'.repeat(32)));
    const changes = changesReader(counting, times, balancesReader(counting, times, cursors));
    const text = `limit=1&asOf=2025-02-28&updatedSince=${meta.knownAt}&currency=USD&minOutstanding=9999999.00`;
    const { copy, ...query } = parseBalancesQuery(text, 'balances');
    if (copy === undefined) throw new Error('no copy');
    const question = { ...query, copy, ledger: await ledger.state(), position: undefined };
    const page = await changePage(changes, callerOf('*'), 'balances', question, undefined);
    expect([page.changed, page.next]).to.deep.equal([[], undefined]);
    // Ten deals are compared at once.
    expect(looks).to.equal(2);
  });

  it('is refused, with the reason, where it could not be exact', async () => {
    const grants = sqlEntitlements(api.database);
    const rule = await grants.grant({
      customer: 'gone',
      role: 'borrower',
      lenderId: undefined,
      deals: { allDeals: true },
    });
    const before = await read('balances?asOf=2025-01-31', viewer('gone'));
    const since = `balances?asOf=2025-01-31&updatedSince=${before.meta.knownAt}`;
    expect((await read(since, viewer('gone'))).status).to.equal(200);
    await grants.revoke(rule?.rule ?? '');
    const refused = await read(since, viewer('gone'));
    expect(refused).to.include({ status: 410, code: 'delta_unavailable' });
    const earliest = `balances?asOf=2025-01-31&updatedSince=${refused.earliestUpdatedSince}`;
    expect((await read(earliest, viewer('gone'))).status, 'from then on').to.equal(200);
    const anew = await read('balances?asOf=2025-01-31', viewer('gone'));
    const after = `balances?asOf=2025-01-31&updatedSince=${anew.meta.knownAt}`;
    expect((await read(after, viewer('gone'))).status, 'once read anew').to.equal(200);

    const fault = async (question: string) => {
      const { status, errors } = await read(question);
      return [status, errors?.[0]?.parameter, errors?.[0]?.code];
    };
    const { meta } = await read('balances?limit=1');
    const plain = `balances?updatedSince=${meta.knownAt}`;
    expect(await fault(`${plain}&sort=borrower`)).to.deep.equal([400, 'sort', 'contradictory']);
    expect(await fault(`${plain}&dealId=ext:a:b`)).to.deep.equal([400, 'dealId', 'contradictory']);
    expect(await fault('balances?sinceAsOf=2025-01-31')).to.deep.equal([
      400,
      'sinceAsOf',
      'contradictory',
    ]);
    // A posting that waits for its date becomes effective: the instant alone names two answers.
    const loan = aLoan(borrower, lenders);
    await post([...loan.all, drawing(loan, day(1), 100)]);
    const waiting = await read('balances?limit=1');
    passed = 2;
    const later = `balances?updatedSince=${waiting.meta.knownAt}&dealId=${loan.deal.id}`;
    expect(await fault(later)).to.deep.equal([400, 'sinceAsOf', 'since_as_of_required']);
    const told = await read(`${later}&sinceAsOf=${waiting.meta.asOf}`);
    expect(told.data.length).to.equal(1);
  });

  it('is kept by an example that is short enough to copy', () => {
    expect(readFileSync(EXAMPLE, 'utf8').split('\n').length).to.be.lessThan(60);
  });
});
