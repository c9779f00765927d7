import { EventEmitter } from 'node:events';
import { silentLog } from '@cls/shared/log';
import { expect } from 'chai';
import type { KoaContextWithOIDC } from '../src/library/oidc.ts';
import { spend } from '../src/oauth/token/spend.ts';
import { answeringScope } from '../src/state/answering.ts';
import type { StateStore } from '../src/state/state-store.ts';

const SPENDABLE = { kind: 'RefreshToken', key: 'key', secret: 'secret' };

/** A refresh up to its answer. @returns what the store was asked, and the end of the connection */
async function refresh(graceS: number, status = 200) {
  const asked: string[] = [];
  const store = {
    consume: async () => {
      asked.push('consume');
      return 'won';
    },
    settle: async () => void asked.push('settle'),
  } as unknown as StateStore;
  const res = Object.assign(new EventEmitter(), { destroyed: false });
  const ctx = { res, status: 200, body: {}, oidc: { client: { clientId: 'a' }, params: {} } };
  const scope = answeringScope({ synced: async () => undefined }, silentLog);
  await scope(ctx as never, async () => {
    await spend(store, graceS).withAnswer(ctx as unknown as KoaContextWithOIDC, SPENDABLE);
    ctx.status = status;
  });
  const before = [...asked];
  res.emit('close');
  return { before, after: asked };
}

describe('the answer to a refresh', () => {
  it('can be asked for again until it was sent: only then its grace begins', async () => {
    const { before, after } = await refresh(10);
    expect(before).to.deep.equal(['consume']);
    expect(after).to.deep.equal(['consume', 'settle']);
  });

  it('without a grace cannot be asked for again once it goes out', async () => {
    const { before } = await refresh(0);
    expect(before).to.deep.equal(['consume', 'settle']);
  });

  it('that failed can be asked for again', async () => {
    const { after } = await refresh(10, 503);
    expect(after).to.deep.equal(['consume']);
  });
});
