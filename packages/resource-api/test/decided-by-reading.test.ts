import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import {
  type BalanceItem,
  type BalanceStore,
  NO_FILTER,
} from '../src/questions/ask/balance-store.ts';
import { readPassing } from '../src/questions/page/decided-by-reading.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { date } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';

describeOnDatabase('a short page of what reading decides', (engine) => {
  let database: Database;
  let store: BalanceStore;
  let pages = 0;
  /** Something else was reported before of one item in so many. */
  let many = 1n;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    await loadRecords(database, generated({ contracts: 60, years: 1, seed: 3 }).records);
    const own = sqlBalanceStore(database);
    store = {
      ...own,
      async page(...asked) {
        pages += 1;
        const { items, next } = await own.page(...asked);
        return { items: items.map(changedSinceReported), next };
      },
      async balancesOf(access, level, keys) {
        const now = await own.balancesOf(access, level, keys, snapshot);
        return new Map([...now].map(([key, its]) => [key, key % many === 0n ? new Map() : its]));
      },
    };
  });
  after(() => database?.close());

  const snapshot = {
    ...{ asOf: date('2023-11-30'), ledgerSeq: 1_000_000n, knownAt: undefined, reportedSeq: 1n },
    ...{ fxNumber: 0n, edition: undefined, grantsAt: undefined },
    ...{ firstDate: undefined, dataThrough: undefined, reportedAt: undefined },
  };
  const changedSinceReported = (item: BalanceItem): BalanceItem => ({
    ...item,
    ...{ bookedSeq: 1n, lastSeq: 2n, accrues: false, owes: false },
  });
  const walk = async (oneIn: number, limit: number): Promise<readonly bigint[]> => {
    many = BigInt(oneIn);
    const question = { level: 'position' as const, fromDate: undefined };
    const context = { access: { fullControl: true as const }, question, snapshot };
    const filter = { ...NO_FILTER, restated: true };
    const keys: bigint[] = [];
    for (let after: BalanceItem['end'] | undefined, ended = false; !ended; ) {
      const page = await readPassing(store, context, { filter, sort: undefined, after, limit });
      expect(page.readings.length).to.be.at.most(limit);
      keys.push(...page.readings.map(({ item }) => item.end.key));
      after = page.next;
      ended = after === undefined;
    }
    return keys;
  };

  it('asks for more at a time where few pass, and not for one item after the other', async () => {
    const all = await walk(1, 1_000);
    expect(all.length).to.be.greaterThan(50);
    pages = 0;
    expect(await walk(1_000_000_000, 1)).to.deep.equal([]);
    expect(pages).to.be.lessThan(10);
  });

  it('has each item that passes once and in order, whatever the limit', async () => {
    for (const many of [1, 3, 17]) {
      const expected = await walk(many, 1_000);
      for (const limit of [1, 2, 7]) {
        expect(await walk(many, limit), `${many} ${limit}`).to.deep.equal(expected);
      }
    }
  });
});
