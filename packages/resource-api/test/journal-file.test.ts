import type { Database } from '@cls/shared/sql/database';
import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import { describeOnEngines } from '@cls/shared/testing/engines';
import { expect } from 'chai';
import { exportJournals } from '../src/journal-file/export-journals.ts';
import { importJournals, type JournalImportReport } from '../src/journal-file/import-journals.ts';
import type { BookRecord, JournalRecord, PartyRecord } from '../src/journal-file/record.ts';
import { JournalFileSummary } from '../src/journal-file/summary.ts';
import { MIGRATIONS } from '../src/store/migrations.ts';
import { sqlJournals } from '../src/store/sql-journals.ts';
import { generated } from './support/generated.ts';

/** The lines of a file with these records, summary included. */
function fileOf(records: readonly object[]): string[] {
  const summary = new JournalFileSummary();
  const lines = records.map((record) => {
    const line = JSON.stringify(record);
    summary.addLine(line);
    summary.addRecord(record as BookRecord);
    return line;
  });
  return [...lines, JSON.stringify(summary.result())];
}

describeOnEngines('a journal file', (engine) => {
  const opened: Database[] = [];
  const emptyBook = async () => {
    const database = await engine.open();
    opened.push(database);
    await migrate(database, readMigrations(MIGRATIONS));
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
  const exported = async (database: Database) => {
    let text = '';
    await exportJournals(sqlJournals(database), async (part) => {
      text += part;
    });
    return text;
  };
  const count = async (database: Database) =>
    (await database.query<{ n: bigint }>('SELECT count(*) AS n FROM posting'))[0]?.n;

  const { records, answers } = generated();
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
