import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { loadRecords } from './support/generated.ts';
import { aCommitment, aLoan, aParty } from './support/records.ts';

interface Named {
  readonly value: string;
  readonly country: string | null;
}

describeOnDatabase('the country of a borrower', (engine) => {
  let api: TestApi;
  const [one, several] = [aParty('Ministry of Finance'), aParty('Holding')];
  const growing = aParty('Growing abroad');
  const home = aLoan(one, []);
  const abroad = aLoan(several, []);
  const at = aLoan(several, []);
  const [first, second] = [aLoan(growing, []), aLoan(growing, [])];
  before(async () => {
    Object.assign(home.deal, { country: 'UA' });
    for (const { deal } of [abroad, second]) Object.assign(deal, { country: 'IN' });
    for (const record of second.all) Object.assign(record, { bookedOn: '2024-06-01' });
    api = await startTestApi(engine);
    const loans = [home, abroad, at, first, second];
    const dayOf = (loan: (typeof loans)[number]) => (loan === second ? '2024-06-01' : '2024-02-01');
    await loadRecords(api.database, [
      ...[one, several, growing],
      ...loans.flatMap(({ all }) => all),
      ...loans.map((loan) => aCommitment(loan, dayOf(loan), [[undefined, '40.00']])),
    ]);
    const agent = { customer: 'agent', role: 'agent', lenderId: undefined } as const;
    for (const { deal } of [home, abroad]) {
      await sqlEntitlements(api.database).grant({ ...agent, deals: { dealId: deal.id } });
    }
  });
  after(() => api?.stop());

  const told = async (customer?: string, asOf = '2024-06-01') => {
    const claims = customer === undefined ? undefined : viewer(customer);
    const read = async <T>(path: string) =>
      (await (await api.get(`/api/v1/cls${path}`, claims)).json()) as T;
    const groups = await read<{ data: Named[] }>(`/balances/totals?groupBy=borrower&asOf=${asOf}`);
    const facets = await read<{ data: { values: Named[] }[] }>(
      `/facets?fields=borrower&asOf=${asOf}`,
    );
    return [groups.data, facets.data[0]?.values ?? []].map((all) =>
      Object.fromEntries(all.map(({ value, country }) => [value, country])),
    );
  };

  it('is that of its deals, and none where they are of several', async () => {
    const expected = { [one.id]: 'UA', [several.id]: null, [growing.id]: null };
    expect(await told()).to.deep.equal([expected, expected]);
  });

  it('is that of the deals that the caller sees', async () => {
    const expected = { [one.id]: 'UA', [several.id]: 'IN' };
    expect(await told('agent')).to.deep.equal([expected, expected]);
  });

  it('is that of the deals that the book has on the date', async () => {
    const expected = { [one.id]: 'UA', [several.id]: null, [growing.id]: first.deal.country };
    expect(await told(undefined, '2024-05-31')).to.deep.equal([expected, expected]);
  });
});
