import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { billAccruals } from '../src/billing/bill-accruals.ts';
import { sqlBilling } from '../src/billing/sql-billing.ts';
import { dayBefore, daysAfter } from '../src/ledger/business-date.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { date } from './support/book.ts';
import { generated, loadRecords } from './support/generated.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

describeOnDatabase('billing what has accrued', (engine) => {
  let api: TestApi;
  // In the middle of a quarter, after the last event of every deal.
  const through = date('2024-06-20');
  before(async () => {
    api = await startTestApi(engine);
    await loadRecords(api.database, generated({ contracts: 10, years: 1, seed: 5 }).records);
  });
  after(() => api?.stop());

  const at = async (day: string, level: string): Promise<Json[]> => {
    const path = `/api/v1/cls/balances?level=${level}&limit=1000&asOf=${day}&includeZero=true`;
    return ((await (await api.get(path)).json()) as Json).data;
  };
  const cents = (amount: string) => BigInt(amount.replace('.', ''));
  const bill = (apply: boolean) =>
    billAccruals(sqlBilling(api.database), { through, dueDate: daysAfter(through, 5), apply });

  it('writes nothing without apply, and says the same sums', async () => {
    const before = await at(through, 'facility');
    const dry = await bill(false);
    expect(dry.outcome).to.equal('valid');
    expect(dry.journals).to.be.greaterThan(5);
    expect(await at(through, 'facility')).to.deep.equal(before);
  });

  it('makes due to the cent what had accrued, globally and for each lender', async () => {
    const before = await at(through, 'facility');
    const dayEarlier = await at(dayBefore(through), 'facility');
    const report = await bill(true);
    expect(report.outcome).to.equal('billed');
    const after = await at(through, 'facility');
    for (const [index, item] of before.entries()) {
      const now = after[index];
      const lines = [
        [item.global, now.global],
        ...item.lenders.map((l: Json, n: number) => [l, now.lenders[n]]),
      ];
      for (const [then, billed] of lines) {
        for (const kind of ['interest', 'fees']) {
          expect(billed[kind].accrued).to.match(/^0(\.0+)?$/);
          expect(cents(billed[kind].due)).to.equal(
            cents(then[kind].due) + cents(then[kind].accrued),
          );
        }
      }
    }
    // The day before is as it was: the bill became effective afterwards.
    const earlier = await at(dayBefore(through), 'facility');
    const accrued = (items: Json[]) => items.map(({ global }: Json) => global.interest);
    expect(accrued(earlier)).to.deep.equal(accrued(dayEarlier));
  });

  it('begins anew from the day through which it was billed', async () => {
    const next = await at(daysAfter(through, 1), 'contract');
    const [item] = next.filter(({ global }: Json) => cents(global.principal.outstanding) > 0n);
    expect(cents(item.global.interest.accrued) > 0n).to.equal(true);
    expect(cents(item.global.interest.accrued) < cents(item.global.interest.due)).to.equal(true);
  });

  it('is past due after its due date', async () => {
    const [on, past] = await Promise.all(
      [5, 6].map((days) => at(daysAfter(through, days), 'contract')),
    );
    const late = (items: Json[] | undefined) =>
      items?.filter(({ status }: Json) => status.daysPastDue === 1).length;
    expect(late(on)).to.equal(0);
    expect(late(past)).to.be.greaterThan(0);
  });

  it('bills the same day once', async () => {
    const again = await bill(true);
    expect(again.journals).to.equal(0);
  });
});
