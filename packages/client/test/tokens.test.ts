import { inspect } from 'node:util';
import { expect } from 'chai';
import { createClient } from '../src/client.ts';
import { RETRIES } from '../src/retries.ts';
import { tokenSource } from '../src/tokens.ts';
import { failure } from './support/failure.ts';
import { noWaiting, type Services, sharedServices, watchedFetch } from './support/services.ts';

const HOUR_MS = 3_600_000;

describe('the client’s token', () => {
  let services: Services;
  before(async () => {
    services = await sharedServices();
  });
  afterEach(() => services.setDays(0));

  it('is asked for once, however many requests begin together', async () => {
    const { fetch, to } = watchedFetch();
    const { balances } = services.client({ fetch });
    await Promise.all(Array.from({ length: 8 }, () => balances.page({ limit: 1 })));
    expect([to('/oauth/token'), to('/cls/balances')]).to.deep.equal([1, 8]);
  });

  it('still comes for others when one caller gives up', async () => {
    const { fetch, to } = watchedFetch();
    const { balances } = services.client({ fetch });
    const impatient = new AbortController();
    const given = failure(balances.page({ limit: 1 }, { signal: impatient.signal }));
    const other = balances.page({ limit: 1 });
    impatient.abort(new Error('enough'));
    expect((await given).message).to.equal('enough');
    expect((await other).object).to.equal('list');
    expect(to('/oauth/token')).to.equal(1);
  });

  it('is renewed before it expires, and used until then while there is no new one', async () => {
    let [now, down] = [Date.now(), false];
    const { fetch, to } = watchedFetch(() => (down ? Promise.reject(new TypeError()) : undefined));
    const { tokenUrl = '', clientId, clientSecret } = services.options;
    const policy = { ...RETRIES, ...noWaiting(), attempts: 2 };
    const source = tokenSource({ tokenUrl, clientId, clientSecret }, fetch, policy, () => now);
    const first = await source.token();
    now += 23 * HOUR_MS;
    expect(await source.token()).to.equal(first);
    now += 0.95 * HOUR_MS;
    down = true;
    expect(await source.token(), 'nobody waits for the new one').to.equal(first);
    expect((await failure(source.renewed(first))).code).to.equal('network_error');
    expect(await source.token()).to.equal(first);
    expect(to('/oauth/token'), 'not for every request').to.equal(1 + 2);
    down = false;
    now += 10_000;
    expect(await source.token()).to.equal(first);
    const second = await source.renewed(first);
    expect(second).not.to.equal(first);
    expect(await source.token()).to.equal(second);
    down = true;
    now += 48 * HOUR_MS;
    expect((await failure(source.token())).code).to.equal('network_error');
    expect(to('/oauth/token')).to.equal(1 + 2 + 1 + 2);
  });

  it('is renewed once when the API does not accept it any more', async () => {
    const { fetch, to } = watchedFetch(() => {
      // As after a day: the API's clock is ahead until there is a second token.
      services.setDays(to('/oauth/token') > 1 ? 0 : 2);
      return undefined;
    });
    const { balances } = services.client({ fetch });
    expect((await balances.page({ limit: 1 })).object).to.equal('list');
    expect([to('/oauth/token'), to('/cls/balances')]).to.deep.equal([2, 2]);
    services.setDays(2);
    const always = watchedFetch();
    const error = await failure(services.client({ fetch: always.fetch }).balances.page());
    expect(error).to.include({ status: 403, code: 'token_expired' });
    expect([always.to('/oauth/token'), always.to('/cls/balances')]).to.deep.equal([2, 2]);
  });

  it('is asked for with the scopes that the caller names, and refused where not granted', async () => {
    const scope = `${services.auth.issuer}/auth/external-api.fullcontrol`;
    const error = await failure(services.client({ scope }).balances.page());
    expect(error).to.include({ status: 400, code: 'invalid_scope' });
    const granted = `${services.auth.issuer}/auth/cls-deal.view`;
    expect((await services.client({ scope: granted }).balances.page()).object).to.equal('list');
  });

  it('and its secret are in no error', async () => {
    const secret = 'not-the-secret-of-anybody';
    const wrong = await failure(services.client({ clientSecret: secret }).balances.page());
    expect(wrong).to.include({ status: 401, code: 'invalid_client' });
    let bearer = '';
    const fetch = async (request: Request) => {
      if (request.url.includes('/oauth/token')) return globalThis.fetch(request);
      bearer = request.headers.get('authorization') ?? '';
      throw new TypeError('fetch failed');
    };
    const retries = { ...noWaiting(), attempts: 1 };
    const lost = await failure(services.client({ fetch, retries }).balances.page());
    expect(lost.code).to.equal('network_error');
    expect(bearer.length).to.be.greaterThan(100);
    const shown = [wrong, lost].map((error) => inspect(error, { depth: 9, showHidden: true }));
    const basic = btoa(`${services.options.clientId}:${secret}`);
    for (const hidden of [secret, basic, bearer.slice(7), services.options.clientSecret]) {
      expect(shown.some((text) => text.includes(hidden))).to.equal(false);
    }
  });

  it('is not asked for over a network in clear', () => {
    const { clientId, clientSecret } = services.options;
    const at = (baseUrl: string) => () => createClient({ baseUrl, clientId, clientSecret });
    expect(at('http://cls.example')).to.throw(TypeError, 'expected https');
    expect(at('https://cls.example')).not.to.throw();
  });
});
