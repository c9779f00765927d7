import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import type { ImportReport } from '../src/import/import-report.ts';
import { exportJournals } from '../src/journal-file/export-journals.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import { sqlDirectory } from '../src/parties/sql-directory.ts';
import { sqlPartyNames } from '../src/parties/sql-party-names.ts';
import {
  type BalanceFilter,
  NO_FILTER,
  type ReaderAccess,
} from '../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { date, importWorldBank, statement } from './support/book.ts';
import { History, type Told } from './support/history.ts';
import { everyItem } from './support/pages.ts';

const THEN = '2022-05-31';
const NOW = '2023-05-31';
const told: Told = {
  disbursed: 10_000,
  status: 'Repaying',
  name: 'Roads',
  borrower: 'Ministry of Works',
  country: 'IN',
};
const renamed = { ...told, name: 'Roads and Bridges', borrower: 'Ministry of Roads' };
const moved = { ...told, borrower: 'Republic', country: 'BR' };

describeOnDatabase('names of a loan that change with a statement', (engine) => {
  let database: Database;
  let history: History;
  beforeEach(async () => {
    database = await engine.open(MIGRATIONS);
    history = new History(database);
    await history.import(
      THEN,
      new Map([
        ['A1', told],
        ['B2', told],
        ['C3', told],
      ]),
    );
  });
  afterEach(() => database?.close());

  const importLater = () =>
    history.import(
      NOW,
      new Map([
        ['A1', renamed],
        ['B2', moved],
        ['C3', told],
      ]),
    );
  const read = (
    asOf: string,
    filter: Partial<BalanceFilter> = {},
    access: ReaderAccess = { fullControl: true },
    ledgerSeq = history.lastSeq,
  ) =>
    everyItem(sqlBalanceStore(database), access, {
      level: 'facility',
      filter: { ...NO_FILTER, ...filter },
      snapshot: { asOf: date(asOf), ledgerSeq },
      sort: { by: 'dealNumber', descending: false },
      after: undefined,
      limit: 10,
    });
  const loans = async (...asked: Parameters<typeof read>) =>
    (await read(...asked)).map(({ deal }) => deal.dealNumber);
  const names = async (...asked: Parameters<typeof read>) =>
    (await read(...asked)).map(({ deal, facility, borrower }) => [
      deal.dealNumber,
      deal.name,
      facility?.name,
      borrower.name,
      borrower.country,
    ]);
  const party = async (name: string) => {
    const [found] = await sqlDirectory(database).parties(name, 1);
    return found?.id ?? '';
  };
  const sound = async () => {
    const { checks } = await sqlReconciler(database).reconcile(2);
    expect(checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
  };

  it('are shown as of the date, kept in the past, and taken back with the import', async () => {
    const before = history.lastSeq;
    const { report } = await importLater();
    expect(report).to.deep.include({ details_changed: ['A1', 'B2'] });
    const first = ['A1', 'B2', 'C3'].map((loan) => [
      loan,
      'Roads',
      'Roads',
      'Ministry of Works',
      'IN',
    ]);
    const later = [
      ['A1', 'Roads and Bridges', 'Roads and Bridges', 'Ministry of Roads', 'IN'],
      ['B2', 'Roads', 'Roads', 'Republic', 'BR'],
      first[2],
    ];
    expect(await names(NOW)).to.deep.equal(later);
    expect(await names(THEN)).to.deep.equal(first);
    expect(await names(NOW, {}, undefined, before)).to.deep.equal(first);
    expect(await loans(NOW, { countries: ['BR'] })).to.deep.equal(['B2']);
    expect(await loans(NOW, { countries: ['IN'] })).to.deep.equal(['A1', 'C3']);
    expect(await loans(THEN, { countries: ['BR'] })).to.deep.equal([]);
    expect(await loans(THEN, { countries: ['IN'] })).to.deep.equal(['A1', 'B2', 'C3']);
    const works = [await party('Ministry of Works')];
    expect(await loans(NOW, { borrowerIds: works })).to.deep.equal(['C3']);
    expect(await loans(THEN, { borrowerIds: works })).to.deep.equal(['A1', 'B2', 'C3']);
    await sound();
    const known = history.lastSeq;
    await history.revert(history.done[1] as never);
    expect(await names(NOW)).to.deep.equal(first);
    expect(await names(NOW, {}, undefined, known)).to.deep.equal(later);
    await sound();
  });

  it('move a deal to who is entitled to its new borrower or country, and back', async () => {
    const grants = sqlEntitlements(database);
    const grant = (customer: string, deals: { borrowerId: string } | { country: string }) =>
      grants.grant({ customer, role: 'borrower', lenderId: undefined, deals });
    await grant('works', { borrowerId: await party('Ministry of Works') });
    await grant('india', { country: 'IN' });
    await grant('brazil', { country: 'BR' });
    const seen = async (asOf: string) =>
      Promise.all(['works', 'india', 'brazil'].map((customer) => loans(asOf, {}, { customer })));
    const all = ['A1', 'B2', 'C3'];
    expect(await seen(THEN)).to.deep.equal([all, all, []]);
    await importLater();
    for (const asOf of [THEN, NOW]) {
      expect(await seen(asOf)).to.deep.equal([['C3'], ['A1', 'C3'], ['B2']]);
    }
    const [brazil] = await grants.list('brazil');
    expect(brazil?.deals).to.equal(1);
    await sound();
    await history.revert(history.done[1] as never);
    expect(await seen(NOW)).to.deep.equal([all, all, []]);
    await sound();
  });

  it('show nothing to a new borrower before the day on which it is the borrower', async () => {
    await sqlEntitlements(database).grant({
      customer: 'brazil',
      role: 'borrower',
      lenderId: undefined,
      deals: { country: 'BR' },
    });
    const deal = (await read(THEN))[0]?.deal.id ?? '';
    const borrower = await party('Ministry of Works');
    const file = (day: string) => ({
      effectiveDate: date(day),
      details: [{ deal, name: 'Roads', borrower, country: 'BR' }],
    });
    await history.post(deal, file('2999-01-01'));
    expect(await loans(THEN, {}, { customer: 'brazil' })).to.deep.equal([]);
    await history.post(deal, { ...file('2024-01-01') });
    expect(await loans(THEN, {}, { customer: 'brazil' })).to.deep.equal(['A1']);
  });

  it('are kept where a later statement leaves their cells empty', async () => {
    const row = {
      'Project Name': 'Ports',
      Borrower: 'Port Authority',
      Guarantor: 'Republic of India',
      'Guarantor Country / Economy Code': 'IN',
      'Interest Rate': '4.75',
      'Last Repayment Date': '01/15/2030',
    };
    const importRow = (day: string, cells: Readonly<Record<string, string>>) =>
      importWorldBank(database, statement(day, [{ 'Loan Number': 'D4', ...cells }]));
    const kinds = ({ changes }: ImportReport) =>
      changes
        .filter(({ kind }) => kind !== 'vanished')
        .flatMap(({ changes: told }) => told.map(({ field }) => field));
    const facts = async () => {
      const [last] = await database.query(
        `SELECT coalesce(dd.name, d.name) AS name, b.name AS borrower, g.name AS guarantor,
           coalesce(ct.all_in_rate, c.all_in_rate)::float8 AS rate,
           coalesce(ct.maturity_date, c.maturity_date)::text AS maturity
         FROM deal d JOIN loan_contract c ON c.deal_key = d.key
         LEFT JOIN LATERAL (SELECT * FROM deal_details t WHERE t.deal_key = d.key
           ORDER BY t.known_seq DESC LIMIT 1) dd ON true
         LEFT JOIN LATERAL (SELECT * FROM contract_terms t WHERE t.contract_key = c.key
           ORDER BY t.known_seq DESC LIMIT 1) ct ON true
         JOIN party b ON b.key = coalesce(dd.borrower_key, d.borrower_key)
         LEFT JOIN party g ON g.key = CASE WHEN dd.deal_key IS NULL THEN d.guarantor_key
           ELSE dd.guarantor_key END
         WHERE d.deal_number = 'D4'`,
      );
      return Object.values(last ?? {});
    };
    const all = ['Ports', 'Port Authority', 'Republic of India', 0.0475, '2030-01-15'];
    await importRow('05/31/2023', row);
    expect(await facts()).to.deep.equal(all);
    expect(kinds(await importRow('06/30/2023', { Borrower: '' }))).to.deep.equal([]);
    // What is stated changes, and the rest of the names goes with it as it was known.
    const renamedOnly = { Borrower: '', 'Project Name': 'Ports II', 'Loan Status': 'Fully Repaid' };
    expect(kinds(await importRow('07/31/2023', renamedOnly))).to.deep.equal(['status', 'name']);
    expect(await facts()).to.deep.equal(['Ports II', ...all.slice(1)]);
    const guaranteed = { ...row, 'Guarantor Country / Economy Code': '', 'Project Name': '' };
    expect(kinds(await importRow('08/31/2023', guaranteed))).to.deep.equal(['status']);
    expect(await facts()).to.deep.equal(['Ports II', ...all.slice(1)]);
    await sound();
  });

  it('go through a journal file without loss', async () => {
    await importLater();
    const id = await party('Ministry of Roads');
    const change = { party: id, name: 'Road Ministry', from: date(NOW), reason: 'as registered' };
    await sqlPartyNames(database).rename(change, true);
    const [text, copied] = [await exported(database), await engine.open(MIGRATIONS)];
    try {
      const lines = async function* () {
        yield* text.trimEnd().split('\n');
      };
      const report = await importJournals(sqlJournals(copied), { lines, apply: true });
      expect(report.faults).to.deep.equal([]);
      expect(await exported(copied)).to.equal(text);
      const again = await importJournals(sqlJournals(copied), { lines, apply: true });
      expect(again.outcome).to.equal('applied_before');
    } finally {
      await copied.close();
    }
  });

  it('are corrected for a party with a reason, in every deal that it takes part in', async () => {
    const partyNames = sqlPartyNames(database);
    const id = await party('Ministry of Works');
    const change = {
      party: id,
      name: 'Works Ministry',
      from: date('2023-01-01'),
      reason: 'spelt wrong',
    };
    const dry = await partyNames.rename(change, false);
    expect(dry).to.deep.equal({ outcome: 'valid', before: 'Ministry of Works', deals: 3 });
    expect((await names(NOW)).map(([, , , name]) => name)).to.include('Ministry of Works');
    const before = history.lastSeq;
    expect((await partyNames.rename(change, true)).outcome).to.equal('renamed');
    expect((await partyNames.rename(change, true)).outcome).to.equal('unchanged');
    expect((await partyNames.rename({ ...change, party: 'pty_x' }, true)).outcome).to.equal(
      'unknown',
    );
    const seq = before + 3n;
    const borrowers = async (asOf: string, ledgerSeq: bigint) => [
      ...new Set((await names(asOf, {}, undefined, ledgerSeq)).map(([, , , name]) => name)),
    ];
    expect(await borrowers(NOW, seq)).to.deep.equal(['Works Ministry']);
    expect(await borrowers(THEN, seq)).to.deep.equal(['Ministry of Works']);
    expect(await borrowers(NOW, before)).to.deep.equal(['Ministry of Works']);
    const store = sqlBalanceStore(database);
    const changed = await store.changedDeals(
      { fullControl: true },
      {
        now: { asOf: date(NOW), ledgerSeq: seq },
        before: { asOf: date(NOW), ledgerSeq: before },
        afterSeq: before,
        dealIds: [],
        fromKey: 0n,
        limit: 10,
      },
    );
    expect(changed).to.have.length(3);
    await sound();
    // The former name in a statement still means the party, and so does the new one.
    const next = await history.import(
      '2024-06-30',
      new Map([
        ['A1', told],
        ['B2', { ...told, borrower: 'Works Ministry' }],
        ['C3', told],
      ]),
    );
    expect(next.report).to.not.have.property('details_changed');
    expect(await party('Works Ministry')).to.equal(id);
  });

  async function exported(from: Database): Promise<string> {
    let text = '';
    await exportJournals(sqlJournals(from), async (part) => {
      text += part;
    });
    return text;
  }
});
