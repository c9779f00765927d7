import { postgres, requireServer } from '@cls/testing/engines';
import { readOnly } from '@cls/testing/read-only';
import { eventually, postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { asOperator } from '../src/cli/as-operator.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { importWorldBank, statement } from './support/book.ts';

const LOAN = { 'Loan Number': 'X1', 'Disbursed Amount': '60', 'Loans Held': '100' };

describe('resource-api on a database that became read-only [PostgreSQL]', () => {
  const environment = { ...process.env };
  let api: TestApi;
  let asBefore: string;
  const path = '/api/v1/cls/balances/principal?limit=5';
  before(async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
    api = await startTestApi(postgres);
    await importWorldBank(api.database, statement('2025-01-31', [LOAN]));
    asBefore = await (await api.get(path)).text();
    await readOnly(api.location, true);
  });
  after(async () => {
    process.env = environment;
    // Without PostgreSQL nothing was started.
    if (api === undefined) return;
    await readOnly(api.location, false);
    await api.stop();
  });

  it('stays ready and answers as before: reading needs no write', async () => {
    await eventually(async () => {
      expect((await fetch(`${api.baseUrl}/readyz`)).status).to.equal(200);
      const response = await api.get(path);
      expect(response.status).to.equal(200);
      expect(await response.text()).to.equal(asBefore);
    });
  });

  it('says in its tools that nothing was written, in one sentence', async () => {
    const { location } = api;
    if (location.kind !== 'postgres') throw new Error('not a PostgreSQL location');
    process.env['API_DATABASE_URL'] = location.url.expose();
    const refused = await asOperator(({ entitlements }) =>
      entitlements.grant({
        ...{ customer: 'x', role: 'agent', lenderId: undefined },
        deals: { country: 'India' },
      }),
    ).catch(String);
    expect(refused).to.include('the database is read-only, so nothing was written');
  });
});
