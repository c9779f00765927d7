import { expect } from 'chai';
import type { Database, Transaction } from '../src/sql/database.ts';
import { rollback, tentativeTransaction } from '../src/sql/tentative-transaction.ts';

describe('a tentative transaction', () => {
  const ended: string[] = [];
  const database: Pick<Database, 'transaction'> = {
    async transaction(work) {
      try {
        const result = await work({} as Transaction);
        ended.push('commit');
        return result;
      } catch (error) {
        ended.push('rollback');
        throw error;
      }
    },
  };
  const run = (work: () => Promise<string | ReturnType<typeof rollback<string>>>) =>
    tentativeTransaction<string>(database as Database, work);
  beforeEach(() => ended.splice(0));

  it('commits, and gives what its work returns', async () => {
    expect(await run(async () => 'applied')).to.equal('applied');
    expect(ended).to.deep.equal(['commit']);
  });

  it('rolls back where its work returns a rollback, and gives the result in it', async () => {
    expect(await run(async () => rollback('valid'))).to.equal('valid');
    expect(ended).to.deep.equal(['rollback']);
  });

  it('rolls back where its work throws, and throws the same', async () => {
    const fault = new Error('refused');
    const thrown = await run(async () => {
      throw fault;
    }).catch((error: unknown) => error);
    expect(thrown).to.equal(fault);
    expect(ended).to.deep.equal(['rollback']);
  });
});
