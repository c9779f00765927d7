import { createHash } from 'node:crypto';
import type { Database, Transaction } from '@cls/shared/sql/database';
import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import { anyEngine, describeOnEngines } from '@cls/testing/engines';
import { expect } from 'chai';
import type { ChainLink } from '../src/chain/ledger-chain.ts';
import { sqlLedgerChain } from '../src/chain/sql-ledger-chain.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { revertImport } from '../src/import/sql/revert-import.ts';
import { lockJournal, postJournals } from '../src/posting/post-journals.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { date, importWorldBank, statement } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';
import { aLoan, aParty } from './support/records.ts';
import { MIGRATIONS_OF_0_5_0 } from './support/release.ts';

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

async function linksOf(database: Database): Promise<readonly ChainLink[]> {
  const links: ChainLink[] = [];
  await sqlLedgerChain(database).read(1n, async (some) => void links.push(...some));
  return links;
}

/** As an auditor does it, who has the export alone. */
function expectChained(links: readonly ChainLink[]): void {
  let before = '0'.repeat(64);
  for (const [index, { seq, hash, content }] of links.entries()) {
    expect(seq).to.equal(BigInt(index + 1));
    expect(hash, content).to.equal(sha256(`${before}\n${content}`));
    before = hash;
  }
}

const LOAN = {
  'Loan Number': 'X1',
  'Original Principal Amount': '100',
  'Disbursed Amount': '60',
  'Undisbursed Amount': '40',
  'Due to IBRD': '60',
  "Borrower's Obligation": '60',
  'Loans Held': '100',
};

