import { Random } from '@cls/book-generator/random';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import type { FacilityRecord } from '../src/journal-file/record.ts';
import { type BusinessDate, daysAfter } from '../src/ledger/business-date.ts';
import { NO_FILTER, type ReaderAccess } from '../src/questions/ask/balance-store.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { lenderOf, mostlyInOrder } from './support/any-order.ts';
import { date } from './support/book.ts';
import { datedFacts } from './support/dated-facts.ts';
import { generated, loadRecords } from './support/generated.ts';
import { expectReconciled } from './support/reconciled.ts';
import { aCommitment, aFacility, aLoan, aParty, aPosition } from './support/records.ts';
import {
  expectTotalsOfItems,
  type FilterValues,
  STATUSES,
  someFilter,
} from './support/totals-of-items.ts';

const SEED = 31;
const QUESTIONS = 2;
const [FIRST, LAST] = [date('2023-01-10'), date('2025-03-01')];
const FULL: ReaderAccess = { fullControl: true };
const GRANTS: readonly ReaderAccess[] = [
  { customer: 'agent' },
  { customer: 'lender' },
  { customer: 'borrower' },
];

describeOnDatabase('totals of a filter', (engine) => {
  let database: Database;
  const random = new Random(SEED);
  beforeEach(async function () {
    this.timeout(0);
    database = await engine.open(MIGRATIONS);
  });
  afterEach(() => database?.close());

  const aDay = (): BusinessDate => {
    const days = (Date.parse(LAST) - Date.parse(FIRST)) / 86_400_000;
    return daysAfter(FIRST, random.between(0, days));
  };
  const newestSeq = async (): Promise<bigint> => {
    const [row] = await database.query<{ seq: bigint }>('SELECT max(seq) AS seq FROM journal');
    return row?.seq ?? 0n;
  };
  const valuesOf = async (): Promise<FilterValues> => {
    const values = async (sql: string) =>
      (await database.query<{ value: string }>(sql)).map(({ value }) => value);
    return {
      currencies: await values('SELECT DISTINCT currency AS value FROM facility ORDER BY 1'),
      countries: await values('SELECT DISTINCT country AS value FROM deal ORDER BY 1'),
      facilityTypes: await values('SELECT DISTINCT type AS value FROM facility ORDER BY 1'),
      statuses: STATUSES,
    };
  };

  for (const [often, chance] of Object.entries({ rarely: 0.004, often: 0.03 })) {
    it(`are what all items come to, for every reader, where journals ${often} come late or are taken back`, async () => {
      const store = sqlBalanceStore(database);
      const { records } = generated({
        ...{ contracts: 14, years: 2, seed: 17 },
        ...{ sublimits: true, uneven: true },
      });
      await loadRecords(
        database,
        records.filter(({ object }) => object !== 'journal'),
      );
      const values = await valuesOf();
      const entitlements = sqlEntitlements(database);
      const of = { lenderId: undefined, deals: { allDeals: true } } as const;
      await entitlements.grant({ ...of, customer: 'agent', role: 'agent' });
      const lenderId = lenderOf(records);
      await entitlements.grant({ ...of, customer: 'lender', role: 'lender', lenderId });
      const deals = { country: values.countries[0] ?? '' };
      await entitlements.grant({ ...of, customer: 'borrower', role: 'borrower', deals });
      const journals = records.flatMap((record) => (record.object === 'journal' ? [record] : []));
      const facts = datedFacts(records, random);
      for (const [index, fact] of facts.entries()) {
        journals.splice(Math.floor((index * journals.length) / facts.length), 0, fact);
      }
      const rest = mostlyInOrder(journals, chance, random);
      while (rest.length > 0) {
        await loadRecords(database, rest.splice(0, random.pick([1, 3, 40])));
        for (let question = 0; question < QUESTIONS; question += 1) {
          const filter = someFilter(random, values);
          const access = random.pick([FULL, ...GRANTS]);
          await expectTotalsOfItems(store, database, access, { asOf: aDay(), filter });
        }
      }
      await expectReconciled(database);
    });
  }

  it('are of the type of that facility which stands for the deal on the date', async () => {
    const store = sqlBalanceStore(database);
    const [borrower, lender] = [aParty('Borrower'), aParty('Lender')];
    const late = { bookedOn: date('2025-02-15') };
    const { deal, facility, contract, positions } = aLoan(borrower, [lender], late);
    const earlier = aFacility(deal, { type: 'revolver' });
    const commit = (to: FacilityRecord, day: string, amount: string) =>
      aCommitment({ deal, facility: to }, day, [
        [undefined, amount],
        [lender, amount],
      ]);
    await loadRecords(database, [
      ...[borrower, lender, deal, facility],
      ...[contract, ...positions].map((record) => ({ ...record, ...late })),
      ...[earlier, aPosition(earlier, lender)],
      commit(earlier, '2025-02-01', '40.00'),
      commit(facility, '2025-03-01', '60.00'),
    ]);
    for (const [asOf, type, unfunded] of [
      ['2025-02-10', 'revolver', [4_000n]],
      ['2025-02-10', 'term_loan', []],
      ['2025-03-31', 'revolver', []],
      ['2025-03-31', 'term_loan', [10_000n]],
    ] as const) {
      const asked = { asOf: date(asOf), filter: { ...NO_FILTER, facilityTypes: [type] } };
      await expectTotalsOfItems(store, database, FULL, asked);
      const snapshot = { asOf: asked.asOf, ledgerSeq: await newestSeq() };
      const totals = await store.totals(FULL, { ...asked, level: 'deal', snapshot });
      expect(totals?.map(({ balance }) => balance.unfunded)).to.deep.equal(unfunded);
    }
  });

  it('count deals that were booked since, and amounts at the ends of what is asked for', async () => {
    const store = sqlBalanceStore(database);
    const lender = aParty('Lender');
    await loadRecords(database, [lender]);
    for (const name of ['First', 'Second', 'Third']) {
      const borrower = aParty(name);
      const { deal, facility, contract, positions } = aLoan(borrower, [lender]);
      await loadRecords(database, [
        ...[borrower, deal, facility, contract, ...positions],
        aCommitment({ deal, facility }, '2025-02-01', [
          [undefined, '40.00'],
          [lender, '40.00'],
        ]),
      ]);
      const ofNothing = { minOutstandingMinor: 0n, maxOutstandingMinor: 0n };
      for (const filter of [{ statuses: ['active'] }, ofNothing]) {
        await expectTotalsOfItems(store, database, FULL, {
          asOf: date('2025-03-31'),
          filter: { ...NO_FILTER, ...filter },
        });
      }
    }
  });
});
