import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { exportJournals } from '../src/journal-file/export-journals.ts';
import { importJournals, type JournalImportReport } from '../src/journal-file/import-journals.ts';
import type {
  BookRecord,
  DealRecord,
  FacilityRecord,
  JournalRecord,
  PartyRecord,
} from '../src/journal-file/record.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { date } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';
import { fileOf } from './support/journal-lines.ts';
import { aJournal, aLoan, aParty } from './support/records.ts';

describeOnDatabase('a journal file', (engine) => {
  const opened: Database[] = [];
  const emptyBook = async () => {
    const database = await engine.open(MIGRATIONS);
    opened.push(database);
    return database;
  };
  after(() => Promise.all(opened.map((database) => database.close())));

  const load = (database: Database, lines: readonly string[], apply = true) =>
    importJournals(sqlJournals(database), {
      apply,
      lines: async function* () {
        yield* lines;
      },
    });
  const exported = async (database: Database, fromSeq = 1n) => {
    let text = '';
    const receive = async (part: string) => {
      text += part;
    };
    await exportJournals(sqlJournals(database), receive, fromSeq);
    return text;
  };
  const count = async (database: Database) =>
    (await database.query<{ n: bigint }>('SELECT count(*) AS n FROM posting'))[0]?.n;

  const { records, answers } = generated({ contracts: 4 });
  let book: Database;
  before(async () => {
    book = await emptyBook();
    expect((await load(book, fileOf(records), false)).outcome).to.equal('valid');
    expect(await count(book)).to.equal(0n);
    expect((await load(book, fileOf(records))).outcome).to.equal('applied');
  });

  it('brings the balances that the generated book must have', async () => {
    for (const answer of answers) {
      const [row] = await book.query<Record<string, bigint>>(
        `SELECT sum(b.principal_cash)::int8 AS cash, sum(b.principal_pik)::int8 AS pik,
           sum(b.unfunded)::int8 AS unfunded, sum(b.letter_of_credit)::int8 AS lc,
           sum(b.interest_due)::int8 AS due, sum(b.original_commitment)::int8 AS original
         FROM balance_line l CROSS JOIN LATERAL (
           SELECT * FROM balance WHERE line_key = l.key
           ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b
         WHERE l.lender_key = 0 AND l.facility_key = (SELECT key FROM facility WHERE id = $1)`,
        [answer.facility],
      );
      expect(row).to.deep.equal({
        cash: answer.principalCash,
        pik: answer.principalPik,
        unfunded: answer.unfunded,
        lc: answer.letterOfCredit,
        due: answer.interestDue,
        original: answer.originalCommitment,
      });
    }
  });

  it('is the same to the byte when it is exported, imported elsewhere and exported again', async () => {
    const first = await exported(book);
    const copy = await emptyBook();
    expect((await load(copy, first.trimEnd().split('\n'))).outcome).to.equal('applied');
    expect(await exported(copy)).to.equal(first);
  });

  it('keeps which bill an adjusting item corrects', async () => {
    const corrected = await emptyBook();
    await load(corrected, fileOf(records));
    const bill = (through: string) =>
      billAccruals(sqlBilling(corrected), {
        through: date(through),
        dueDate: date('2025-04-01'),
        apply: true,
      });
    await bill('2025-03-01');
    const journals = records.filter((record) => record.object === 'journal');
    const late = journals.flatMap(({ deal, rates }) =>
      rates.map(
        (rate): JournalRecord => ({
          ...aJournal({ id: deal } as DealRecord, 'rate_set', '2025-02-01', []),
          rates: [{ ...rate, startDate: date('2025-02-01'), allInRate: '0.123400000000' }],
        }),
      ),
    );
    const subjects = new Map(
      late.map((journal) => [JSON.stringify({ ...journal.rates[0], id: '' }), journal]),
    );
    await loadRecords(corrected, [...subjects.values()]);
    expect((await bill('2025-03-15')).corrections).to.be.greaterThan(0);
    const first = await exported(corrected);
    expect(first).to.include('"corrects":"jrn_');
    const lines = first.trimEnd().split('\n');
    const copy = await emptyBook();
    expect((await load(copy, lines)).outcome).to.equal('applied');
    expect(await exported(copy)).to.equal(first);
    const { checks } = await sqlReconciler(copy).reconcile(1);
    expect(checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
    // Without the bill the item would correct nothing.
    const item = lines.map((line) => JSON.parse(line)).find(({ corrects }) => corrects);
    const cut = lines.slice(0, -1).map((line) => JSON.parse(line) as { id: string });
    const report = await load(
      await emptyBook(),
      fileOf(cut.filter(({ id }) => id !== item.corrects)),
    );
    expect(report.faults.map(({ field, code }) => `${field} ${code}`)).to.include(
      'corrects unknown_reference',
    );
  });

  it('changes nothing when it is imported again', async () => {
    const before = await count(book);
    const report = await load(book, fileOf(records));
    expect(report.faults).to.deep.equal([]);
    expect(report.outcome).to.equal('applied_before');
    expect(report.known).to.equal(records.length);
    expect(await count(book)).to.equal(before);
  });

  it('adds what is new to a book that has the rest', async () => {
    const partial = await emptyBook();
    const half = records.slice(0, Math.floor(records.length / 2));
    await load(partial, fileOf(half));
    const report = await load(partial, fileOf(records));
    expect([report.outcome, report.known]).to.deep.equal(['applied', half.length]);
    expect(await count(partial)).to.equal(await count(book));
  });

  it('keeps exchange rates, authors and sources, the same rate twice too', async () => {
    const rate = { object: 'fx_rate', date: '2024-01-31', from: 'EUR', to: 'USD', source: 'ECB' };
    const rates = ['1.1', '1.2', '1.1'].map((text) => ({ ...rate, rate: text }));
    const at = records.findIndex(({ object }) => object === 'journal');
    const journal = { ...records[at], createdBy: 'operator', sourceRef: 'notice 7', reason: 'r' };
    const whole = [...records.with(at, journal as BookRecord), ...rates];
    const database = await emptyBook();
    expect((await load(database, fileOf(whole))).outcome).to.equal('applied');
    const again = await load(database, fileOf(whole));
    expect([again.outcome, again.known]).to.deep.equal(['applied_before', whole.length]);
    const more = await load(database, fileOf([...whole, { ...rate, rate: '1.2' }]));
    expect([more.outcome, more.known]).to.deep.equal(['applied', whole.length]);
    const text = await exported(database);
    expect(text.match(/"rate":"1\.\d"/g)).to.have.length(4);
    expect(text).to.include('"createdBy":"operator"').and.include('"sourceRef":"notice 7"');
  });

  it('exported from a sequence on brings a copy up to date', async () => {
    const behind = await emptyBook();
    const ahead = await emptyBook();
    const half = records.slice(0, Math.floor(records.length / 2));
    for (const database of [behind, ahead]) await load(database, fileOf(half));
    const [end] = await ahead.query<{ seq: bigint }>('SELECT max(seq) AS seq FROM journal');
    await load(ahead, fileOf(records));
    const rest = await exported(ahead, (end?.seq ?? 0n) + 1n);
    expect(rest.length).to.be.lessThan((await exported(ahead)).length);
    expect((await load(behind, rest.trimEnd().split('\n'))).outcome).to.equal('applied');
    expect(await exported(behind)).to.equal(await exported(ahead));
  });

  it('with lines that the book has otherwise is refused, naming the field', async () => {
    const journalAt = records.findIndex(({ object }) => object === 'journal');
    for (const [at, change, field] of [
      [0, { name: 'Another' }, 'name'],
      [journalAt, { effectiveDate: '2023-01-01' }, 'effectiveDate'],
    ] as const) {
      const changed = { ...records[at], ...change } as BookRecord;
      const report = await load(book, fileOf(records.with(at, changed)));
      expect(report.faults.map((one) => [one.line, one.field, one.code])).to.deep.equal([
        [at + 1, field, 'differs_from_book'],
      ]);
    }
  });

  it('with what was posted or reversed before, under another id, is refused', async () => {
    const reversal = records.find((one) => one.object === 'journal' && one.reverses !== undefined);
    const renamed = { ...reversal, id: `jrn_${'9'.repeat(26)}` } as JournalRecord;
    const codesOf = async (record: BookRecord) =>
      (await load(book, fileOf([record]))).faults.map(({ code }) => code);
    expect(await codesOf(renamed)).to.deep.equal(['posted_before', 'reversed_twice']);
    const reKeyed = { ...renamed, idempotencyKey: 'new' };
    expect(await codesOf(reKeyed)).to.deep.equal(['reversed_twice']);
  });

  describe('with faults', () => {
    const other = generated({ seed: 11, contracts: 2, years: 1 }).records;
    const journalAt = other.findIndex(
      (record) => record.object === 'journal' && record.type === 'advance',
    );
    const advance = other[journalAt] as JournalRecord;
    const changed = (change: Partial<JournalRecord>): string[] =>
      fileOf(other.with(journalAt, { ...advance, ...change }));
    const firstPosting = (change: object) =>
      changed({
        postings: [{ ...advance.postings[0], ...change } as never, ...advance.postings.slice(1)],
      });
    const codes = ({ faults }: JournalImportReport) => [...new Set(faults.map(({ code }) => code))];

    for (const [what, lines, code] of [
      [
        'a journal that does not balance',
        () => changed({ postings: advance.postings.slice(1) }),
        'unbalanced',
      ],
      [
        'shares that do not add up',
        () => changed({ postings: advance.postings.slice(0, 2) }),
        'shares_differ',
      ],
      [
        'an unknown facility',
        () => firstPosting({ facility: `fac_${'0'.repeat(26)}` }),
        'unknown_reference',
      ],
      [
        'a lender without a position',
        () =>
          firstPosting({
            lender: (other[39] as PartyRecord).id,
            facility: advance.postings[0]?.facility,
          }),
        'unknown_reference',
      ],
      [
        'another currency',
        () => firstPosting({ currency: 'CHF', amount: '1.00' }),
        'other_currency',
      ],
      ['a wrong number of digits', () => firstPosting({ amount: '1.5' }), 'invalid_amount'],
      [
        'a movement where none belongs',
        () => firstPosting({ account: 'UNFUNDED' }),
        'invalid_movement',
      ],
      [
        'a due date where none belongs',
        () => firstPosting({ dueDate: '2024-01-01' }),
        'invalid_due_date',
      ],
      [
        'a date that is none',
        () => changed({ effectiveDate: '2023-02-30' as never }),
        'invalid_record',
      ],
      ['a field that is not known', () => changed({ colour: 'blue' } as never), 'invalid_record'],
      [
        'a reversal of what is not there',
        () => changed({ reverses: `jrn_${'Z'.repeat(26)}` }),
        'unknown_reference',
      ],
      ['an id used twice', () => fileOf([...other, advance]), 'duplicate_id'],
      ['a line that is no JSON', () => ['{', ...fileOf(other)], 'malformed_json'],
      ['no summary, because it was cut', () => fileOf(other).slice(0, -1), 'cut'],
      [
        'half a line at its end',
        () => {
          const lines = fileOf(other).slice(0, 30);
          return lines.with(-1, (lines.at(-1) ?? '').slice(0, 50));
        },
        'malformed_json',
      ],
      [
        'a summary of another file',
        () => fileOf(other).with(-1, fileOf(records).at(-1) ?? ''),
        'control_total',
      ],
      ['a line that was lost', () => fileOf(other).toSpliced(-2, 1), 'control_total'],
    ] as const) {
      it(`is refused for ${what}, and nothing is written`, async () => {
        const before = await count(book);
        const report = await load(book, lines());
        expect(report.outcome).to.equal('refused');
        expect(codes(report)).to.include(code);
        expect(await count(book)).to.equal(before);
      });
    }

    it('says by what amount a journal does not balance, and shares do not add up', async () => {
      const [first, ...rest] = advance.postings;
      const amount = `${Number(first?.amount) + 9_999.99}`;
      const { currency = '', facility, contract, account, movement } = first ?? {};
      const { faults } = await load(
        book,
        changed({ postings: [{ ...first, amount }, ...rest] as never }),
      );
      const line = [facility, contract, account, movement].filter(Boolean).join(' ');
      expect(faults.map(({ message }) => message)).to.include.members([
        `globally: debits less credits are 9999.99 ${currency}`,
        `${line}: lenders’ amounts are off by 9999.99 ${currency}`,
      ]);
    });

    it('is refused for names that another record has, in the book or in the file', async () => {
      const deal = other.find(({ object }) => object === 'deal') as DealRecord;
      const taken = records.find(({ object }) => object === 'deal') as DealRecord;
      const external = [{ source: 'LXID', value: 'LX1' }];
      const renamed = (n: number, dealNumber: string, externalIds: typeof external) => {
        return { ...deal, id: `deal_${`${n}`.repeat(26)}`, dealNumber, externalIds };
      };
      const parties = other.filter(({ object }) => object === 'party');
      const lines = fileOf([
        ...parties,
        renamed(1, 'once', external),
        renamed(2, 'once', []),
        renamed(3, taken.dealNumber, external),
      ]);
      const { faults } = await load(book, lines);
      expect(faults.map(({ line, field, code }) => [line, field, code])).to.deep.equal([
        [parties.length + 2, 'dealNumber', 'duplicate_name'],
        [parties.length + 3, 'dealNumber', 'duplicate_name'],
        [parties.length + 3, 'externalIds', 'duplicate_name'],
      ]);
    });

    it('is refused for rates, terms and settlements of another deal, or of what has none', async () => {
      const facilities = other.filter(({ object }) => object === 'facility') as FacilityRecord[];
      const mine = facilities.find(({ deal }) => deal === advance.deal) as FacilityRecord;
      const foreign = records.find(({ object }) => object === 'facility') as FacilityRecord;
      const contract = other.find(
        (record) => record.object === 'contract' && record.facility === mine.id,
      ) as { id: string };
      const elsewhere = records.find(({ object }) => object === 'contract') as { id: string };
      const rate = { startDate: '2024-01-01' as never, allInRate: '0.05' };
      const report = await load(
        book,
        changed({
          rates: [
            { facility: foreign.id, component: 'commitment_fee', ...rate },
            { facility: mine.id, component: 'interest', ...rate },
            { facility: mine.id, contract: elsewhere.id, component: 'interest', ...rate },
            { facility: mine.id, contract: contract.id, component: 'commitment_fee', ...rate },
          ],
          terms: [{ facility: foreign.id, status: 'active' }],
        }),
      );
      expect(report.faults.map(({ field, code }) => [field, code])).to.deep.equal([
        ['terms.0', 'other_deal'],
        ['rates.0', 'other_deal'],
        ['rates.1.contract', 'invalid_subject'],
        ['rates.2.contract', 'unknown_reference'],
        ['rates.3.contract', 'invalid_subject'],
      ]);
    });

    it('is refused for an adjusting item whose bill is of another deal, in the book or in the file', async () => {
      const inBook = records.find((one) => one.object === 'journal') as JournalRecord;
      const party = aParty('Borrower of another deal');
      const { deal, all } = aLoan(party, []);
      const item = aJournal(deal, 'terms', '2025-02-01', [], { corrects: advance.id });
      for (const lines of [
        changed({ corrects: inBook.id }),
        fileOf([...other, party, ...all, item]),
      ]) {
        const { faults } = await load(book, lines);
        const told = faults.map(({ field, code, message }) => [field, code, message]);
        expect(told).to.deep.equal([['corrects', 'other_deal', 'it belongs to another deal']]);
      }
    });

    it('names a faulty record once, and not again wherever it is named', async () => {
      const lines = fileOf(other.with(0, { ...other[0], name: '' } as BookRecord));
      const { faults } = await load(book, lines);
      expect(faults.map(({ line, field }) => [line, field])).to.deep.equal([[1, 'name']]);
    });

    it('tells every fault with its line, at once', async () => {
      const lines = firstPosting({ amount: '1.5' });
      const report = await load(book, ['nonsense', ...lines, 'after']);
      expect(report.faults.map(({ line, code }) => [line, code])).to.deep.equal([
        [1, 'malformed_json'],
        [journalAt + 2, 'invalid_amount'],
        [lines.length + 2, 'after_summary'],
      ]);
      expect(report.faultCount).to.equal(3);
    });

    it('is refused in a closed period, and taken when it is open again', async () => {
      const database = await emptyBook();
      const close = (through: string) =>
        database.query(`INSERT INTO period_close (through, reason) VALUES ($1, 'year end')`, [
          through,
        ]);
      await close('2030-12-31');
      expect(codes(await load(database, fileOf(other)))).to.deep.equal(['period_closed']);
      await close('2000-01-01');
      expect((await load(database, fileOf(other))).outcome).to.equal('applied');
    });
  });
});