describeOnEngines('the chain of journals', (engine) => {
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    await importWorldBank(database, statement('03/31/2024', [LOAN]));
    await loadRecords(database, generated({ contracts: 8, years: 1 }).records);
    const repaid = { ...LOAN, 'Loan Status': 'Repaid', 'End of Period': '' };
    await importWorldBank(database, statement('06/30/2024', [repaid]));
    const [last] = await database.query<{ id: string }>(
      'SELECT id FROM import_batch ORDER BY key DESC LIMIT 1',
    );
    await revertImport(database, last?.id ?? '', true);
    // Nothing is posted after these names.
    const externalIds = [{ source: 'agent', value: 'LAST-1' }];
    const party = { ...aParty('Last'), legalName: 'Last Ltd', externalIds };
    await loadRecords(database, [party, ...aLoan(party, []).all]);
  });
  after(() => database?.close());

  it('has a hash for every journal, which its export alone is enough to recompute', async () => {
    const links = await linksOf(database);
    const [counted] = await database.query<{ count: bigint }>('SELECT count(*) FROM journal');
    expect(BigInt(links.length)).to.equal(counted?.count);
    expectChained(links);
    const head = await sqlLedgerChain(database).head();
    expect(head).to.include({ seq: links.at(-1)?.seq, hash: links.at(-1)?.hash });
  });

  it('is the same for the same journals, whenever it is made and however a session writes dates', async () => {
    const before = await linksOf(database);
    await database.execute(`ALTER TABLE journal_hash DISABLE TRIGGER USER; DELETE FROM journal_hash;
      SET DateStyle = 'German'; SET TimeZone = 'Asia/Kolkata'; SET IntervalStyle = 'sql_standard';
      SELECT extend_chain(); RESET DateStyle; RESET TimeZone; RESET IntervalStyle;
      ALTER TABLE journal_hash ENABLE TRIGGER USER`);
    expect(await linksOf(database)).to.deep.equal(before);
  });

  it('contains a head that was kept, after more journals, and no other', async () => {
    const chain = sqlLedgerChain(database);
    const head = await chain.head();
    if (head === undefined) throw new Error('there is no head');
    await postNothing(database, 'more');
    expect(await chain.verify(head)).to.deep.equal([]);
    const [other] = await chain.verify({ seq: head.seq, hash: 'f'.repeat(64) });
    expect(other).to.include({ found: head.hash, expected: 'f'.repeat(64) });
    const [beyond] = await chain.verify({ seq: head.seq + 9n, hash: head.hash });
    expect(beyond).to.include({ found: 'no hash' });
  });

  it('takes nothing that becomes known with a journal after its transaction', async () => {
    for (const [table, columns, values] of [
      ['deal_terms', 'deal_key, effective_date, status', `1, '2030-01-01', 'active'`],
      [
        'deal',
        'id, name, deal_number, borrower_key, agent_key, country, status, booked_on',
        `'d', 'd', 'd', 1, 1, 'IN', 'active', '2020-01-01'`,
      ],
    ] as const) {
      const seq = table === 'deal' ? 'booked_seq' : 'known_seq';
      const refused = await database
        .execute(`INSERT INTO ${table} (${columns}, ${seq}) VALUES (${values}, 1)`)
        .catch((error: unknown) => error);
      expect(refused, table).to.have.property('constraint', 'known_with_its_journal');
    }
  });

  it('is made by nobody else, and never changed', async () => {
    for (const statement of [
      `INSERT INTO journal_hash (seq, hash) VALUES (99999, '${'0'.repeat(64)}')`,
      `UPDATE journal_hash SET hash = '${'0'.repeat(64)}'`,
      'DELETE FROM journal_hash',
      'TRUNCATE journal_hash',
    ]) {
      const refused = await database.execute(statement).catch((error: unknown) => error);
      expect(refused, statement).to.have.property('code', '23001');
    }
  });

  it('is no longer than the journals when a transaction is rolled back', async () => {
    const before = await sqlLedgerChain(database).head();
    const undone = new Error('undone');
    await database
      .transaction(async (transaction) => {
        await postTerms(transaction, 'undone');
        await transaction.execute('SET CONSTRAINTS ALL IMMEDIATE');
        throw undone;
      })
      .catch((error) => expect(error).to.equal(undone));
    expect(await sqlLedgerChain(database).head()).to.deep.equal(before);
  });

  for (const { what, sql } of [
    {
      what: 'a journal’s amounts and its balances were changed together',
      sql: `UPDATE posting SET amount_minor = amount_minor * 2 WHERE journal_seq = 2;
        UPDATE balance b SET (principal_cash, advances, unfunded, original_commitment) = (
          SELECT coalesce(sum(amount_minor) FILTER (WHERE account = 'PRINCIPAL_CASH'), 0),
            coalesce(sum(amount_minor) FILTER (WHERE movement = 'advance'), 0),
            coalesce(sum(amount_minor) FILTER (WHERE account = 'UNFUNDED'), 0),
            coalesce(sum(amount_minor) FILTER (WHERE account = 'ORIGINAL_COMMITMENT'), 0)
          FROM posting p WHERE p.line_key = b.line_key AND p.journal_seq <= b.known_seq
            AND p.effective_date <= b.effective_date)`,
    },
    { what: 'a reason was written anew', sql: `UPDATE journal SET reason = 'other' WHERE seq = 3` },
    {
      what: 'a journal was given another time',
      sql: `UPDATE journal SET posted_at = posted_at + interval '1 microsecond'
            WHERE posted_at = (SELECT max(posted_at) FROM journal)`,
    },
    {
      what: 'a rate was changed',
      sql: `UPDATE rate_period SET all_in_rate = all_in_rate + 0.0001
            WHERE known_seq = (SELECT min(known_seq) FROM rate_period)`,
    },
    {
      what: 'a status was changed',
      sql: `UPDATE contract_terms SET status = 'written_off'`,
    },
    {
      what: 'a settlement was taken away',
      sql: `DELETE FROM accrual_settlement
            WHERE known_seq = (SELECT max(known_seq) FROM accrual_settlement)`,
    },
    {
      what: 'a term was added to an old journal',
      sql: `INSERT INTO deal_terms SELECT deal_key, '2031-01-01', 1, 'matured' FROM journal
            WHERE seq = 1`,
    },
    {
      what: 'a lender was put in another’s place',
      sql: `UPDATE lender_position SET kind = CASE kind WHEN 'assignment' THEN 'participation'
            ELSE 'assignment' END WHERE key = (SELECT max(key) FROM lender_position)`,
    },
    {
      what: 'a facility counts days another way',
      sql: `UPDATE facility SET day_count = '30/360' WHERE key = (SELECT max(key) FROM facility)`,
    },
    {
      what: 'two lenders’ names were swapped, and the words by which they are found',
      sql: `CREATE TEMPORARY TABLE swapped AS
          SELECT min(lender_key) AS one, max(lender_key) AS other FROM lender_position;
        UPDATE party y SET name = (SELECT x.name FROM party x, swapped
            WHERE x.key = CASE y.key WHEN one THEN other ELSE one END)
          WHERE key IN (SELECT unnest(ARRAY[one, other]) FROM swapped);
        DELETE FROM party_word WHERE party_key IN (SELECT unnest(ARRAY[one, other]) FROM swapped);
        INSERT INTO party_word SELECT key, w, false FROM party CROSS JOIN words_of(name) w
          WHERE key IN (SELECT unnest(ARRAY[one, other]) FROM swapped)`,
    },
    ...[
      ['a party', `UPDATE party SET name = 'x' WHERE key = 1`],
      ['the last party', `UPDATE party SET name = 'x' WHERE name = 'Last'`],
      ['a legal name', `UPDATE party SET legal_name = 'x' WHERE legal_name = 'Last Ltd'`],
      ['a deal', `UPDATE deal SET name = 'x' WHERE key = 2`],
      ['a deal’s country', `UPDATE deal SET country = 'ZZ' WHERE key = 2`],
      ['a facility', `UPDATE facility SET name = 'x' WHERE key = 2`],
      ['an id elsewhere', `UPDATE external_id SET value = 'x' WHERE value = 'LAST-1'`],
    ].map(([name, sql = '']) => ({ what: `${name} was given another name`, sql })),
    {
      what: 'the last journal was deleted with all that it posted',
      sql: `DELETE FROM posting WHERE journal_seq = (SELECT max(seq) FROM journal);
        DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)`,
    },
    {
      what: 'two journals changed their numbers',
      sql: `UPDATE journal SET id = CASE seq WHEN 2 THEN 'jrn_2' ELSE 'jrn_3' END,
          effective_date = effective_date WHERE seq IN (2, 3);
        UPDATE posting SET journal_seq = -journal_seq WHERE journal_seq = 2;
        UPDATE posting SET journal_seq = 2 WHERE journal_seq = 3;
        UPDATE posting SET journal_seq = 3 WHERE journal_seq = -2`,
    },
    {
      what: 'a hash was made anew for a changed journal',
      sql: `UPDATE journal SET reason = 'other' WHERE seq = 3;
        UPDATE journal_hash h SET hash = chained_hash(
          (SELECT hash FROM journal_hash WHERE seq = 2),
          (SELECT content FROM journal_content(3, 3))) WHERE seq = 3`,
    },
    { what: 'a hash is gone', sql: 'DELETE FROM journal_hash WHERE seq = 3' },
  ]) {
    it(`no longer verifies, and says where, when ${what}`, async () => {
      const head = await sqlLedgerChain(database).head();
      if (head === undefined) throw new Error('there is no head');
      const [found] = await afterTampering(database, sql, (inside) =>
        sqlLedgerChain(inside).verify(head),
      );
      expect(found).to.include.keys('sequence', 'journal', 'found', 'expected');
    });
  }

  it('is checked by reconcile, too', async () => {
    const sound = await sqlReconciler(database).reconcile(1);
    expect(sound.checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
    const changed = `UPDATE journal SET reason = 'other' WHERE seq = 3`;
    const { checks } = await afterTampering(database, changed, (inside) =>
      sqlReconciler(inside).reconcile(0),
    );
    const chain = checks.find(({ invariant }) => invariant === 'chain_unbroken');
    expect(chain?.breaks[0]).to.include({ sequence: '3' });
  });

  it('shows by a head kept elsewhere what the database alone cannot: the end was cut off', async () => {
    const head = await sqlLedgerChain(database).head();
    if (head === undefined) throw new Error('there is no head');
    const cut = `DELETE FROM posting WHERE journal_seq = ${head.seq};
      DELETE FROM journal WHERE seq = ${head.seq}; DELETE FROM journal_hash WHERE seq = ${head.seq}`;
    const [found] = await afterTampering(database, cut, (inside) =>
      sqlLedgerChain(inside).verify(head),
    );
    expect(found).to.include({ sequence: `${head.seq}`, found: 'no hash', expected: head.hash });
  });

  it('covers every column of journals and of what becomes known with them', async () => {
    const rows = await database.query<{ name: string; column: string }>(
      `SELECT c.relname AS name, a.attname AS column
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
         AND NOT a.attisdropped
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
         AND (c.relname IN ('journal', 'posting') OR EXISTS (SELECT FROM pg_attribute k
           WHERE k.attrelid = c.oid AND k.attname IN ('known_seq', 'booked_seq')))`,
    );
    const [source] = await database.query<{ text: string }>(
      `SELECT string_agg(prosrc, ' UNION ALL ') AS text FROM pg_proc
       WHERE proname IN ('journal_content', 'record_names')`,
    );
    const uncovered = rows
      .filter(({ name }) => !FOLLOWS_FROM_JOURNALS.includes(name))
      .filter(({ name, column }) => !NOT_HASHED.has(`${name}.${column}`))
      .filter(({ name, column }) => !columnIsRead(source?.text ?? '', name, column))
      .map(({ name, column }) => `${name}.${column}`);
    expect(uncovered, 'add a line for it to journal_content in the migration').to.deep.equal([]);
  });
});

