import { expect } from 'chai';
import { failure } from './support/failure.ts';
import { noWaiting, type Services, startServices, watchedFetch } from './support/services.ts';

const unavailable = (headers = {}) =>
  Response.json({ code: 'unavailable', requestId: 'r1' }, { status: 503, headers });
/** More than the other tests send. */
const LIMIT = 30;
const isQuestion = (url: URL) => url.pathname.includes('/cls/');

describe('the client asks again', () => {
  let services: Services;
  before(async () => {
    services = await startServices({ RATE_LIMIT_PER_MINUTE: `${LIMIT}` });
  });
  after(() => services?.stop());

  /** The first answers are these, the others are the service's. */
  const asking = async (
    first: readonly (() => Promise<Response> | Response)[],
    of = isQuestion,
  ) => {
    const left = [...first];
    const { fetch } = watchedFetch((url) => (of(url) ? left.shift()?.() : undefined));
    const { wait, waits } = noWaiting();
    const { balances } = services.client({ fetch, retries: { wait } });
    const list = await balances.page({ limit: 1 });
    expect(list.object).to.equal('list');
    expect(left).to.deep.equal([]);
    return waits;
  };
  const cut = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.error(new TypeError('terminated')),
      }),
    );
  const lost = () => Promise.reject(new TypeError('fetch failed'));

  it('after as long as the service says, in seconds or by a date', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    const [first = 0, second = 0] = await asking([
      () => unavailable({ 'retry-after': '7' }),
      () => unavailable({ 'retry-after': date }),
    ]);
    expect(first).to.equal(7_000);
    expect(second).to.be.within(0, 30_000);
  });

  it('where no answer arrived, where one was cut, and where a proxy has none', async () => {
    const proxy = () => new Response('<h1>Bad Gateway</h1>', { status: 502 });
    const waits = await asking([lost, cut, proxy]);
    for (const [at, ms] of waits.entries()) {
      expect(ms).to.be.within(125 * 2 ** at, 250 * 2 ** at);
    }
    expect(waits).to.have.length(3);
  });

  it('with the body that it was given, also with another token', async () => {
    const bodies: string[] = [];
    const answers = [
      unavailable(),
      Response.json({ code: 'token_expired' }, { status: 403 }),
      Response.json({ name: 'one' }),
    ];
    const fetch = async (request: Request) => {
      if (!isQuestion(new URL(request.url))) return globalThis.fetch(request);
      bodies.push(await request.text());
      return answers.shift() ?? unavailable();
    };
    const { api } = services.client({ fetch, retries: { wait: noWaiting().wait } });
    const asked = { params: { path: { name: 'one' } }, body: {} };
    const { data } = await api.PUT('/cls/import-profiles/{name}', asked);
    expect(data).to.deep.equal({ name: 'one' });
    expect(bodies).to.deep.equal(['{}', '{}', '{}']);
  });

  it('for a token too', async () => {
    const isToken = (url: URL) => url.pathname === '/oauth/token';
    expect(await asking([unavailable, lost, cut], isToken)).to.have.length(3);
  });

  it('a limited number of times, and not where it would have to wait too long', async () => {
    const { wait, waits } = noWaiting();
    const always = (headers = {}) =>
      watchedFetch((url) => (isQuestion(url) ? unavailable(headers) : undefined));
    const short = always();
    const { balances } = services.client({ fetch: short.fetch, retries: { wait } });
    const error = await failure(balances.page());
    expect(error).to.include({ status: 503, code: 'unavailable', requestId: 'r1' });
    expect([short.to('/cls/'), waits.length]).to.deep.equal([4, 3]);
    const long = always({ 'retry-after': '86400' });
    const patient = services.client({ fetch: long.fetch, retries: { wait } });
    expect(await failure(patient.balances.page())).to.include({ retryAfterMs: 86_400_000 });
    expect(long.to('/cls/')).to.equal(1);
  });

  it('no more when its caller gives up', async () => {
    const stop = new AbortController();
    const wait = (_: number, signal?: AbortSignal) =>
      new Promise<void>((_done, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        stop.abort(new Error('enough'));
      });
    const { fetch, to } = watchedFetch((url) => (isQuestion(url) ? unavailable() : undefined));
    const { balances } = services.client({ fetch, retries: { wait } });
    const error = await failure(balances.page({}, { signal: stop.signal }));
    expect(error.message).to.equal('enough');
    expect(to('/cls/')).to.equal(1);
  });

  it('where no answer comes in time', async () => {
    let asked = 0;
    const fetch = (request: Request) => {
      // A token comes however long it takes.
      const { signal } = new AbortController();
      if (!isQuestion(new URL(request.url))) {
        return globalThis.fetch(new Request(request, { signal }));
      }
      asked += 1;
      return new Promise<Response>((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
      });
    };
    const retries = { ...noWaiting(), attempts: 2, timeoutMs: 1 };
    const error = await failure(services.client({ fetch, retries }).balances.page());
    expect(error).to.include({ status: undefined, code: 'network_error' });
    expect(error.message).to.include('no answer within 1 ms');
    expect(asked).to.equal(2);
  });

  it('where it meets the limit of requests, and gives the service’s error in the end', async () => {
    const { wait, waits } = noWaiting();
    const { balances } = services.client({ retries: { wait, attempts: 3 } });
    const pages = Array.from({ length: LIMIT + 1 }, () => balances.page({ limit: 1 }));
    const outcomes = await Promise.allSettled(pages);
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused.length).to.be.greaterThan(0);
    for (const error of refused) expect(error).to.include({ status: 429, code: 'rate_limited' });
    expect(Math.max(...waits)).to.be.within(1_000, 60_000);
  });
});
