import { Abandoned, type Database, Overloaded, type Transaction } from '@cls/shared/sql/database';
import { expect } from 'chai';
import { askedBy, currentAsker, stillAsked } from '../src/access/asker.ts';
import { callerBudgets } from '../src/access/caller-budget.ts';
import { fairDatabase } from '../src/database/fair-database.ts';

/** A database whose statements end when the test says so. */
function heldDatabase(slots: number, waitingMax?: number) {
  const begun: { readonly sql: string; readonly end: () => void }[] = [];
  const transaction: Database['transaction'] = (work) => {
    const query = <Row>(sql: string) =>
      new Promise<Row[]>((resolve) => {
        begun.push({ sql, end: () => resolve([]) });
      });
    return work({ query, execute: async () => undefined, inTransaction: true } as Transaction);
  };
  const nowMs = 0;
  const budgets = callerBudgets({ statementSeconds: 0, requestsAtOnce: 0 }, () => nowMs);
  const database = fairDatabase({ transaction } as Database, {
    ...{ slots, budgets },
    ...(waitingMax === undefined ? {} : { waitingMax }),
  });
  const ask = (name: string, sql: string, signal = new AbortController().signal) =>
    askedBy({ name, signal }, () => database.query(sql)).catch((error: unknown) => error);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const refuses = (name: string, ahead = 0) => database.refuses(name, ahead);
  return {
    begun,
    budgets,
    ask,
    settle,
    refuses,
    names: () => begun.map(({ sql }) => sql),
  };
}

describe('connections shared out between callers', () => {
  it('are never all of one caller’s, however many questions it asks', async () => {
    const { ask, names, settle } = heldDatabase(4);
    for (let i = 0; i < 20; i += 1) void ask('greedy', `expensive ${i}`);
    void ask('modest', 'cheap');
    await settle();
    expect(names()).to.deep.equal(['expensive 0', 'expensive 1', 'cheap']);
  });

  it('go next to who used the least lately, where there is only one', async () => {
    const { ask, names, settle, begun, budgets } = heldDatabase(1);
    for (let i = 0; i < 20; i += 1) void ask('greedy', `expensive ${i}`);
    void ask('modest', 'cheap 0');
    void ask('modest', 'cheap 1');
    budgets.spend('greedy', 5_000);
    await settle();
    for (const i of [0, 1, 2]) {
      begun[i]?.end();
      await settle();
    }
    expect(names()).to.deep.equal(['expensive 0', 'cheap 0', 'cheap 1', 'expensive 1']);
  });

  it('have a queue with an end, at which the caller that waits with the most is refused', async () => {
    const { ask, names, settle, begun } = heldDatabase(1, 4);
    const greedy = Array.from({ length: 6 }, (_, i) => ask('greedy', `greedy ${i}`));
    const modest = [ask('modest', 'modest 0'), ask('modest', 'modest 1')];
    for (const at of [3, 4, 5]) expect(await greedy[at]).to.be.instanceOf(Overloaded);
    for (let i = 0; i < 5; i += 1) {
      await settle();
      begun[i]?.end();
    }
    await Promise.all([...greedy.slice(0, 3), ...modest]);
    expect(names()).to.have.members(['greedy 0', 'greedy 1', 'greedy 2', 'modest 0', 'modest 1']);
  });

  it('are not refused to a request that was given one before, though the queue is full', async () => {
    const { ask, names, settle, begun } = heldDatabase(1, 2);
    const { signal } = new AbortController();
    const first = ask('one', 'first statement', signal);
    const others = [0, 1].map((i) => ask('one', `other ${i}`));
    await settle();
    begun[0]?.end();
    await first;
    const late = ask('one', 'other 2');
    const second = ask('one', 'second statement', signal);
    expect(await ask('one', 'other 3')).to.be.instanceOf(Overloaded);
    for (let i = 1; i < 5; i += 1) {
      await settle();
      begun[i]?.end();
    }
    await Promise.all([second, late, ...others]);
    // Nor does its later statement put out a question that has waited.
    const all = ['first statement', 'other 0', 'other 1', 'other 2', 'second statement'];
    expect(names()).to.deep.equal(all);
  });

  it('say ahead whose question would be refused: of a full queue the caller’s that waits with the most', async () => {
    const { ask, settle, begun, refuses } = heldDatabase(1, 3);
    const waiting = Array.from({ length: 3 }, (_, i) => ask('greedy', `greedy ${i}`));
    waiting.push(ask('modest', 'modest'));
    await settle();
    expect([refuses('greedy'), refuses('modest'), refuses('new')]).to.deep.equal([
      true,
      true,
      false,
    ]);
    begun[0]?.end();
    await settle();
    expect(refuses('greedy'), 'one has left the queue').to.equal(false);
    expect(refuses('greedy', 1), 'one is on its way').to.equal(true);
    for (let i = 1; i < 4; i += 1) {
      begun[i]?.end();
      await settle();
    }
    await Promise.all(waiting);
  });

  it('are not given to a question that nobody waits for any more', async () => {
    const { ask, names, settle, begun } = heldDatabase(1);
    const client = new AbortController();
    void ask('one', 'first');
    const abandoned = ask('one', 'abandoned', client.signal);
    void ask('one', 'last');
    client.abort();
    expect(await abandoned).to.be.instanceOf(Abandoned);
    begun[0]?.end();
    await settle();
    expect(names()).to.deep.equal(['first', 'last']);
  });
});

describe('a stream that is read after its request was handled', () => {
  it('asks in the name of its caller still', async () => {
    async function* lines() {
      yield currentAsker()?.name;
      yield currentAsker()?.name;
    }
    const asker = { name: 'one', signal: new AbortController().signal };
    const stream = askedBy(asker, () => stillAsked(lines()));
    expect(currentAsker()).to.equal(undefined);
    const names: unknown[] = [];
    for await (const name of stream) names.push(name);
    expect(names).to.deep.equal(['one', 'one']);
  });
});

describe('a caller’s budget', () => {
  it('refuses more requests at once than the limit, until one ends', () => {
    const budgets = callerBudgets({ statementSeconds: 0, requestsAtOnce: 2 });
    const end = budgets.begin('one');
    budgets.begin('one');
    expect(() => budgets.begin('one')).to.throw('2 requests of this caller');
    budgets.begin('another');
    end();
    end();
    budgets.begin('one');
    expect(() => budgets.begin('one')).to.throw('2 requests of this caller');
  });

  it('of statement time runs off evenly, and tells when to ask again', () => {
    let nowMs = 0;
    const budgets = callerBudgets({ statementSeconds: 30, requestsAtOnce: 0 }, () => nowMs);
    budgets.begin('one')();
    budgets.spend('one', 31_000);
    expect(() => budgets.begin('one')).to.throw('try again in 3 seconds');
    budgets.begin('another')();
    nowMs += 3_000;
    budgets.begin('one')();
    budgets.spend('one', 10 * 60_000);
    expect(() => budgets.begin('one')).to.throw('try again in 61 seconds');
  });
});