const FOLLOWS_FROM_JOURNALS = [
  'balance',
  'late_accrual_fact',
  'journal_standing',
  'presence',
  'book_date',
  'book_total',
  'sort_amount',
  'sort_label',
  'item_life',
];

/** Keys stand for ids; a deal follows from its facility. */
const NOT_HASHED = new Set([
  ...['party', 'deal', 'facility', 'loan_contract', 'lender_position'].map((name) => `${name}.key`),
  ...[
    'facility_terms',
    'facility_details',
    'contract_terms',
    'rate_period',
    'accrual_settlement',
  ].map((name) => `${name}.deal_key`),
  'loan_contract.deal_key',
  'lender_position.deal_key',
]);

/** Whether the branch of the function that reads the table names the column. */
function columnIsRead(source: string, table: string, column: string): boolean {
  return source
    .split(/UNION ALL|\), \w+ (?:AS|\()/)
    .filter((branch) => new RegExp(`FROM ${table}\\b`).test(branch))
    .some((branch) => new RegExp(`\\b${column}\\b`).test(branch));
}

describe('the chain of a book that was made before it', () => {
  it('is made by the migration', async () => {
    const database = await anyEngine.open();
    const old = readMigrations(MIGRATIONS_OF_0_5_0);
    const chained = old.findIndex(({ name }) => name.endsWith('hash-chain.sql'));
    await migrate(database, old.slice(0, chained));
    await database.execute(OLD_BOOK);
    await migrate(database, old);
    await migrate(database, readMigrations(MIGRATIONS));
    const links = await linksOf(database);
    expect(links).to.have.length(1);
    expectChained(links);
    expect(links[0]?.content.split('\n')).to.include('reason "it \\"moved\\""');
    await database.close();
  });
});

