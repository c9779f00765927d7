import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { liveness, type Pulse } from '../src/sql/liveness.ts';

describe('the question whether PostgreSQL answers', () => {
  it('has its connection before it is needed, also after that was lost', async () => {
    let asked = 0;
    let connected = false;
    const pulse: Pulse = {
      get connected() {
        return connected;
      },
      async ask() {
        asked += 1;
        connected = true;
      },
      abandon: () => undefined,
      onSilence: () => undefined,
    };
    const alive = liveness(pulse);
    const quick = () => alive.guard(async () => undefined);
    await quick();
    expect(asked).to.equal(1);
    await quick();
    expect(asked, 'while it is connected').to.equal(1);
    connected = false;
    await eventually(async () => {
      await quick();
      expect(asked).to.equal(2);
    });
    alive.stop();
  });

  it('makes no connection for a statement that ends after the database was closed', async () => {
    let asked = 0;
    const alive = liveness({
      connected: false,
      ask: async () => {
        asked += 1;
      },
      abandon: () => undefined,
      onSilence: () => undefined,
    });
    alive.stop();
    expect(await alive.guard(async () => 'done')).to.equal('done');
    expect(asked).to.equal(0);
  });
});
