import { expect } from 'chai';
import { memoryWindow } from '../../src/access/shared-window.ts';

describe('the window of one process', () => {
  it('gives what is left of the limit to each caller, and no more', async () => {
    const window = memoryWindow(10);
    const answers = [];
    for (const key of ['a', 'a', 'a', 'b']) answers.push(await window.take(key, 6));
    expect(answers.map(({ taken, left }) => [taken, left])).to.deep.equal([
      [6, 4],
      [4, 0],
      [0, 0],
      [6, 4],
    ]);
  });

  it('begins with a caller’s first points, and lasts a minute whatever follows', async () => {
    const window = memoryWindow(10);
    const first = await window.take('a', 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await window.take('a', 1);
    expect(first.resetMs).to.be.at.most(60_000).and.above(second.resetMs);
  });
});
