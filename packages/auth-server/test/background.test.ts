import { silentLog } from '@cls/shared/log';
import { expect } from 'chai';
import { createBackgroundTasks } from '../src/account-management/background-tasks.ts';

describe('work in the background', () => {
  it('is not begun before the answer is written, and is all done when it settles', async () => {
    const done: number[] = [];
    const backgroundTasks = createBackgroundTasks(silentLog);
    for (let n = 0; n < 50; n += 1) backgroundTasks.run(async () => void done.push(n));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done.length).to.be.lessThan(50);
    await backgroundTasks.settle();
    expect(done).to.have.length(50);
    backgroundTasks.run(async () => void done.push(50));
    await backgroundTasks.settle();
    expect(done, 'and can be given more').to.have.length(51);
  });

  it('that fails takes nothing else with it', async () => {
    const done: string[] = [];
    const backgroundTasks = createBackgroundTasks(silentLog);
    backgroundTasks.run(() => Promise.reject(new Error('the mail server is gone')));
    backgroundTasks.run(async () => void done.push('the other'));
    await backgroundTasks.settle();
    expect(done).to.deep.equal(['the other']);
  });
});