describe('the chain of a book from before its hashes covered names', () => {
  it('goes on, and covers the names from before with the next journal', async () => {
    const database = await anyEngine.open();
    const released = readMigrations(MIGRATIONS_OF_0_5_0);
    const named = released.findIndex(({ name }) => name.endsWith('records-have-journals.sql'));
    await migrate(database, released.slice(0, named));
    await database.execute(OLD_BOOK);
    // As 0.5.0 books a file without a journal: with a journal that has its hash.
    await database.execute(`INSERT INTO facility (id, deal_key, name, type, currency, status, booked_on,
        booked_seq) VALUES ('fac_2', 1, 'G', 'term_loan', 'USD', 'active', '2024-01-01', 1)`);
    const [old] = await linksOf(database);
    const kept = await sqlLedgerChain(database).head();
    await migrate(database, released);
    await migrate(database, readMigrations(MIGRATIONS));
    const chain = sqlLedgerChain(database);
    expect(await linksOf(database)).to.deep.equal([old]);
    if (kept === undefined) throw new Error('there is no head');
    expect(await chain.verify(kept)).to.deep.equal([]);
    await postNothing(database, 'next');
    const [first, next] = await linksOf(database);
    expect(first).to.deep.equal(old);
    expectChained(await linksOf(database));
    const lines = next?.content.split('\n') ?? [];
    const names = ['name deal_1 "D" "IN"', 'name fac_1 "F"', 'name fac_2 "G"', 'name pty_1 "A" -'];
    expect(lines).to.include(`names ${names.length} ${sha256(names.join('\n'))}`);
    expect(lines.filter((line) => line.startsWith('facility'))).to.have.length(2);
    const head = await chain.head();
    if (head === undefined) throw new Error('there is no head');
    expect(await chain.verify(head)).to.deep.equal([]);
    const renamed = `UPDATE deal SET name = 'E'`;
    const [broken] = await afterTampering(database, renamed, (inside) =>
      sqlLedgerChain(inside).verify(head),
    );
    expect(broken).to.include({ sequence: '2' });
    const later = aParty('Later');
    const { deal, all: records } = aLoan(later, []);
    await loadRecords(database, [later, ...records]);
    const last = (await linksOf(database)).at(-1)?.content.split('\n') ?? [];
    expect(last[1]).to.match(new RegExp(`^journal 3 jrn_\\w+ ${deal.id} records - `));
    expect(last).to.include.members([
      `name ${deal.id} "${deal.name}" "US"`,
      `party ${later.id} - -`,
      `name ${later.id} "Later" -`,
    ]);
    const { checks } = await sqlReconciler(database).reconcile(1);
    const sound = checks.filter(({ breakCount }) => breakCount === 0);
    expect(sound.map(({ invariant }) => invariant)).to.include.members([
      'chain_unbroken',
      'presence_follows_journals',
      'records_have_journals',
      'words_kept',
      'schema_as_migrated',
    ]);
    await database.close();
  });
});

