import type { Database } from '@cls/shared/sql/database';
import { SqlError } from '@cls/shared/sql/database';
import { migrate, migrationStatus, readMigrations } from '@cls/shared/sql/migrate';
import { describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import fc from 'fast-check';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { lockJournal } from '../src/posting/post-journals.ts';
import { type BalanceFilter, NO_FILTER, type PageEnd } from '../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { date, importWorldBank, postPrincipal, statement } from './support/book.ts';

const LOANS = 12;
const COUNTRIES = ['IN', 'ID', 'UA', 'TR'];
const OPEN: BalanceFilter = { ...NO_FILTER, includeZero: true };

/** Loan n lies in country n mod 4, owes n million and has none to draw. */
const loans = Array.from({ length: LOANS }, (_, n) => ({
  'Loan Number': `L${n}`,
  'Country / Economy Code': COUNTRIES[n % 4] ?? '',
  Borrower: `Borrower ${n % 3}`,
  'Original Principal Amount': `${n}000000`,
  'Disbursed Amount': `${n}000000`,
  'Due to IBRD': `${n}000000`,
  "Borrower's Obligation": `${n}000000`,
  'Loans Held': `${n}000000`,
}));

describeOnEngines('the ledger’s store', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    await importWorldBank(database, statement('01/31/2025', loans));
  });
  after(() => database?.close());

  const refusal = async (work: Promise<unknown>): Promise<SqlError> => {
    const error = await work.catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(SqlError);
    return error as SqlError;
  };
  const asReader = (customer: string, sql: string) =>
    database.transaction((transaction) => transaction.query(sql), {
      setup: `SET LOCAL ROLE cls_reader;SET LOCAL cls.customer = '${customer}';`,
    });

  it('is migrated once, and says so', async () => {
    const status = await migrationStatus(database, readMigrations(MIGRATIONS));
    expect(status.pending).to.deep.equal([]);
    const again = await migrate(database, readMigrations(MIGRATIONS));
    expect(again.applied).to.deep.equal([]);
  });

  for (const table of ['journal', 'posting', 'balance']) {
    it(`lets nobody change or delete a ${table}, its owner neither`, async () => {
      const column = table === 'balance' ? 'unfunded' : 'effective_date';
      for (const sql of [
        `UPDATE ${table} SET ${column} = ${column}`,
        `DELETE FROM ${table}`,
        `TRUNCATE ${table} CASCADE`,
      ]) {
        expect((await refusal(database.query(sql))).message, sql).to.include('append-only');
      }
    });
  }

  it('lets nobody invent a balance or move a line to another currency', async () => {
    const copy = 'INSERT INTO balance SELECT * FROM balance LIMIT 1';
    expect((await refusal(database.query(copy))).message).to.include('append-only');
    const relabel = `UPDATE balance_line SET currency = 'JPY'`;
    expect((await refusal(database.query(relabel))).message).to.include('append-only');
  });

  const journalOf = (seq: bigint, dealKey: bigint, day = '2025-02-01') =>
    `INSERT INTO journal (seq, id, effective_date, type, deal_key, idempotency_key)
     VALUES (${seq}, 'jrn_x${seq}', '${day}', 'advance', ${dealKey}, 'x${seq}')`;
  const tryPosting = (postings: (line: bigint, lenderLine: bigint) => string) =>
    database.transaction(async (transaction) => {
      const seq = await lockJournal(transaction);
      const [global, lender] = await transaction.query<{ key: bigint; deal_key: bigint }>(
        `SELECT key, deal_key FROM balance_line
         WHERE contract_key = (SELECT min(key) FROM loan_contract)
         ORDER BY lender_key LIMIT 2`,
      );
      await transaction.query(journalOf(seq, global?.deal_key ?? 0n));
      await transaction.query(
        `INSERT INTO posting (journal_seq, number, line_key, account, movement, amount_minor, effective_date)
         SELECT $1, v.* FROM (VALUES ${postings(global?.key ?? 0n, lender?.key ?? 0n)})
           AS v(number, line_key, account, movement, amount_minor, effective_date)`,
        [seq],
      );
    });
  /** One unit of principal on a line, posted against cash. */
  const posted = (seq: bigint, line: bigint, day = '2025-02-01', number = 1) =>
    `INSERT INTO posting (journal_seq, number, line_key, account, movement, amount_minor,
       effective_date)
     VALUES (${seq}, ${number}, ${line}, 'PRINCIPAL_CASH', 'advance', 1, '${day}'),
       (${seq}, ${number + 1}, ${line}, 'CASH_CLEARING', NULL, -1, '${day}')`;
  const leg = (
    number: number,
    line: bigint,
    account: string,
    amount: number,
    day = '2025-02-01',
  ) => {
    const movement = account === 'PRINCIPAL_CASH' ? `'advance'` : 'NULL';
    return `(${number}::smallint, ${line}::bigint, '${account}'::ledger_account, ${movement}::principal_movement, ${amount}::bigint, '${day}'::date)`;
  };

  it('takes journals under the journal lock alone, numbered without gaps', async () => {
    const [last] = await database.query<{ seq: bigint; deal_key: bigint }>(
      'SELECT seq, deal_key FROM journal ORDER BY seq DESC LIMIT 1',
    );
    const { seq = 0n, deal_key: deal = 0n } = last ?? {};
    const unlocked = await refusal(database.query(journalOf(seq + 1n, deal)));
    expect(unlocked.message).to.include('under the journal lock');
    const gap = await refusal(
      database.transaction(async (transaction) => {
        const next = await lockJournal(transaction);
        await transaction.query(journalOf(next + 1n, deal));
      }),
    );
    expect(gap.constraint).to.equal('journal_gapless');
  });

  it('refuses what names a journal, line, deal, facility or import that is not there', async () => {
    const [of] = await database.query<{ deal: bigint; facility: bigint; line: bigint }>(
      `SELECT f.deal_key AS deal, f.key AS facility, l.key AS line
       FROM facility f JOIN balance_line l ON l.facility_key = f.key LIMIT 1`,
    );
    const { deal = 0n, facility = 0n, line = 0n } = of ?? {};
    const lineOf = (facilityKey: bigint, dealKey: bigint, currency = 'USD') =>
      `INSERT INTO balance_line (deal_key, facility_key, contract_key, lender_key, currency)
       VALUES (${dealKey}, ${facilityKey}, 0, 999, '${currency}')`;
    const attempts: Record<string, (seq: bigint) => readonly string[]> = {
      journal_deal_key_fkey: (seq) => [journalOf(seq, 999n)],
      journal_import_key_fkey: (seq) => [
        `INSERT INTO journal (seq, id, effective_date, type, deal_key, idempotency_key, import_key)
         VALUES (${seq}, 'jrn_x', '2025-02-01', 'advance', ${deal}, 'x', 999)`,
      ],
      posting_journal_seq_fkey: (seq) => [posted(seq, line)],
      posting_line_key_fkey: (seq) => [journalOf(seq, deal), posted(seq, 99_999n)],
      'balance_line_facility_key_fkey: no facility': () => [lineOf(99_999n, deal)],
      'balance_line_facility_key_fkey: another deal': () => [lineOf(facility, deal + 1n)],
      'balance_line_facility_key_fkey: another currency': () => [lineOf(facility, deal, 'JPY')],
    };
    for (const [name, statements] of Object.entries(attempts)) {
      const refused = await refusal(
        database.transaction(async (transaction) => {
          const seq = await lockJournal(transaction);
          for (const sql of statements(seq)) await transaction.query(sql);
        }),
      );
      expect([refused.code, refused.constraint], name).to.deep.equal(['23503', name.split(':')[0]]);
    }
  });

  it('keeps the records that journals and lines name', async () => {
    for (const table of ['deal', 'facility', 'import_batch']) {
      for (const sql of [
        `DELETE FROM ${table} WHERE key = 999`,
        `TRUNCATE ${table} CASCADE`,
        `UPDATE ${table} SET key = DEFAULT`,
      ]) {
        expect((await refusal(database.query(sql))).code, sql).to.equal('23001');
      }
    }
    const moved = `UPDATE facility SET deal_key = deal_key + 1`;
    expect((await refusal(database.query(moved))).code).to.equal('23001');
  });

  it('refuses postings of another deal, and to a journal of an earlier transaction', async () => {
    const other = await refusal(
      database.transaction(async (transaction) => {
        const seq = await lockJournal(transaction);
        const [line] = await transaction.query<{ key: bigint; other: bigint }>(
          `SELECT key, (SELECT max(key) FROM deal) AS other FROM balance_line
           WHERE contract_key <> 0 ORDER BY key LIMIT 1`,
        );
        await transaction.query(journalOf(seq, line?.other ?? 0n));
        await transaction.query(posted(seq, line?.key ?? 0n));
      }),
    );
    expect(other.constraint).to.equal('one_deal');
    const late = await refusal(
      database.transaction(async (transaction) => {
        await lockJournal(transaction);
        const [line] = await transaction.query<{ key: bigint; seq: bigint; day: string }>(
          `SELECT l.key, j.seq, j.effective_date AS day FROM journal j
           JOIN balance_line l ON l.deal_key = j.deal_key AND l.contract_key <> 0
           ORDER BY j.seq LIMIT 1`,
        );
        await transaction.query(posted(line?.seq ?? 0n, line?.key ?? 0n, line?.day, 900));
      }),
    );
    expect(late.constraint).to.equal('posted_at_once');
  });

  it('refuses a journal in a closed period, until the period is opened again', async () => {
    const decide = (through: string) =>
      database.query(`INSERT INTO period_close (through, reason) VALUES ($1, 'month end')`, [
        through,
      ]);
    await decide('2025-01-31');
    const post = () => postPrincipal(database, 'L1', 'advance', '2025-01-31', 1n);
    expect((await refusal(post())).constraint).to.equal('period_closed');
    await decide('2024-12-31');
    await post();
    await postPrincipal(database, 'L1', 'advance', '2025-01-31', -1n);
  });

  it('refuses a journal that does not balance', async () => {
    const error = await refusal(
      tryPosting((line) =>
        [leg(1, line, 'PRINCIPAL_CASH', 100), leg(2, line, 'CASH_CLEARING', -99)].join(','),
      ),
    );
    expect(error.constraint).to.equal('journal_balances');
  });

  it('refuses shares that do not add up to the global amount', async () => {
    const error = await refusal(
      tryPosting((line, lender) =>
        [
          leg(1, line, 'PRINCIPAL_CASH', 100),
          leg(2, line, 'CASH_CLEARING', -100),
          leg(3, lender, 'PRINCIPAL_CASH', 99),
          leg(4, lender, 'CASH_CLEARING', -99),
        ].join(','),
      ),
    );
    expect(error.constraint).to.equal('shares_add_up');
  });

  it('refuses a posting of another date than its journal’s', async () => {
    const error = await refusal(
      tryPosting((line) =>
        [
          leg(1, line, 'PRINCIPAL_CASH', 100, '2025-02-02'),
          leg(2, line, 'CASH_CLEARING', -100, '2025-02-02'),
        ].join(','),
      ),
    );
    expect(error.constraint).to.equal('one_effective_date');
  });

  it('gives the reader’s role only granted rows, without any filter, and no writing', async () => {
    await sqlEntitlements(database).grant({
      customer: 'tr',
      role: 'borrower',
      lenderId: undefined,
      deals: { country: 'TR' },
    });
    expect(await asReader('tr', 'SELECT DISTINCT country FROM deal')).to.deep.equal([
      { country: 'TR' },
    ]);
    expect(await asReader('tr', 'SELECT 1 FROM balance WHERE lender_key <> 0')).to.deep.equal([]);
    const count = async (table: string) =>
      ((await asReader('tr', `SELECT count(*)::int AS n FROM ${table}`)) as { n: number }[])[0]?.n;
    expect(await count('facility')).to.equal(3);
    expect(await count('posting')).to.be.greaterThan(0);
    for (const table of [
      'deal',
      'facility',
      'loan_contract',
      'balance',
      'posting',
      'journal',
      'party',
      'entitlement',
    ]) {
      expect(await asReader('nobody', `SELECT 1 FROM ${table}`), table).to.deep.equal([]);
      const error = await refusal(asReader('tr', `INSERT INTO ${table} DEFAULT VALUES`));
      expect(error.code, table).to.equal('42501');
    }
    const error = await refusal(asReader('tr', 'SELECT 1 FROM import_batch'));
    expect(error.code).to.equal('42501');
  });

  it('covers deals that are imported after the grant', async () => {
    const before = await sqlEntitlements(database).list('tr');
    const fresh = [{ ...loans[0], 'Loan Number': 'LATER', 'Country / Economy Code': 'TR' }];
    await importWorldBank(database, statement('01/31/2025', fresh));
    const after = await sqlEntitlements(database).list('tr');
    expect(after[0]?.deals).to.equal((before[0]?.deals ?? 0) + 1);
  });

  it('shows each of many random customers exactly what a naive reading of its grants gives', async () => {
    const entitlements = sqlEntitlements(database);
    const store = sqlBalanceStore(database);
    const { seq } = await store.ledgerState(date('2025-12-31'));
    const deals = await database.query<{ id: string; country: string; number: string }>(
      'SELECT id, country, deal_number AS number FROM deal ORDER BY key',
    );
    let customers = 0;
    const grantOf = fc.oneof(
      fc.constantFrom(...COUNTRIES).map((country) => ({ country })),
      fc.nat(deals.length - 1).map((n) => ({ dealId: deals[n]?.id ?? '' })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(grantOf, { maxLength: 4, selector: (grant) => JSON.stringify(grant) }),
        fc.constantFrom('agent', 'borrower'),
        fc.subarray(COUNTRIES),
        fc.nat(3),
        async (grants, role, countries, pageSize) => {
          customers += 1;
          const customer = `c${customers}`;
          for (const selection of grants) {
            const request = {
              customer,
              role: role as 'agent',
              lenderId: undefined,
              deals: selection,
            };
            await entitlements.grant(request);
          }
          const expected = deals.filter(
            ({ id, country }) =>
              grants.some((g) => ('country' in g ? g.country === country : g.dealId === id)) &&
              (countries.length === 0 || countries.includes(country)),
          );
          const filter = { ...OPEN, countries };
          const snapshot = { asOf: date('2025-12-31'), ledgerSeq: seq };
          const limit = pageSize + 1;
          const seen: string[] = [];
          let after: PageEnd | undefined;
          for (;;) {
            const page = await store.page(
              { customer },
              { level: 'facility', filter, snapshot, sort: undefined, after, limit },
            );
            const { items } = page;
            seen.push(...items.map(({ deal }) => deal.id));
            for (const { lenders } of items) expect(lenders.length > 0).to.equal(role === 'agent');
            after = page.next;
            if (after === undefined) break;
          }
          expect(seen).to.deep.equal(expected.map(({ id }) => id));
          const totals =
            (await store.totals({ customer }, { level: 'facility', filter, snapshot })) ?? [];
          expect(totals[0]?.count ?? 0).to.equal(expected.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('tells a balance at any date, by effective date and not by order of posting', async () => {
    await postPrincipal(database, 'L1', 'advance', '2025-06-30', 500n);
    await postPrincipal(database, 'L1', 'scheduled_repayment', '2025-03-15', -200n);
    await postPrincipal(database, 'L1', 'advance', '2025-04-01', 70n);
    const store = sqlBalanceStore(database);
    const { seq } = await store.ledgerState(date('2025-12-31'));
    const at = async (day: string, ledgerSeq = seq) => {
      const [l1] = (
        await store.page(
          { fullControl: true },
          {
            level: 'contract',
            filter: { ...OPEN, countries: ['ID'] },
            snapshot: { asOf: date(day), ledgerSeq },
            sort: undefined,
            after: undefined,
            limit: 1,
          },
        )
      ).items.filter(({ contract }) => contract?.contractNumber === 'L1');
      return l1?.global.principal_cash;
    };
    const base = 100_000_000n;
    expect(await at('2025-01-31')).to.equal(base);
    expect(await at('2025-03-14')).to.equal(base);
    expect(await at('2025-03-15')).to.equal(base - 200n);
    expect(await at('2025-04-01')).to.equal(base - 130n);
    expect(await at('2025-06-29')).to.equal(base - 130n);
    expect(await at('2025-06-30')).to.equal(base + 370n);
    // What was known before the backdated postings does not change.
    expect(await at('2025-06-30', seq - 2n)).to.equal(base + 500n);
    expect(await at('2025-04-01', seq - 1n)).to.equal(base - 200n);
  });

  it('replays to the same balance after any order of postings', async () => {
    const day = fc.integer({ min: 1, max: 28 }).map((n) => `2025-08-${String(n).padStart(2, '0')}`);
    const posting = fc.tuple(
      day,
      fc.bigInt(-1_000n, 1_000n).filter((n) => n !== 0n),
    );
    let loan = 2;
    await fc.assert(
      fc.asyncProperty(fc.array(posting, { minLength: 1, maxLength: 6 }), async (postings) => {
        loan = loan >= LOANS - 1 ? 2 : loan + 1;
        for (const [effective, amount] of postings) {
          await postPrincipal(database, `L${loan}`, 'advance', effective, amount);
        }
        const differing = await database.query(
          `SELECT 1 FROM balance_line l JOIN loan_contract c ON c.key = l.contract_key
           CROSS JOIN (SELECT DISTINCT effective_date AS day FROM posting) d
           JOIN LATERAL (SELECT principal_cash, advances FROM balance b
                         WHERE b.line_key = l.key AND b.effective_date <= d.day
                         ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b ON true
           WHERE c.contract_number = $1 AND b.principal_cash <> (
             SELECT sum(amount_minor) FROM posting p WHERE p.line_key = l.key
               AND p.account = 'PRINCIPAL_CASH' AND p.effective_date <= d.day)`,
          [`L${loan}`],
        );
        expect(differing).to.deep.equal([]);
      }),
      { numRuns: 25 },
    );
  });
});
