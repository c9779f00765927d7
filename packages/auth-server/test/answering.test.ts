import { EventEmitter } from 'node:events';
import { silentLog } from '@cls/shared/log';
import { expect } from 'chai';
import type { KoaContextWithOIDC } from '../src/library/oidc.ts';
import { providerAdapter } from '../src/library/provider-adapter.ts';
import { spend } from '../src/oauth/token/spend.ts';
import { answeringScope } from '../src/state/answering.ts';
import type { StateStore } from '../src/state/state-store.ts';

/** What a request does up to its answer, and what the end of its connection does. */
async function answer(asked: readonly string[], status: number, work: () => Promise<unknown>) {
  const res = Object.assign(new EventEmitter(), { destroyed: false });
  const ctx = { res, status: 200 };
  const scope = answeringScope({ synced: async () => undefined }, silentLog);
  await scope(ctx, async () => {
    await work();
    ctx.status = status;
  });
  const before = [...asked];
  res.emit('close');
  return { before, after: asked };
}

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
  const ctx = { body: {}, oidc: { client: { clientId: 'a' }, params: {} } };
  return answer(asked, status, () =>
    spend(store, graceS).withAnswer(ctx as unknown as KoaContextWithOIDC, SPENDABLE),
  );
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

describe('a browser that gets no answer, because the process died', () => {
  const remove = async (kind: string, status = 200) => {
    const asked: string[] = [];
    const store = { remove: async () => void asked.push('remove') } as unknown as StateStore;
    return answer(asked, status, () => providerAdapter(store, kind).destroy('id'));
  };

  it('finds its sign-in when it asks again: it is removed once the answer was sent', async () => {
    const { before, after } = await remove('Interaction');
    expect(before).to.deep.equal([]);
    expect(after).to.deep.equal(['remove']);
  });

  it('finds its sign-in after an answer that failed', async () => {
    expect(await remove('Interaction', 503)).to.have.property('after').that.is.empty;
  });

  it('does not find a session that it signed out of', async () => {
    expect((await remove('Session')).before).to.deep.equal(['remove']);
  });
});
