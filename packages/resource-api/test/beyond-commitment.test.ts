import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import type { PartyRecord, PostingRecord } from '../src/journal-file/record.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import {
  aCommitment,
  aFacility,
  aJournal,
  aLoan,
  aParty,
  aPosition,
  type BookRecord,
  entry,
} from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;
type Holders = Parameters<typeof entry>[2];

describeOnDatabase('a lender that funds more than its commitment', (engine) => {
  let api: TestApi;
  const [borrower, anna, bert] = ['Borrower', 'Anna', 'Bert'].map(aParty) as [
    PartyRecord,
    PartyRecord,
    PartyRecord,
  ];
  before(async () => {
    api = await startTestApi(engine);
    await load([borrower, anna, bert]);
  });
  after(() => api?.stop());

  const load = (records: readonly BookRecord[]) => loadRecords(api.database, records);
  const get = async (path: string): Promise<Json> => {
    const response = await api.get(`/api/v1/cls/balances${path}`);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const negated = (holders: Holders): Holders =>
    holders.map(([lender, amount]) => [lender, `-${amount}`]);
  /** Of a facility, or of a sublimit of it. */
  const advance = (
    loan: ReturnType<typeof aLoan>,
    day: string,
    holders: Holders,
    line: { facility: typeof loan.facility; contract: typeof loan.contract } = loan,
  ) => {
    const cash: readonly PostingRecord[] = entry(
      line,
      ['PRINCIPAL_CASH', 'CASH_CLEARING'],
      holders,
      { movement: 'advance' },
    );
    const used = entry({ facility: line.facility }, ['UNFUNDED', 'MEMO'], negated(holders));
    return aJournal(loan.deal, 'advance', day, [...cash, ...used], { overadvance: true });
  };
  const blocked = (loan: ReturnType<typeof aLoan>, day: string, holders: Holders) =>
    aJournal(loan.deal, 'availability_block', day, [
      ...entry({ facility: loan.facility }, ['UNAVAILABLE', 'MEMO'], holders),
    ]);
  const sixty = (total: string, first: string, second: string): Holders => [
    [undefined, total],
    [anna, first],
    [bert, second],
  ];
  const annas = (amount: string): Holders => [
    [undefined, amount],
    [anna, amount],
  ];
  /** Available of the facility, and of each lender: as its share and as a position. */
  const available = async (loan: ReturnType<typeof aLoan>, query = '') => {
    const asked = `dealId=${loan.deal.id}&includeZero=true${query}`;
    const [item] = (await get(`?${asked}&level=facility&facilityType=revolver`)).data;
    const positions = (await get(`?${asked}&level=position&facilityType=revolver`)).data;
    const shares = (lines: readonly Json[]) =>
      Object.fromEntries(lines.map((one) => [one.lender.name, one.commitment.available]));
    const parts = shares(positions.map(({ share }: Json) => share));
    expect(parts).to.deep.equal(shares(item.lenders));
    return { global: item.global.commitment.available, ...parts, warnings: item.warnings };
  };

  it('is shown as it is, adds up with the others, and is warned of', async () => {
    const loan = aLoan(borrower, [anna, bert], {
      type: 'revolver',
      availabilityEndDate: date('2024-09-30'),
    });
    await load([
      ...loan.all,
      aCommitment(loan, '2024-01-01', sixty('100.00', '50.00', '50.00')),
      advance(loan, '2024-02-01', annas('60.00')),
    ]);
    const warnings = ['lender_beyond_commitment'];
    expect(await available(loan)).to.deep.equal({
      ...{ global: '40.00', Anna: '-10.00', Bert: '50.00', warnings },
    });
    expect(await available(loan, '&asOf=2024-01-31')).to.deep.equal({
      ...{ global: '100.00', Anna: '50.00', Bert: '50.00', warnings: [] },
    });
    expect(await available(loan, '&asOf=2024-10-01')).to.deep.equal({
      ...{ global: '0.00', Anna: '0.00', Bert: '0.00', warnings },
    });
    const { knownAt } = (await get(`?dealId=${loan.deal.id}`)).meta;
    await load([blocked(loan, '2024-03-01', sixty('15.00', '7.50', '7.50'))]);
    expect(await available(loan)).to.deep.equal({
      ...{ global: '25.00', Anna: '-17.50', Bert: '42.50', warnings },
    });
    expect((await available(loan, `&knownAt=${knownAt}`)).global).to.equal('40.00');
    // Nothing globally is nothing for anybody.
    await load([blocked(loan, '2024-04-01', sixty('30.00', '15.00', '15.00'))]);
    expect(await available(loan)).to.deep.equal({
      ...{ global: '0.00', Anna: '0.00', Bert: '0.00', warnings },
    });
  });

  it('adds up over levels where it funds a swingline', async () => {
    const loan = aLoan(borrower, [anna, bert], { type: 'revolver' });
    const facility = aFacility(loan.deal, { type: 'swingline', sublimitOf: loan.facility.id });
    const contract = {
      ...loan.contract,
      id: loan.contract.id.replace(/.{3}$/, '777'),
      facility: facility.id,
    };
    const swingline = { facility, contract };
    await load([
      ...loan.all,
      ...[facility, contract, aPosition(facility, anna)],
      aCommitment(loan, '2024-01-01', sixty('20.00', '10.00', '10.00')),
      aCommitment({ deal: loan.deal, facility }, '2024-01-01', annas('18.00')),
      advance(loan, '2024-02-01', annas('15.00'), swingline),
    ]);
    expect(await available(loan)).to.include({ global: '5.00', Anna: '-5.00', Bert: '10.00' });
    for (const level of ['deal', 'facility', 'position']) {
      const path = `/totals?dealId=${loan.deal.id}&level=${level}`;
      const { totals } = await get(path);
      expect(totals[0].available, level).to.equal('5.00');
      const { data } = await get(`?dealId=${loan.deal.id}&level=${level}`);
      const warned = data.filter(({ warnings }: Json) => warnings.length > 0).length;
      expect(totals[0].warnings, level).to.equal(warned);
      expect(warned, level).to.equal(1);
    }
    const sorted = await get(`?dealId=${loan.deal.id}&level=position&sort=available`);
    const shares = sorted.data.map(({ share }: Json) => share.commitment.available);
    expect(shares).to.deep.equal(['-5.00', '3.00', '10.00']);
  });

  it('has no fee below zero: the others share what accrues on the whole', async () => {
    const loan = aLoan(borrower, [anna, bert], { type: 'revolver' });
    const { facility } = loan;
    const startDate = date('2024-01-01');
    const component = 'commitment_fee' as const;
    await load([
      ...loan.all,
      aCommitment(loan, '2024-01-01', sixty('100000.00', '50000.00', '50000.00')),
      advance(loan, '2024-01-01', annas('60000.00')),
      aJournal(loan.deal, 'rate_set', '2024-01-01', [], {
        rates: [{ facility: facility.id, component, startDate, allInRate: '0.036' }],
      }),
    ]);
    const { data } = await get(`?dealId=${loan.deal.id}&asOf=2024-01-31&expand=accrual`);
    const [{ global, lenders, accrual }] = data;
    const fees = lenders.map((one: Json) => [one.lender.name, one.fees.accrued]).sort();
    // 40,000.00 for 30 days at 3.6 %.
    expect(global.fees.accrued).to.equal('120.00');
    expect(fees).to.deep.equal([
      ['Anna', '0.00'],
      ['Bert', '120.00'],
    ]);
    expect(accrual[0].periods[0].balance).to.equal('40000.00');
    const positions = await get(`/totals?dealId=${loan.deal.id}&level=position&asOf=2024-01-31`);
    expect(positions.totals[0].feesAccrued).to.equal('120.00');
  });
});
