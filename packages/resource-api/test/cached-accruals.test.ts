import { Random } from '@cls/book-generator/random';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import type { JournalRecord } from '../src/journal-file/record.ts';
import { type BusinessDate, daysAfter } from '../src/ledger/business-date.ts';
import { accrualsIn } from '../src/questions/accruals/accruals.ts';
import { accrualStatement } from '../src/questions/accruals/sql/accrual-statement.ts';
import { type StreamRow, toStreams } from '../src/questions/accruals/sql/accrual-streams.ts';
import { cachedAccruals } from '../src/questions/accruals/sql/cached-accruals.ts';
import {
  type AccruedAmounts,
  LEVELS,
  type Level,
  type Snapshot,
} from '../src/questions/ask/balance-store.ts';
import { ITEM_TABLES } from '../src/questions/ask/sql/balance-levels.ts';
import { readAll } from '../src/questions/ask/sql/statement.ts';
import { mostlyInOrder } from './support/any-order.ts';
import { date } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';
import { listening } from './support/listening.ts';
import { expectReconciled } from './support/reconciled.ts';

const SEED = 29;
const QUESTIONS = 4;
const [FIRST, LAST] = [date('2023-01-10'), date('2025-03-01')];

describeOnDatabase('amounts that accrue, from histories that are cached', (engine) => {
  let database: Database;
  const asked: string[] = [];
  const heard = (sql: string) => asked.push(sql);
  const random = new Random(SEED);
  beforeEach(async function () {
    this.timeout(0);
    database = await engine.open(MIGRATIONS);
    asked.length = 0;
  });
  afterEach(() => database?.close());

  const newestSeq = async (book = database): Promise<bigint> => {
    const [row] = await book.query<{ seq: bigint }>(
      'SELECT coalesce(max(seq), 0) AS seq FROM journal',
    );
    return row?.seq ?? 0n;
  };
  const keysOf = async (level: Level, book = database): Promise<readonly bigint[]> => {
    const rows = await book.query<{ key: bigint }>(
      `SELECT key FROM ${ITEM_TABLES[level]} ORDER BY key`,
    );
    return rows.map(({ key }) => key);
  };
  const aDay = (): BusinessDate => {
    const days = (Date.parse(LAST) - Date.parse(FIRST)) / 86_400_000;
    return daysAfter(FIRST, random.between(0, days));
  };
  const workedOutAnew = async (
    level: Level,
    keys: readonly bigint[],
    snapshot: Snapshot,
    book = database,
  ): Promise<ReadonlyMap<bigint, AccruedAmounts>> => {
    const rows = await readAll<StreamRow>(book, accrualStatement(level, keys, snapshot));
    const streams = toStreams(rows);
    const accrualsOf = accrualsIn(streams);
    return new Map([...streams.keys()].map((key) => [key, accrualsOf(key).amounts]));
  };

  for (const [often, chance] of Object.entries({ rarely: 0.004, often: 0.03 })) {
    it(`are those that the database works out, where journals ${often} come late or are taken back`, async () => {
      await expectSameAmounts(chance);
    });
  }

  /** After each change, for each two times. */
  const expectSameAmounts = async (chance: number) => {
    const cached = accrualsOf(listening(database, heard));
    const { records } = generated({ contracts: 14, years: 2, sublimits: true, seed: 17 });
    await loadRecords(
      database,
      records.filter(({ object }) => object !== 'journal'),
    );
    const rest = mostlyInOrder(
      records.flatMap((record) => (record.object === 'journal' ? [record] : [])),
      chance,
      random,
    );
    const seqs: bigint[] = [];
    const paths = { cached: 0, worked: 0 };
    while (rest.length > 0) {
      await loadRecords(database, rest.splice(0, random.pick([1, 3, 40])));
      const newest = await newestSeq();
      seqs.push(newest);
      for (let question = 0; question < QUESTIONS; question += 1) {
        const level = random.pick(LEVELS);
        const ledgerSeq = random.chance(0.8) ? newest : random.pick(seqs as [bigint]);
        const snapshot = { asOf: aDay(), ledgerSeq };
        const all = await keysOf(level);
        const keys = random.chance(0.5) ? all : all.filter(() => random.chance(0.3));
        asked.length = 0;
        const found = await cached(level, keys, snapshot);
        paths[asked.some(isWorkedOut) ? 'worked' : 'cached'] += 1;
        const expected = await workedOutAnew(level, keys, snapshot);
        const what = `${level} ${snapshot.asOf} known ${ledgerSeq} of ${newest}`;
        expect(amounts(level, found), what).to.deep.equal(amounts(level, expected));
      }
    }
    expect(paths.cached, JSON.stringify(paths)).to.be.greaterThan(10);
    expect(paths.worked, JSON.stringify(paths)).to.be.greaterThan(10);
    await expectReconciled(database);
  };

  it('are read no more until a journal of their deal is posted', async () => {
    const cached = accrualsOf(listening(database, heard));
    const { records } = generated({ contracts: 6, years: 1 });
    const last = records.findLast(({ object }) => object === 'journal') as JournalRecord;
    await loadRecords(
      database,
      records.filter((record) => record !== last),
    );
    const keys = await keysOf('contract');
    const ask = async (asOf: string): Promise<number> => {
      const ledgerSeq = await newestSeq();
      asked.length = 0;
      await cached('contract', keys, { asOf: date(asOf), ledgerSeq });
      return asked.length;
    };
    // The last journals of their deals, and the histories.
    expect(await ask('2023-06-30')).to.equal(2);
    expect(await ask('2023-07-31')).to.equal(1);
    expect(await ask('2023-08-31')).to.equal(1);
    await loadRecords(database, [last]);
    expect(await ask('2023-06-30')).to.equal(2);
    expect(await ask('2023-08-31')).to.equal(1);
  });

  for (const [size, contracts] of Object.entries({ longer: 8, shorter: 2 })) {
    it(`are those of the book after it was restored, where other journals have the same sequences and it is ${size}`, async () => {
      await expectRestored(contracts);
    });
  }

  const expectRestored = async (contracts: number) => {
    const restored = await engine.open(MIGRATIONS);
    try {
      let current = database;
      const cached = accrualsOf({
        ...database,
        transaction: (work, options) => current.transaction(work, options),
      });
      await loadRecords(database, generated({ contracts: 4, years: 1, seed: 1 }).records);
      await loadRecords(restored, generated({ contracts, years: 1, seed: 2 }).records);
      const keys = await keysOf('contract', restored);
      const ask = async () => {
        const snapshot = { asOf: date('2023-10-31'), ledgerSeq: await newestSeq(current) };
        const found = await cached('contract', keys, snapshot);
        const expected = await workedOutAnew('contract', keys, snapshot, current);
        expect(amounts('contract', found)).to.deep.equal(amounts('contract', expected));
        return amounts('contract', found);
      };
      const before = await ask();
      current = restored;
      expect(await ask()).to.not.deep.equal(before);
    } finally {
      await restored.close();
    }
  };

  it('are worked out by the database where no more histories may be cached', async () => {
    const cached = accrualsOf(listening(database, heard), 150);
    await loadRecords(database, generated({ contracts: 12, years: 1 }).records);
    const keys = await keysOf('contract');
    const snapshot = { asOf: date('2023-10-31'), ledgerSeq: await newestSeq() };
    await cached('contract', keys, snapshot);
    asked.length = 0;
    const found = await cached('contract', keys, snapshot);
    expect(asked.filter(isWorkedOut)).to.have.length(1);
    const expected = await workedOutAnew('contract', keys, snapshot);
    expect(amounts('contract', found)).to.deep.equal(amounts('contract', expected));
  });
});

const accrualsOf = (book: Database, factsMax?: number) => cachedAccruals(book, undefined, factsMax);

const isWorkedOut = (sql: string) => sql.includes('reopened');

/** What is added: nothing where it comes to nothing. */
function amounts(level: Level, found: ReadonlyMap<bigint, AccruedAmounts>) {
  const told = [...found].flatMap(([key, lines]) =>
    [...lines].flatMap(([holder, sums]) =>
      [...sums].flatMap(([component, sum]) => {
        const isTold = level === 'position' || holder === '';
        return sum === 0n || !isTold ? [] : [`${key} ${holder} ${component} ${sum}`];
      }),
    ),
  );
  return told.sort();
}
