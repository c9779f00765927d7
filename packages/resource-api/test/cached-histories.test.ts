import { expect } from 'chai';
import { cachedHistories } from '../src/questions/accruals/sql/cached-histories.ts';

const MOST_FACTS = 10;

describe('histories that are cached', () => {
  /** Sequences of the journals of each item's deal. */
  const journals = new Map<bigint, bigint[]>();
  const read: bigint[][] = [];
  let postedAt = '2024-02-01T00:00:00Z';
  beforeEach(() => {
    journals.clear();
    read.length = 0;
  });

  const historiesOf = (facts: (key: bigint) => number, factsMax = 1_000) =>
    cachedHistories<string>({
      factsMax,
      atOnce: { facts: MOST_FACTS, keys: 3 },
      lastJournals: async (_, keys, through) => {
        const last = (key: bigint) => journals.get(key)?.findLast((seq) => seq <= through) ?? 1n;
        return new Map(keys.map((key) => [key, { seq: last(key), postedAt }]));
      },
      read: async (_, keys, seq) => {
        read.push([...keys]);
        return keys.map((key) => {
          return { key, history: `${key} at ${seq}`, facts: facts(key) };
        });
      },
    });

  it('are read a few at a time, and told of those that are known', async () => {
    const histories = historiesOf(() => 1);
    const keys = [1n, 2n, 3n, 4n];
    const found = [];
    for (let asked = 0; asked < 4; asked += 1) found.push(await histories('deal', keys, 5n));
    expect(found[0]?.filter(Boolean)).to.have.length(1);
    expect(found.at(-1)).to.deep.equal(keys.map((key) => `${key} at 5`));
    expect(read.flat().sort()).to.deep.equal(keys);
    expect(Math.max(...read.map(({ length }) => length))).to.be.at.most(3);
  });

  it('are read again after a journal of their deal alone', async () => {
    const histories = historiesOf(() => 1);
    const ask = (seq: bigint) => histories('deal', [1n, 2n], seq);
    await ask(5n);
    await ask(5n);
    journals.set(2n, [6n]);
    read.length = 0;
    expect(await ask(6n)).to.deep.equal(['1 at 5', '2 at 6']);
    expect(read).to.deep.equal([[2n]]);
  });

  it('are those of a book that was restored, where it has another journal of the same sequence', async () => {
    const histories = historiesOf(() => 1);
    await histories('deal', [1n], 5n);
    postedAt = '2024-02-02T00:00:00Z';
    expect(await histories('deal', [1n], 7n)).to.deep.equal(['1 at 7']);
  });

  it('are found by a question about what was known before, which does not replace newer ones', async () => {
    const histories = historiesOf(() => 1);
    const ask = (seq: bigint) => histories('deal', [1n], seq);
    journals.set(1n, [3n]);
    expect(await ask(5n)).to.deep.equal(['1 at 5']);
    expect(await ask(4n)).to.deep.equal(['1 at 5']);
    expect(await ask(2n)).to.deep.equal([undefined]);
    expect(await ask(5n)).to.deep.equal(['1 at 5']);
    expect(read).to.have.length(1);
  });

  it('are not cached where they are long, and not read again after a journal', async () => {
    const histories = historiesOf(() => MOST_FACTS + 1);
    const ask = (seq: bigint) => histories('deal', [1n], seq);
    expect(await ask(5n)).to.deep.equal([undefined]);
    journals.set(1n, [6n]);
    expect(await ask(6n)).to.deep.equal([undefined]);
    expect(read).to.deep.equal([[1n]]);
  });

  it('leave out what has no room', async () => {
    const histories = historiesOf(() => 3, 4);
    for (let asked = 0; asked < 3; asked += 1) await histories('deal', [1n, 2n], 5n);
    expect(await histories('deal', [1n, 2n], 5n)).to.deep.equal(['1 at 5', undefined]);
  });
});
