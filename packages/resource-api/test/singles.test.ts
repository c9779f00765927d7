import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { releasedBook } from './support/release.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const B = '/api/v1/cls/balances';
const LEVELS = ['deal', 'facility', 'contract', 'position'];
const DAYS = [
  'asOf=2017-06-14',
  'asOf=2021-01-01',
  'asOf=2017-06-14&knownAt=2025-10-22T10:53:16.319187Z',
];
const CUSTOMERS = ['agent-bank', 'lender-one', 'india', undefined];

describeOnDatabase('one balance and one deal', (engine) => {
  let api: TestApi;
  before(async () => {
    const location = await releasedBook(engine);
    api = await startTestApi({ ...engine, createLocation: async () => location });
  });
  after(() => api?.stop());

  const ask = async (path: string, customer?: string): Promise<[number, Json]> => {
    const answer = await api.get(path, customer === undefined ? undefined : viewer(customer));
    return [answer.status, await answer.json()];
  };
  /** A refusal without what names the request. */
  const refusal = ({ requestId: _, instance: __, ...rest }: Json) => rest;

  for (const customer of CUSTOMERS) {
    it(`are what the lists tell, to ${customer ?? 'full control'}`, async () => {
      let compared = 0;
      for (const day of DAYS) {
        const deals = new Map<string, Json[]>();
        for (const level of LEVELS) {
          const expand = level === 'deal' ? 'accrual,contracts' : 'accrual';
          const question = `${day}&expand=${expand}`;
          const list = `${B}?level=${level}&includeZero=true&limit=20&${question}`;
          const [, { data, meta }] = await ask(list, customer);
          for (const item of [data[0], data.at(-1)].filter((one) => one !== undefined)) {
            const [status, one] = await ask(`${B}/${item.id}?${question}`, customer);
            expect(status, item.id).to.equal(200);
            expect(one).to.deep.equal({ object: 'item', data: item, meta });
            compared += 1;
          }
          for (const item of level === 'deal' ? data : []) {
            deals.set(item.deal.id, [...(deals.get(item.deal.id) ?? []), item]);
          }
        }
        for (const [id] of [...deals].slice(0, 3)) {
          const [status, { data: deal, meta }] = await ask(
            `/api/v1/cls/deals/${id}?${day}`,
            customer,
          );
          expect(status).to.equal(200);
          const listed = (level: string) =>
            ask(`${B}?level=${level}&includeZero=true&dealId=${id}&${day}`, customer);
          const [, facilities] = await listed('facility');
          expect(deal.facilities).to.deep.equal(facilities.data);
          expect(meta).to.deep.equal(facilities.meta);
          const [, balances] = await listed('deal');
          expect(deal.balances).to.deep.equal(balances.data);
          const seen = balances.data.flatMap((item: Json) => item.lenders);
          expect(deal.lenders.map((lender: Json) => lender.id)).to.have.members([
            ...new Set(seen.map(({ lender }: Json) => lender.id)),
          ]);
          const { name, dealNumber, borrower } = deal;
          expect({ name, dealNumber, borrower, status: deal.status }).to.deep.equal({
            name: balances.data[0].deal.name,
            dealNumber: balances.data[0].deal.dealNumber,
            borrower: balances.data[0].borrower,
            status: balances.data[0].status.deal,
          });
          compared += 1;
        }
      }
      expect(compared).to.be.greaterThan(15);
    });
  }

  it('tell the role of the caller in the deal', async () => {
    const [, { data }] = await ask(`${B}?level=deal&limit=1`, 'lender-one');
    const path = `/api/v1/cls/deals/${data[0].deal.id}`;
    const roles = async (customer?: string) => (await ask(path, customer))[1].data?.roles;
    expect(await roles('lender-one')).to.include('lender');
    expect(await roles('agent-bank')).to.include('agent');
    expect(await roles()).to.deep.equal(['full']);
  });

  it('are absent in the same words where they are of others, and where there are none', async () => {
    const walk = async (level: string, customer?: string): Promise<Json[]> =>
      (await ask(`${B}?level=${level}&includeZero=true&limit=1000`, customer))[1].data;
    let hidden = 0;
    for (const customer of ['lender-one', 'india', 'nobody']) {
      const [, none] = await ask(`${B}/bal_fac_0000000A000000000000000ZZZ`, customer);
      const [, noDeal] = await ask('/api/v1/cls/deals/deal_0000000A000000000000000ZZZ', customer);
      const expectAbsent = async (path: string, words: Json) => {
        const [status, body] = await ask(path, customer);
        expect(status, path).to.equal(404);
        expect(refusal(body)).to.deep.equal(refusal(words));
        hidden += 1;
      };
      for (const level of LEVELS) {
        const own = new Set((await walk(level, customer)).map(({ id }) => id));
        const others = (await walk(level)).filter(({ id }) => !own.has(id));
        for (const { id } of [...others.slice(0, 3), ...others.slice(-3)]) {
          await expectAbsent(`${B}/${id}`, none);
        }
        const seen = new Set((await walk('deal', customer)).map(({ deal }) => deal.id));
        for (const { deal } of others.filter((one) => !seen.has(one.deal.id)).slice(0, 3)) {
          await expectAbsent(`/api/v1/cls/deals/${deal.id}`, noDeal);
        }
      }
    }
    expect(hidden).to.be.greaterThan(30);
  });

  it('are absent before the book had them', async () => {
    const [, { data, meta }] = await ask(
      `${B}?level=deal&limit=1000&includeZero=true&asOf=2021-01-01`,
    );
    const [, early] = await ask(`${B}?level=deal&limit=1000&includeZero=true&asOf=2017-06-14`);
    const first = new Set(early.data.map(({ id }: Json) => id));
    const { id, deal } = data.find((item: Json) => !first.has(item.id));
    expect(meta.asOf).to.equal('2021-01-01');
    expect((await ask(`${B}/${id}?asOf=2021-01-01`))[0]).to.equal(200);
    expect((await ask(`${B}/${id}?asOf=2017-06-14`))[0]).to.equal(404);
    expect((await ask(`/api/v1/cls/deals/${deal.id}?asOf=2017-06-14`))[0]).to.equal(404);
  });

  it('have a validator, and tell all wrong parameters at once', async () => {
    const [, { data }] = await ask(`${B}?level=deal&limit=1`);
    const path = `/api/latest/cls/deals/${data[0].deal.id}`;
    const answer = await api.get(path);
    const etag = answer.headers.get('etag') ?? '';
    expect(answer.headers.get('content-location')).to.equal(path.replace('latest', 'v1'));
    const again = await api.getWith(path, await api.token(), { 'if-none-match': etag });
    expect(again.status).to.equal(304);
    const [status, { errors }] = await ask(`${path}?asOf=x&level=deal&expand=movements`);
    expect(status).to.equal(400);
    expect(errors.map(({ parameter }: Json) => parameter)).to.have.members([
      'asOf',
      'level',
      'expand',
    ]);
  });

  it('are counted for the caller, with its roles and permissions', async () => {
    const me = async (customer?: string) => (await ask('/api/v1/cls/me', customer))[1].data;
    const expected = { object: 'caller', accountType: 'service_account', hasMoreDeals: false };
    for (const [customer, role] of [
      ['agent-bank', 'agent'],
      ['lender-one', 'lender'],
      ['india', 'borrower'],
      [undefined, 'full'],
    ] as const) {
      const [, { data }] = await ask(`${B}?level=deal&includeZero=true&limit=1000`, customer);
      const found = await me(customer);
      const scope = role === 'full' ? 'external-api.fullcontrol' : 'cls-deal.view';
      expect(found).to.deep.include({ ...expected, permissions: [scope], roles: [role] });
      expect(found.dealCount).to.equal(new Set(data.map(({ deal }: Json) => deal.id)).size);
    }
    const { parties, customer } = await me('lender-one');
    expect(customer).to.deep.equal({ id: 'lender-one', name: parties[0].name });
    const [, { data }] = await ask(`${B}?level=position&limit=1`, 'lender-one');
    expect(parties).to.deep.equal([data[0].share.lender]);
    expect(await me('nobody')).to.deep.include({
      ...expected,
      roles: [],
      parties: [],
      dealCount: 0,
    });
  });
});
