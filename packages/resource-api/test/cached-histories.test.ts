import { expect } from 'chai';
import { cachedHistories } from '../src/questions/accruals/sql/cached-histories.ts';
import type { JournaledDeals } from '../src/questions/accruals/sql/journaled-deals.ts';
import type { Snapshot } from '../src/questions/ask/balance-store.ts';
import { date } from './support/book.ts';

const MOST_FACTS = 10;

describe('histories that are cached', () => {
  /** Sequence of the last journal of each deal. */
  const journals = new Map<bigint, bigint>();
  const deals: JournaledDeals = {
    epoch: 0,
    reach: async () => true,
    isSame: (deal, after) => (journals.get(deal) ?? 0n) <= after,
  };
  const read: bigint[][] = [];
  beforeEach(() => {
    journals.clear();
    read.length = 0;
  });

  const historiesOf = (facts: (key: bigint) => number, factsMax = 1_000) =>
    cachedHistories<string>(deals, {
      factsMax,
      atOnce: { facts: MOST_FACTS, keys: 3 },
      read: async (_, keys, seq) => {
        read.push([...keys]);
        return keys.map((key) => {
          return { key, deal: key, history: `${key} at ${seq}`, facts: facts(key) };
        });
      },
    });
  const at = (ledgerSeq: bigint): Snapshot => ({
    ...{ asOf: date('2024-01-31'), ledgerSeq },
    edition: { generation: ledgerSeq, today: date('2024-02-01') },
  });

  it('are read a few at a time, and told of those that are known', async () => {
    const histories = historiesOf(() => 1);
    const keys = [1n, 2n, 3n, 4n];
    const found = [];
    for (let asked = 0; asked < 4; asked += 1) found.push(await histories('deal', keys, at(5n)));
    expect(found[0]?.filter(Boolean)).to.have.length(1);
    expect(found.at(-1)).to.deep.equal(keys.map((key) => `${key} at 5`));
    expect(read.flat().sort()).to.deep.equal(keys);
    expect(Math.max(...read.map(({ length }) => length))).to.be.at.most(3);
  });

  it('are read again after a journal of their deal alone', async () => {
    const histories = historiesOf(() => 1);
    const ask = (seq: bigint) => histories('deal', [1n, 2n], at(seq));
    await ask(5n);
    await ask(5n);
    journals.set(2n, 6n);
    read.length = 0;
    expect(await ask(6n)).to.deep.equal(['1 at 5', '2 at 6']);
    expect(read).to.deep.equal([[2n]]);
  });

  it('are not cached where they are long, and not read again after a journal', async () => {
    const histories = historiesOf(() => MOST_FACTS + 1);
    const ask = (seq: bigint) => histories('deal', [1n], at(seq));
    expect(await ask(5n)).to.deep.equal([undefined]);
    journals.set(1n, 6n);
    expect(await ask(6n)).to.deep.equal([undefined]);
    expect(read).to.deep.equal([[1n]]);
  });

  it('leave out what has no room', async () => {
    const histories = historiesOf(() => 3, 4);
    for (let asked = 0; asked < 3; asked += 1) await histories('deal', [1n, 2n], at(5n));
    expect(await histories('deal', [1n, 2n], at(5n))).to.deep.equal(['1 at 5', undefined]);
  });
});