const OLD_BOOK = `
  INSERT INTO party (id, name) VALUES ('pty_1', 'A');
  INSERT INTO deal (id, name, deal_number, borrower_key, agent_key, country, status, booked_on,
    booked_seq) VALUES ('deal_1', 'D', '1', 1, 1, 'IN', 'active', '2024-01-01', 1);
  INSERT INTO facility (id, deal_key, name, type, currency, status, booked_on, booked_seq)
    VALUES ('fac_1', 1, 'F', 'term_loan', 'USD', 'active', '2024-01-01', 1);
  INSERT INTO balance_line (deal_key, facility_key, contract_key, lender_key, currency)
    VALUES (1, 1, 0, 0, 'USD');
  BEGIN;
  SELECT set_config('cls.posted_at', '2024-01-02 03:04:05.000006+00', true);
  INSERT INTO journal (seq, id, effective_date, type, deal_key, idempotency_key, reason)
    VALUES (1, 'jrn_1', '2024-01-01', 'original_commitment', 1, 'k', 'it "moved"');
  INSERT INTO posting (journal_seq, number, line_key, account, amount_minor, effective_date)
    VALUES (1, 1, 1, 'UNFUNDED', 5, '2024-01-01'), (1, 2, 1, 'MEMO', -5, '2024-01-01');
  COMMIT;`;

async function postTerms(transaction: Transaction, key: string): Promise<void> {
  const seq = await lockJournal(transaction);
  const journal = { type: 'terms', effectiveDate: date('2026-01-01'), postings: [] } as const;
  const named = { ...journal, deal: 1n, idempotencyKey: key };
  await postJournals(transaction, [named], seq);
}

function postNothing(database: Database, key: string): Promise<void> {
  return database.transaction((transaction) => postTerms(transaction, key));
}

/** Runs `work` on what a superuser left behind, and undoes it. */
async function afterTampering<T>(
  database: Database,
  sql: string,
  work: (inside: Database) => Promise<T>,
): Promise<T> {
  let result: { of: T } | undefined;
  const undo = new Error('undone');
  await database
    .transaction(async (transaction) => {
      const tables = await transaction.query<{ name: string }>(
        `SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger WHERE NOT tgisinternal`,
      );
      const each = (state: string) =>
        tables.map(({ name }) => `ALTER TABLE ${name} ${state} TRIGGER USER`).join(';');
      const keys = await transaction.query<{ drop: string }>(
        `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop
         FROM pg_constraint WHERE contype = 'f'`,
      );
      await transaction.execute(`${each('DISABLE')};${keys.map(({ drop }) => drop).join(';')}`);
      await transaction.execute(sql);
      await transaction.execute(each('ENABLE'));
      const run: Database['transaction'] = (again) => again(transaction);
      result = { of: await work({ ...database, ...transaction, transaction: run }) };
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  if (result === undefined) throw new Error('nothing was looked at');
  return result.of;
}
