import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import type { ContractRecord, FacilityRecord } from '../src/journal-file/record.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { reversalOf } from './support/any-order.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date } from './support/book.ts';
import { loadRecords } from './support/generated.ts';
import { aCommitment, aJournal, aLoan, aParty, type BookRecord, entry } from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;
type Loan = ReturnType<typeof aLoan>;

describeOnDatabase('what ends', (engine) => {
  let api: TestApi;
  const [borrower, anna, bert] = ['Borrower', 'Anna', 'Bert'].map(aParty) as [
    ReturnType<typeof aParty>,
    ReturnType<typeof aParty>,
    ReturnType<typeof aParty>,
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
  const both = (total: string, first: string, second: string) =>
    [
      [undefined, total],
      [anna, first],
      [bert, second],
    ] as const;
  const moved = (loan: Loan, day: string, amounts: ReturnType<typeof both>) => {
    const movement = amounts[0][1].startsWith('-') ? 'scheduled_repayment' : 'advance';
    const cash = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], amounts, { movement });
    return aJournal(loan.deal, movement, day, [...cash]);
  };
  const drawn = both('1200000.00', '400000.00', '800000.00');
  const aDrawnLoan = (facility: Partial<FacilityRecord>, contract: Partial<ContractRecord>) => {
    const plain = aLoan(borrower, [anna, bert], facility);
    const loan = { ...plain, contract: { ...plain.contract, ...contract } };
    const all = [loan.deal, loan.facility, loan.contract, ...loan.positions];
    return { loan, records: [...all, moved(loan, '2024-01-02', drawn)] };
  };

  describe('a loan past its maturity', () => {
    /** Principal past due and due, days, and warnings; the same however it is asked for. */
    const late = async ({ deal }: Loan, asOf: string, more = '') => {
      const asked = `dealId=${deal.id}&asOf=${asOf}${more}`;
      const of = async (level: string) => (await get(`?${asked}&level=${level}`)).data;
      const [item] = await of('contract');
      const { pastDue, due } = item.global.principal;
      const told = [pastDue, due, item.status.daysPastDue, item.warnings];
      const shares = item.lenders.map(({ lender, principal }: Json) => [
        lender.name,
        principal.pastDue,
      ]);
      for (const level of ['deal', 'facility']) {
        const [{ global, status, warnings, lenders }] = await of(level);
        const { principal } = global;
        expect([principal.pastDue, principal.due, status.daysPastDue, warnings]).to.deep.equal(
          told,
        );
        expect(lenders.map((one: Json) => [one.lender.name, one.principal.pastDue])).to.deep.equal(
          shares,
        );
        const found = await get(`?${asked}&level=${level}&pastDue=true&sort=-pastDue`);
        expect(found.data.length).to.equal(pastDue === '0.00' ? 0 : 1);
      }
      const positions = await get(`?${asked}&level=position&pastDue=true&sort=pastDue`);
      expect(
        positions.data.map(({ share }: Json) => [share.lender.name, share.principal.pastDue]),
      ).to.deep.equal(pastDue === '0.00' ? [] : shares);
      for (const level of ['deal', 'facility', 'contract', 'position']) {
        const [{ pastDue: total, warnings }] = (await get(`/totals?${asked}&level=${level}`))
          .totals;
        expect(total, level).to.equal(pastDue);
        const items = level === 'position' ? 2 : 1;
        expect(warnings, level).to.equal(item.warnings.length > 0 ? items : 0);
      }
      return told;
    };
    const all = ['1200000.00', '1200000.00'];
    const none = ['0.00', '0.00', 0, []];

    it('is past due from the day after, with all that is outstanding', async () => {
      const { loan, records } = aDrawnLoan({}, { maturityDate: date('2024-06-30') });
      await load(records);
      expect(await late(loan, '2024-06-30')).to.deep.equal(none);
      expect(await late(loan, '2024-07-01')).to.deep.equal([...all, 1, ['past_maturity']]);
      expect(await late(loan, '2024-08-31')).to.deep.equal([...all, 62, ['past_maturity']]);
      await load([moved(loan, '2024-08-01', both('-1200000.00', '-400000.00', '-800000.00'))]);
      expect(await late(loan, '2024-08-31', '&includeZero=true')).to.deep.equal(none);
    });

    it('is so where its facility matures before it, or it has no maturity of its own', async () => {
      const matured = { maturityDate: date('2024-06-30') };
      for (const contract of [{}, { maturityDate: date('2025-06-30') }]) {
        const { loan, records } = aDrawnLoan(matured, contract);
        await load(records);
        expect(await late(loan, '2024-06-30')).to.deep.equal(none);
        expect(await late(loan, '2024-07-02')).to.deep.equal([...all, 2, ['past_maturity']]);
      }
    });

    it('follows the terms that stand, as they are known', async () => {
      const { loan, records } = aDrawnLoan({}, { maturityDate: date('2024-06-30') });
      await load(records);
      const { knownAt } = (await get(`?dealId=${loan.deal.id}`)).meta;
      const extended = aJournal(loan.deal, 'terms', '2024-06-01', [], {
        terms: [{ contract: loan.contract.id, status: 'active', maturityDate: date('2024-12-31') }],
      });
      await load([extended]);
      expect(await late(loan, '2024-08-31')).to.deep.equal(none);
      expect(await late(loan, '2024-08-31', `&knownAt=${knownAt}`)).to.deep.equal([
        ...all,
        ...[62, ['past_maturity']],
      ]);
      await load([{ ...reversalOf(extended), terms: [] }]);
      expect(await late(loan, '2024-08-31')).to.deep.equal([...all, 62, ['past_maturity']]);
    });

    it('has what was billed of it past due once, since its oldest due date', async () => {
      const { loan, records } = aDrawnLoan({}, { maturityDate: date('2024-06-30') });
      const dueDate = date('2024-05-15');
      const billed = both('300000.00', '100000.00', '200000.00');
      await load([
        ...records,
        aJournal(loan.deal, 'principal_billing', '2024-05-01', [
          ...entry(loan, ['PRINCIPAL_DUE', 'MEMO'], billed).map((one) =>
            one.account === 'PRINCIPAL_DUE' ? { ...one, dueDate } : one,
          ),
        ]),
      ]);
      expect(await late(loan, '2024-06-30')).to.deep.equal(['300000.00', '300000.00', 46, []]);
      expect(await late(loan, '2024-07-01')).to.deep.equal([...all, 47, ['past_maturity']]);
    });

    it('is named by the changes since a copy of an earlier date', async () => {
      const { loan, records } = aDrawnLoan({}, { maturityDate: date('2024-06-30') });
      await load(records);
      const changed = async (copyAsOf: string, asOf: string) => {
        const { meta } = await get(`?dealId=${loan.deal.id}&asOf=${copyAsOf}`);
        const since = `updatedSince=${meta.knownAt}&sinceAsOf=${copyAsOf}`;
        const { data } = await get(`?dealId=${loan.deal.id}&asOf=${asOf}&${since}`);
        return data.map(({ status }: Json) => status.daysPastDue);
      };
      expect(await changed('2024-06-29', '2024-06-30')).to.deep.equal([]);
      expect(await changed('2024-06-30', '2024-07-01')).to.deep.equal([1]);
      expect(await changed('2024-07-01', '2024-07-03')).to.deep.equal([3]);
    });
  });

  describe('a commitment fee', () => {
    const committed = both('7200000.00', '2400000.00', '4800000.00');
    const aFee = (change: Partial<FacilityRecord>) => {
      const loan = aLoan(borrower, [anna, bert], { type: 'delayed_draw', ...change });
      const rate = {
        ...{ facility: loan.facility.id, component: 'commitment_fee' as const },
        ...{ startDate: date('2024-01-01'), allInRate: '0.005' },
      };
      const set = aJournal(loan.deal, 'rate_set', '2024-01-01', [], { rates: [rate] });
      return { loan, records: [...loan.all, aCommitment(loan, '2024-01-01', committed), set] };
    };
    const feeOf = async ({ deal }: Loan, asOf: string, more = ''): Promise<string> => {
      const asked = `dealId=${deal.id}&asOf=${asOf}&includeZero=true${more}`;
      const [{ global, lenders }] = (await get(`?${asked}`)).data;
      const cents = (amount: string) => BigInt(amount.replace('.', ''));
      const sum = lenders.reduce((all: bigint, { fees }: Json) => all + cents(fees.accrued), 0n);
      expect(sum).to.equal(cents(global.fees.accrued));
      const { totals } = await get(`/totals?${asked}&level=facility`);
      expect(totals[0].feesAccrued).to.equal(global.fees.accrued);
      return global.fees.accrued;
    };
    const end = date('2024-02-01');

    for (const [name, change] of [
      ['availability', { availabilityEndDate: end }],
      ['the facility', { maturityDate: end, availabilityEndDate: date('2024-12-31') }],
    ] as const) {
      it(`accrues until the end of ${name}, and is billed so`, async () => {
        const { loan, records } = aFee(change);
        await load(records);
        expect(await feeOf(loan, '2024-01-31')).to.equal('3000.00');
        expect(await feeOf(loan, '2024-02-01')).to.equal('3100.00');
        expect(await feeOf(loan, '2025-01-31')).to.equal('3100.00');
        const [{ global }] = (await get(`?dealId=${loan.deal.id}&asOf=2024-02-02`)).data;
        expect(global.commitment.available).to.equal('0.00');
        const through = date('2024-06-30');
        await billAccruals(sqlBilling(api.database), {
          ...{ through, dueDate: through, apply: true },
        });
        const [billed] = (await get(`?dealId=${loan.deal.id}&asOf=2024-06-30`)).data;
        expect([billed.global.fees.accrued, billed.global.fees.due]).to.deep.equal([
          '0.00',
          '3100.00',
        ]);
      });
    }

    it('goes on from the day on which terms extend availability, and is corrected where they come late', async () => {
      const { loan, records } = aFee({ availabilityEndDate: end });
      await load(records);
      const through = date('2024-03-01');
      await billAccruals(sqlBilling(api.database), { through, dueDate: through, apply: true });
      const { knownAt } = (await get(`?dealId=${loan.deal.id}`)).meta;
      const extended = aJournal(loan.deal, 'terms', '2024-02-11', [], {
        terms: [
          {
            ...{ facility: loan.facility.id, status: 'active' },
            availabilityEndDate: date('2024-03-11'),
          },
        ],
      });
      await load([extended]);
      // 19 days of February that were billed at nothing, and 10 of March.
      expect(await feeOf(loan, '2024-03-01')).to.equal('1900.00');
      expect(await feeOf(loan, '2024-04-01')).to.equal('2900.00');
      expect(await feeOf(loan, '2024-04-01', `&knownAt=${knownAt}`)).to.equal('0.00');
      await load([{ ...reversalOf(extended), terms: [] }]);
      expect(await feeOf(loan, '2024-04-01')).to.equal('0.00');
    });

    it('leaves a book that reconciles', async () => {
      const { checks } = await sqlReconciler(api.database).reconcile(1);
      const broken = checks.filter(
        ({ invariant, breakCount }) => breakCount > 0 && invariant !== 'unfunded_is_undrawn',
      );
      expect(broken).to.deep.equal([]);
    });
  });
});
