import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import {
  type BalanceStore,
  type FilterRequest,
  NO_FILTER,
  type ReaderAccess,
} from '../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { date, importWorldBank, statement } from './support/book.ts';
import { listening } from './support/listening.ts';

const CUSTOMER: ReaderAccess = { customer: 'brazil' };
const loan = (number: string, country: string) => ({
  'Loan Number': number,
  'Country / Economy Code': country,
  'Country / Economy': country,
  'Disbursed Amount': '100',
  'Original Principal Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
});

describeOnDatabase('the deals of a question', (engine) => {
  let database: Database;
  let store: BalanceStore;
  let lookUps = 0;
  before(async () => {
    database = await engine.open(MIGRATIONS);
    const loans = [loan('A', 'BR'), loan('B', 'BR'), loan('C', 'IN')];
    await importWorldBank(database, statement('01/31/2025', loans));
    await sqlEntitlements(database).grant({
      ...{ customer: 'brazil', role: 'borrower', lenderId: undefined },
      deals: { country: 'BR' },
    });
    store = sqlBalanceStore(
      listening(database, (sql) => {
        if (sql.includes('SELECT DISTINCT deal_key FROM entitlement')) lookUps += 1;
      }),
    );
  });
  after(() => database?.close());

  const ask = async (request: FilterRequest) => {
    lookUps = 0;
    const totals = await store.totals(CUSTOMER, request);
    const accruing = await store.accruing(CUSTOMER, { ...request, limit: 10 });
    return { totals, accruing, lookUps };
  };

  it('are looked for once for its totals, which stay what they are', async () => {
    const { seq: ledgerSeq } = await store.ledgerState(date('2025-03-01'));
    const snapshot = { asOf: date('2025-02-28'), ledgerSeq };
    const request = { level: 'facility', filter: NO_FILTER, snapshot } as const;
    const each = await ask(request);
    const once = await ask({ ...request, narrowing: {} });
    expect([each.lookUps, once.lookUps]).to.deep.equal([2, 1]);
    expect(once.totals?.map(({ count }) => count)).to.deep.equal([2]);
    expect({ ...once, lookUps: 0 }).to.deep.equal({ ...each, lookUps: 0 });
  });
});
