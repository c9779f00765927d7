import { expect } from 'chai';
import { prolong } from '../../src/library/reliances/grant-life.ts';
import { type BareProvider, startBareProvider } from '../support/bare-provider.ts';
import { Browser } from '../support/relying-party.ts';

describe('a grant that is saved again', () => {
  let bare: BareProvider;
  const lives: number[] = [];
  before(async () => {
    bare = await startBareProvider();
    const { adapter } = bare.provider.Grant.prototype;
    const { upsert } = adapter;
    adapter.upsert = async (id: string, payload, expiresIn) => {
      lives.push(expiresIn ?? 0);
      await upsert(id, payload, expiresIn);
    };
  });
  after(() => bare?.stop());

  it('lives until its own end, which can be put off', async () => {
    await bare.signIn(new Browser());
    const [name = '', { exp = 0 } = {}] =
      [...bare.stored].find(([id]) => id.startsWith('Grant ')) ?? [];
    const grant = await bare.provider.Grant.find(name.slice('Grant '.length));
    if (grant === undefined) throw new Error('no grant');
    lives.length = 0;
    await prolong(grant, 10_000);
    expect(bare.stored.get(name)?.exp).to.equal(exp + 10_000);
    expect(lives[0]).to.be.within(15_000, 16_000); // 6,000 of the configuration, and 10,000.
  });
});
