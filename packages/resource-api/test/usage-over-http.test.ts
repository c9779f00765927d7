import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlVersionUsage } from '../src/usage/sql-version-usage.ts';
import type { UsageCount } from '../src/usage/version-usage.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { ISSUER } from './support/issuer.ts';
import { testClock, timesOf } from './versions/support.ts';

const USAGE = '/api/v1/cls/usage';
const TODAY = '2030-06-30';
const USE: Omit<UsageCount, 'day' | 'requests'> = {
  customer: 'bank',
  clientId: 'svc_1',
  subject: 'svc_1',
  requested: 'v1',
  served: 'v1',
  operation: 'GET /cls/balances',
};

interface UsageList {
  readonly data: readonly { day: string; clientId: string; requests: number }[];
  readonly totals: {
    readonly requests: number;
    readonly versions: readonly object[];
    readonly clients: readonly object[];
    readonly operations: readonly object[];
  };
  readonly page: { readonly hasMore: boolean; readonly nextCursor: string | null };
  readonly meta: { readonly period: { readonly from: string; readonly to: string } };
}

describeOnDatabase('GET …/cls/usage', (engine) => {
  const clock = testClock(`${TODAY}T12:00:00Z`);
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine, {}, clock);
    const counts = [
      { ...USE, day: TODAY, requests: 5 },
      { ...USE, day: TODAY, requested: 'latest', requests: 2 },
      { ...USE, day: '2030-06-01', requests: 7 },
      { ...USE, day: '2030-05-31', requests: 100 },
      { ...USE, day: '2030-06-15', clientId: 'app_1', subject: 'acc_1', requests: 1 },
      { ...USE, day: '2030-06-15', clientId: 'app_1', subject: 'acc_2', requests: 1 },
      { ...USE, day: '2030-06-15', customer: 'fund', requests: 1_000 },
    ];
    await sqlVersionUsage(api.database).add({ source: 'use_test', number: 1, counts });
  });
  after(() => api?.stop());

  const administrator = (customer: string) => ({
    ...{ ...timesOf(clock), customer, account_type: 'account' },
    ...{ sub: `acc_${'0'.repeat(26)}`, client_id: 'app_1' },
    scope: `${ISSUER}/auth/cls-customer.administer`,
  });
  const ask = async (query = '', customer = 'bank'): Promise<UsageList> => {
    const response = await api.get(`${USAGE}${query}`, administrator(customer));
    expect(response.status).to.equal(200);
    return (await response.json()) as UsageList;
  };
  const rows = ({ data }: UsageList) => data.map((one) => [one.day, one.clientId, one.requests]);

  it('tells the last 30 days of the caller’s own customer, by client and not by person', async () => {
    const answer = await ask();
    expect(rows(answer)).to.deep.equal([
      [TODAY, 'svc_1', 5],
      [TODAY, 'svc_1', 2],
      ['2030-06-15', 'app_1', 2],
      ['2030-06-01', 'svc_1', 7],
    ]);
    expect(answer.meta.period).to.deep.equal({ from: '2030-06-01', to: TODAY });
    expect(answer.totals.requests).to.equal(16);
    const version = { requested: 'v1', served: 'v1' };
    expect(answer.totals.versions).to.deep.equal([
      { ...version, requests: 14, lastDay: TODAY },
      { ...version, requested: 'latest', requests: 2, lastDay: TODAY },
    ]);
    expect(answer.totals.clients).to.deep.include({
      ...{ clientId: 'app_1', ...version, requests: 2, lastDay: '2030-06-15' },
    });
    expect(answer.totals.operations[0]).to.deep.equal({
      ...{ operation: USE.operation, ...version, requests: 14, lastDay: TODAY },
    });
    expect(JSON.stringify(answer)).to.not.include('acc_1').and.not.include('fund');
  });

  it('tells another period, and has nothing to tell of a customer without requests', async () => {
    const may = await ask('?fromDate=2030-05-31&toDate=2030-05-31');
    expect(rows(may)).to.deep.equal([['2030-05-31', 'svc_1', 100]]);
    const nothing = await ask('', 'nobody');
    const totals = { requests: 0, versions: [], clients: [], operations: [] };
    expect(nothing.data).to.deep.equal([]);
    expect(nothing.totals).to.deep.equal(totals);
  });

  it('comes page by page, each with the totals of the period', async () => {
    const first = await ask('?fromDate=2030-06-01&limit=3');
    expect(first.page.hasMore).to.equal(true);
    const second = await ask(`?limit=3&cursor=${first.page.nextCursor}`);
    expect(rows(second)).to.deep.equal([['2030-06-01', 'svc_1', 7]]);
    expect(second.page).to.deep.include({ hasMore: false, nextCursor: null });
    expect(second.totals).to.deep.equal(first.totals);
    const path = `${USAGE}?toDate=2030-06-29&cursor=${first.page.nextCursor}`;
    const other = await api.get(path, administrator('bank'));
    expect(other.status).to.equal(400);
    expect(await other.json()).to.include({ code: 'cursor_mismatch' });
  });

  for (const [what, query, code, parameter] of [
    ['a day that is none', 'fromDate=2030-02-30', 'invalid_date', 'fromDate'],
    [
      'a period that ends first',
      `fromDate=${TODAY}&toDate=2030-06-01`,
      'invalid_range',
      'fromDate',
    ],
    ['a period of 94 days', `fromDate=2030-03-29&toDate=${TODAY}`, 'invalid_range', 'fromDate'],
    ['a cursor that is none', 'cursor=abc', 'invalid_cursor', 'cursor'],
    ['an unknown parameter', 'customer=fund', 'unknown_parameter', 'customer'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const response = await api.get(`${USAGE}?${query}`, administrator('bank'));
      expect(response.status).to.equal(400);
      const { errors } = (await response.json()) as {
        errors: { parameter: string; code: string }[];
      };
      expect(errors.map((one) => [one.parameter, one.code])).to.deep.equal([[parameter, code]]);
    });
  }

  it('answers a period of 93 days', async () => {
    expect((await ask(`?fromDate=2030-03-30&toDate=${TODAY}`)).totals.requests).to.equal(116);
  });

  for (const permission of ['cls-deal.view', 'external-api.fullcontrol', 'cls-ledger.post']) {
    it(`refuses a caller with ${permission} alone`, async () => {
      const scope = `${ISSUER}/auth/${permission}`;
      const response = await api.get(USAGE, { ...administrator('bank'), scope });
      expect(response.status).to.equal(403);
      expect(await response.json()).to.include({ code: 'insufficient_permission' });
      expect(response.headers.get('www-authenticate')).to.include('cls-customer.administer');
    });
  }

  it('shows an administrator of a customer no balance', async () => {
    const response = await api.get('/api/v1/cls/balances', administrator('bank'));
    expect(response.status).to.equal(403);
  });
});
