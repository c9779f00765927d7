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
import type { BalanceReading } from '../src/questions/page/read-balances.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { date } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';

describeOnDatabase('a short page of what reading decides', (engine) => {
  let database: Database;
  let store: BalanceStore;
  let pages = 0;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    await loadRecords(database, generated({ contracts: 60, years: 1, seed: 3 }).records);
    const own = sqlBalanceStore(database);
    store = {
      ...own,
      page: (...asked) => {
        pages += 1;
        return own.page(...asked);
      },
    };
  });
  after(() => database?.close());

  const snapshot = {
    ...{ asOf: date('2023-11-30'), ledgerSeq: 1_000_000n, knownAt: undefined, reportedSeq: 0n },
    ...{ fxNumber: 0n, edition: undefined, grantsAt: undefined },
    ...{ firstDate: undefined, dataThrough: undefined, ledger: undefined },
  };
  /** Something else was reported before of one item in so many. */
  const readOneIn =
    (many: number) =>
    async (items: readonly BalanceItem[]): Promise<readonly BalanceReading[]> =>
      items.map((item) => {
        const passes = item.end.key % BigInt(many) === 0n;
        return { item, former: passes ? { item } : undefined } as unknown as BalanceReading;
      });
  const walk = async (many: number, limit: number): Promise<readonly bigint[]> => {
    const keys: bigint[] = [];
    for (let after: BalanceItem['end'] | undefined, ended = false; !ended; ) {
      const asked = { level: 'position' as const, sort: undefined, after, limit };
      const filter = { ...NO_FILTER, restated: true };
      const request = { ...asked, filter, snapshot: snapshot as never };
      const page = await readPassing(store, { fullControl: true }, request, readOneIn(many));
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
