import { expect } from 'chai';
import type { Item } from '../src/types.ts';
import { failure } from './support/failure.ts';
import { noWaiting, type Services, sharedServices, watchedFetch } from './support/services.ts';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the client reads', () => {
  let services: Services;
  let question: { level: 'contract'; asOf: string; dealId: string[] };
  before(async () => {
    services = await sharedServices();
    await services.grant();
    const deals: string[] = [];
    for (const amount of ['100.00', '200.00', '300.00', '400.00', '500.00']) {
      deals.push((await services.lend(amount)).deal.id);
    }
    question = { level: 'contract', asOf: '2025-06-30', dealId: deals };
  });

  it('walks all items as one snapshot, with meta and totals of the first page', async () => {
    const client = services.client();
    const whole = await client.balances.page(question);
    const walk = client.balances.walk({ ...question, limit: 2 });
    const items = await all(walk);
    expect(items).to.deep.equal(whole.data);
    expect(items.length).to.equal(5);
    const { meta, totals } = await walk.first();
    expect(meta).to.deep.equal(whole.meta);
    expect(totals?.[0]).to.include({ count: 5, principalOutstanding: '1500.00' });
    // Types: an item is whole without `fields`, and has what was asked for with them.
    const outstanding: string | undefined = items[0]?.global.principal.outstanding;
    expect(outstanding).to.match(/^\d+\.00$/);
    const [some] = await all(client.balances.walk({ ...question, fields: ['deal'] }));
    const named: Item<'/cls/balances', { fields: ['deal'] }> | undefined = some;
    expect(named?.deal?.id).to.match(/^deal_/);
    expect(named?.global).to.equal(undefined);
  });

  it('goes on after pages that are short or empty', async () => {
    const { fetch } = watchedFetch(async (url) => {
      if (!url.searchParams.has('cursor')) return undefined;
      const client = services.client();
      const { data, ...page } = await client.balances.page({
        cursor: url.searchParams.get('cursor') ?? '',
        limit: 1,
      });
      const [item] = data;
      return Response.json({ ...page, data: item?.id === whole.data[2]?.id ? [] : data });
    });
    const whole = await services.client().balances.page(question);
    const items = await all(services.client({ fetch }).balances.walk({ ...question, limit: 1 }));
    expect(items).to.deep.equal(whole.data.filter((_, at) => at !== 2));
  });

  it('asks for roll-forwards and movements too', async () => {
    const client = services.client();
    const [item] = await all(client.principal.walk({ ...question, fromDate: '2025-02-01' }));
    expect(item?.global.opening).to.equal(item?.global.closing);
    const movements = await all(
      client.movements.walk({ asOf: question.asOf, dealId: question.dealId, limit: 3 }),
    );
    expect(movements.filter(({ lender }) => lender === null)).to.have.length(5);
  });

  it('streams an export and checks its summary', async () => {
    const client = services.client();
    const lines = client.balances.export(question);
    expect(lines.summary).to.equal(undefined);
    const items = await all(lines);
    expect(items).to.deep.equal((await client.balances.page(question)).data);
    expect(lines.summary?.count).to.equal(5);
    expect(lines.summary?.totals[0]).to.include({ principalOutstanding: '1500.00' });
  });

  it('ends an export that its reader leaves, and gives the error of one that is refused', async () => {
    const client = services.client();
    for await (const item of client.balances.export(question)) {
      expect(item.object).to.equal('balance');
      break;
    }
    const refused = await failure(all(client.balances.export({ asOf: '1900-01-01' })));
    expect(refused).to.include({ status: 400, code: 'as_of_before_book' });
  });

  const spoilt = async (spoil: (text: string) => string | ReadableStream<Uint8Array>) => {
    const text = await exported();
    const { fetch } = watchedFetch((url) =>
      url.pathname.includes('/cls/') ? new Response(spoil(text)) : undefined,
    );
    const lines = services.client({ fetch }).balances.export(question);
    const error = await failure(all(lines));
    expect(lines.summary).to.equal(undefined);
    return error.code;
  };
  const exported = async () => {
    let text = '';
    const { fetch } = watchedFetch();
    const kept = async (request: Request) => {
      const response = await fetch(request);
      if (request.url.includes('/cls/')) text = await response.clone().text();
      return response;
    };
    await all(services.client({ fetch: kept }).balances.export(question));
    return text;
  };

  it('refuses an export that was cut: between lines, within one, or by the connection', async () => {
    expect(await spoilt((text) => text.split('\n').slice(0, 3).join('\n').concat('\n'))).to.equal(
      'export_cut',
    );
    expect(await spoilt((text) => text.slice(0, text.length / 2))).to.equal('export_cut');
    expect(await spoilt((text) => text.trimEnd()), 'the last newline').to.equal('export_cut');
    expect(await spoilt(() => '')).to.equal('export_cut');
    const broken = (text: string) =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text.slice(0, 700)));
          controller.error(new TypeError('terminated'));
        },
      });
    expect(await spoilt(broken)).to.equal('export_cut');
  });

  it('refuses an export with other lines than its summary describes', async () => {
    const changes: readonly ((text: string) => string)[] = [
      (text) => text.replace('"100.00"', '"900.00"'),
      (text) => text.slice(text.indexOf('\n') + 1),
      (text) => text + text,
      (text) => text.replace('"count":5', '"count":6'),
      (text) => text.replace('{', '['),
    ];
    for (const change of changes) expect(await spoilt(change)).to.equal('export_damaged');
  });

  it('gives every bad parameter at once', async () => {
    const { wait, waits } = noWaiting();
    const client = services.client({ retries: { wait } });
    const wrong = { limit: 0, asOf: 'yesterday' };
    const error = await failure(client.balances.page(wrong));
    expect(error).to.include({ name: 'ClsError', status: 400, code: 'invalid_parameter' });
    expect(error.errors.map(({ parameter }) => parameter)).to.have.members(['limit', 'asOf']);
    expect(error.requestId).to.be.a('string').and.not.equal('');
    expect(waits, 'such an answer is final').to.deep.equal([]);
  });
});
