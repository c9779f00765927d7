import { systemClock } from '@cls/shared/clock';
import type { Database } from '@cls/shared/sql/database';
import { describeOnEngines } from '@cls/testing/engines';
import { rounds } from '@cls/testing/exhaustive';
import { expect } from 'chai';
import fc from 'fast-check';
import type { EntitlementRole } from '../src/access/entitlement.ts';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { MIGRATIONS } from '../src/database/migrations.ts';
import {
  addBalances,
  type Balance,
  outstandingPrincipal,
  ZERO_BALANCE,
} from '../src/ledger/balance.ts';
import { type BusinessDate, businessDateOf } from '../src/ledger/business-date.ts';
import {
  type BalanceFilter,
  type BalanceItem,
  type BalanceStore,
  LEVELS,
  type Level,
  NO_FILTER,
} from '../src/questions/ask/balance-store.ts';
import { readAs } from '../src/questions/ask/sql/statement.ts';
import { sqlBalanceStore } from '../src/questions/sql-balance-store.ts';
import { generated, loadRecords } from './support/generated.ts';
import { everyItem } from './support/pages.ts';
import { expectReconciled } from './support/reconciled.ts';

const QUERIES_EACH = 10;
/** No filter, in the order of keys. */
const ALL = { filter: { ...NO_FILTER, includeZero: true }, sorted: false };
const FIRST = '2000-01-01' as BusinessDate;

interface Grant {
  readonly role: EntitlementRole;
  readonly lender: string;
  readonly deal: string | undefined;
  readonly country: string | undefined;
}
interface Question {
  readonly level: Level;
  readonly filter: BalanceFilter;
  readonly sorted: boolean;
  readonly limit: number;
}

describeOnEngines('what a caller sees', (engine) => {
  // The embedded engine runs the same policies, more slowly.
  const customers = rounds(engine.name === 'PostgreSQL' ? 40 : 8);
  let database: Database;
  const everything = new Map<Level, readonly BalanceItem[]>();
  const asOf = businessDateOf(systemClock.now());
  let ledgerSeq = 0n;

  before(async () => {
    database = await engine.open(MIGRATIONS);
    await loadRecords(database, generated({ contracts: 24, seed: 4, years: 1 }).records);
    const store = sqlBalanceStore(database);
    ledgerSeq = (await store.ledgerState(asOf)).seq;
    for (const level of LEVELS) {
      const filter = { ...NO_FILTER, includeZero: true };
      const request = {
        level,
        filter,
        snapshot: { asOf, ledgerSeq },
        sort: undefined,
        after: undefined,
        limit: 1_000,
      };
      everything.set(level, (await store.page({ fullControl: true }, request)).items);
    }
  });
  after(() => database?.close());

  /** The naive reading of grants and question, over everything there is. */
  function reference(grants: readonly Grant[], { level, filter, sorted }: Question): BalanceItem[] {
    const positions = everything.get('position') ?? [];
    const grantsOf = ({ deal, borrower }: BalanceItem) =>
      grants.filter(
        (grant) =>
          grant.deal === deal.id ||
          grant.country === borrower.country ||
          (!grant.deal && !grant.country),
      );
    const sees = (item: BalanceItem, lender: string) =>
      grantsOf(item).some(
        ({ role, lender: own }) => role === 'agent' || (role === 'lender' && own === lender),
      );
    const heldBy = (item: BalanceItem, lenders: readonly string[]) =>
      positions.some(
        (p) =>
          lenders.includes(p.position?.lenderId ?? '') &&
          sees(item, p.position?.lenderId ?? '') &&
          (level === 'deal'
            ? p.deal.id === item.deal.id && p.currency === item.currency
            : p.facility?.id === item.facility?.id),
      );
    const among = (values: readonly string[], value: string) =>
      values.length === 0 || values.includes(value);
    const found = (everything.get(level) ?? [])
      .filter((item) => grantsOf(item).length > 0)
      .filter((item) => level !== 'position' || sees(item, item.position?.lenderId ?? ''))
      .filter(
        (item) => among(filter.dealIds, item.deal.id) && among(filter.currencies, item.currency),
      )
      .filter((item) => among(filter.facilityTypes, item.facility?.type ?? ''))
      .filter(
        (item) =>
          filter.lenderIds.length === 0 ||
          (level === 'position'
            ? filter.lenderIds.includes(item.position?.lenderId ?? '')
            : heldBy(item, filter.lenderIds)),
      )
      .map((item) => ({
        ...item,
        lenders: item.lenders.filter(({ lender }) => sees(item, lender.id)),
      }));
    const own = (item: BalanceItem) =>
      outstandingPrincipal(
        item.lenders.find(({ lender }) => lender.id === item.position?.lenderId)?.balance ??
          item.global,
      );
    // Amounts are compared within a currency, and currencies come in the order of their codes.
    return sorted
      ? found.sort((a, b) => {
          if (a.currency !== b.currency) return a.currency < b.currency ? -1 : 1;
          return own(a) === own(b) ? Number(a.end.key - b.end.key) : own(a) < own(b) ? 1 : -1;
        })
      : found;
  }

  /** What is counted and added up is what the caller sees, and no name of another lender's. */
  async function expectSummaries(
    store: BalanceStore,
    customer: string,
    { level, filter }: Question,
    expected: readonly BalanceItem[],
  ): Promise<void> {
    const request = { level, filter, snapshot: { asOf, ledgerSeq } };
    const lendersOf = ({ position, lenders }: BalanceItem) =>
      position === null ? lenders.map(({ lender }) => lender.id) : [position.lenderId];
    const fields = ['lender', 'borrower'] as const;
    const counted = await store.facets({ customer }, { ...request, fields, top: 1_000 });
    const values = (field: string) => counted.filter((one) => one.field === field);
    expect(values('lender').map(({ value }) => value)).to.have.members([
      ...new Set(expected.flatMap(lendersOf)),
    ]);
    expect(values('borrower').reduce((sum, { count }) => sum + count, 0)).to.equal(expected.length);
    const groupBy = level === 'position' ? 'lender' : 'borrower';
    const grouped = await store.groupTotals({ customer }, { ...request, groupBy, top: 1_000 }, 0);
    expect(grouped.map(({ party }) => party?.id)).to.include.members(
      expected.map(({ position, borrower }) => position?.lenderId ?? borrower.id),
    );
    for (const { party, count, currency, balance } of grouped) {
      const mine = expected.filter(
        (item) =>
          item.currency === currency && (item.position?.lenderId ?? item.borrower.id) === party?.id,
      );
      const sum = mine.reduce((all, item) => {
        const held = item.lenders.find(({ lender }) => lender.id === item.position?.lenderId);
        return all + outstandingPrincipal(held?.balance ?? item.global);
      }, 0n);
      expect([count, outstandingPrincipal(balance)]).to.deep.equal([mine.length, sum]);
    }
    const days = { from: FIRST, to: asOf };
    const steps = await store.series(
      { customer },
      { ...request, ...days, interval: 'year', limit: 100 },
    );
    for (const currency of new Set(expected.map((item) => item.currency))) {
      const moved = steps.filter((step) => step.currency === currency);
      const told = grouped.filter((group) => group.currency === currency);
      const principal = (sum: bigint, one: Parameters<typeof outstandingPrincipal>[0]) =>
        sum + outstandingPrincipal(one);
      expect(moved.map((step) => step.moved).reduce(principal, 0n)).to.equal(
        told.map(({ balance }) => balance).reduce(principal, 0n),
      );
    }
  }

  /** One item and its deal are there for those who see them in the list, and for nobody else. */
  async function expectOne(
    store: BalanceStore,
    customer: string,
    number: number,
    { level }: Question,
    visible: readonly BalanceItem[],
  ): Promise<void> {
    const all = everything.get(level) ?? [];
    const { deal, facility, contract, position, currency, end } = all[
      (number * 7) % all.length
    ] as BalanceItem;
    const ids = { deal, facility, contract, position };
    const name = { level, id: ids[level]?.id ?? '', currency };
    const found = await store.item({ customer }, name, { asOf, ledgerSeq });
    const own = visible.filter((item) => item.end.key === end.key);
    expect(shown(found === undefined ? [] : [found])).to.deep.equal(shown(own));
    const seesDeal = await store.deal({ customer }, deal.id, { asOf, ledgerSeq });
    if (level === 'deal') expect(seesDeal?.id).to.equal(own[0]?.deal.id);
  }

  /** A party is there for those who see a deal or a position of it. */
  async function expectParties(customer: string, grants: readonly Grant[]): Promise<void> {
    const visible = (level: Level) => reference(grants, { level, ...ALL, limit: 1 });
    const deals = visible('deal').map(({ deal }) => deal.id);
    const lenders = visible('position').map(({ position }) => position?.lenderId ?? '');
    const named = await database.query<{ id: string }>(
      `SELECT id FROM party WHERE id = ANY($2) OR key IN (
        SELECT unnest(ARRAY[borrower_key, agent_key, guarantor_key]) FROM deal WHERE id = ANY($1))`,
      [deals, lenders],
    );
    const all = { sql: 'SELECT id FROM party', parameters: [] };
    const seen = await readAs<{ id: string }>(database, { customer }, all);
    expect(seen.map(({ id }) => id)).to.have.members(named.map(({ id }) => id));
  }

  const shown = (items: readonly BalanceItem[]) =>
    items.map(({ deal, facility, contract, position, global, lenders }) => ({
      ids: [deal.id, facility?.id, contract?.id, position?.id],
      global: outstandingPrincipal(global),
      lenders: lenders.map(({ lender, balance }) => [
        lender.id,
        outstandingPrincipal(balance),
        balance.interest_due,
      ]),
    }));

  it(`is what a naive reading of its grants gives: ${customers * QUERIES_EACH} random questions of ${customers} customers`, async () => {
    const store = sqlBalanceStore(database);
    const entitlements = sqlEntitlements(database);
    const items = everything.get('position') ?? [];
    const deals = [...new Set(items.map(({ deal }) => deal.id))];
    const lenders = [...new Set(items.map(({ position }) => position?.lenderId ?? ''))];
    const countries = [...new Set(items.map(({ borrower }) => borrower.country))];
    const maybe = <T>(values: readonly T[]) =>
      fc.option(fc.constantFrom(...values), { nil: undefined });
    const grant: fc.Arbitrary<Grant> = fc
      .record({
        role: fc.constantFrom('agent' as const, 'lender' as const, 'borrower' as const),
        lender: fc.constantFrom(...lenders),
        deal: fc.constantFrom(...deals),
        country: fc.constantFrom(...countries),
        which: fc.nat({ max: 6 }),
      })
      .map(({ which, deal, country, ...rest }) => ({
        ...rest,
        deal: which < 4 ? deal : undefined,
        country: which === 4 || which === 5 ? country : undefined,
      }));
    const question: fc.Arbitrary<Question> = fc
      .record({
        level: fc.constantFrom(...LEVELS),
        deal: maybe(deals),
        lender: maybe(lenders),
        currency: maybe(['USD', 'EUR', 'GBP', 'JPY']),
        type: maybe(['revolver', 'term_loan']),
        narrow: fc.nat({ max: 15 }),
        sorted: fc.boolean(),
        limit: fc.integer({ min: 1, max: 40 }),
      })
      .map(({ level, deal, lender, currency, type, narrow, sorted, limit }) => {
        const list = (bit: number, value: string | undefined) =>
          (narrow & bit) !== 0 && value !== undefined ? [value] : [];
        const filter = {
          ...NO_FILTER,
          includeZero: true,
          dealIds: list(1, deal),
          lenderIds: list(2, lender),
          currencies: list(4, currency),
          facilityTypes: level === 'deal' ? [] : list(8, type),
        };
        return { level, filter, sorted, limit };
      });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(grant, {
          minLength: 0,
          maxLength: 5,
          selector: (g) =>
            JSON.stringify([g.role, g.role === 'lender' ? g.lender : '', g.deal, g.country]),
        }),
        fc.array(question, { minLength: QUERIES_EACH, maxLength: QUERIES_EACH }),
        async (grants, questions) => {
          number += 1;
          const customer = `customer-${number}`;
          for (const { role, lender, deal, country } of grants) {
            const selection =
              deal !== undefined
                ? { dealId: deal }
                : country !== undefined
                  ? { country }
                  : { allDeals: true as const };
            await entitlements.grant({
              customer,
              role,
              lenderId: role === 'lender' ? lender : undefined,
              deals: selection,
            });
          }
          const edition = { generation: await store.generation(), today: asOf };
          for (const asked of questions) {
            const { level, filter, sorted, limit } = asked;
            const expected = reference(grants, asked);
            const sort = sorted ? ({ by: 'outstanding', descending: true } as const) : undefined;
            const snapshot = { asOf, ledgerSeq, edition };
            const request = { level, filter, snapshot, sort, after: undefined, limit };
            const walked = await everyItem(store, { customer }, request);
            expect(shown(walked)).to.deep.equal(shown(expected));
            const totals = (await store.totals({ customer }, { level, filter, snapshot })) ?? [];
            for (const { currency, count, balance } of totals) {
              const mine = expected.filter((item) => item.currency === currency);
              expect(count).to.equal(mine.length);
              const sum = mine.reduce((all, item) => {
                const held = item.lenders.find(
                  ({ lender }) => lender.id === item.position?.lenderId,
                );
                return addBalances(all, held?.balance ?? item.global);
              }, ZERO_BALANCE as Balance);
              expect(outstandingPrincipal(balance)).to.equal(outstandingPrincipal(sum));
            }
            expect(totals.reduce((all, { count }) => all + count, 0)).to.equal(expected.length);
            // A part of the questions, for the time that it takes.
            if (questions.indexOf(asked) % 3 > 0) continue;
            await expectSummaries(store, customer, asked, expected);
            await expectOne(
              store,
              customer,
              number,
              asked,
              reference(grants, { ...asked, ...ALL }),
            );
          }
          await expectParties(customer, grants);
          const contract = { ...NO_FILTER };
          const { movements } = await store.movements(
            { customer },
            {
              filter: contract,
              snapshot: { asOf, ledgerSeq },
              fromDate: undefined,
              after: undefined,
              limit: 200,
            },
          );
          for (const { dealId, lender } of movements) {
            const item = items.find(({ deal }) => deal.id === dealId) as BalanceItem;
            const visible = reference(grants, {
              level: 'deal',
              filter: contract,
              sorted: false,
              limit: 1,
            }).find(({ deal }) => deal.id === dealId);
            expect(visible, `${item.deal.id} is granted`).to.not.equal(undefined);
            if (lender !== null)
              expect(visible?.lenders.map((one) => one.lender.id)).to.include(lender.id);
          }
        },
      ),
      { numRuns: customers, endOnFailure: true },
    );
  });

  it('is of a book that reconciles', () => expectReconciled(database));

  it('is nothing that was taken back, whatever was looked up before', async () => {
    const store = sqlBalanceStore(database);
    const entitlements = sqlEntitlements(database);
    const customer = 'customer-of-two-deals';
    const [first, second] = new Set(everything.get('deal')?.map(({ deal }) => deal.id));
    const grant = async (dealId = '') => {
      const of = { customer, role: 'agent' as const, lenderId: undefined };
      return (await entitlements.grant({ ...of, deals: { dealId } }))?.rule ?? '';
    };
    const seen = async (generation: string, level: Level, includeZero = true) => {
      const filter = { ...NO_FILTER, includeZero };
      const snapshot = { asOf, ledgerSeq, edition: { generation, today: asOf } };
      const request = { level, filter, snapshot, sort: undefined, after: undefined, limit: 7 };
      const items = await everyItem(store, { customer }, request);
      return new Set(items.map(({ deal }) => deal.id));
    };
    const totals = (generation: string, level: Level) => {
      const snapshot = { asOf, ledgerSeq, edition: { generation, today: asOf } };
      return store.totals({ customer }, { level, filter: NO_FILTER, snapshot });
    };
    await grant(first);
    const before = await store.generation();
    const rule = await grant(second);
    const both = await store.generation();
    for (const level of LEVELS) {
      expect([...(await seen(both, level))]).to.have.members([first, second]);
      // From what was kept.
      expect([...(await seen(both, level))]).to.have.members([first, second]);
      expect(await seen(both, level, false)).to.deep.equal(await seen(before, level, false));
      expect(await totals(both, level)).to.deep.equal(await totals(before, level));
      await totals(both, level);
    }
    await entitlements.revoke(rule);
    const one = await store.generation();
    for (const level of LEVELS) {
      expect([...(await seen(both, level))], 'asked in the state before').to.deep.equal([first]);
      expect([...(await seen(one, level))]).to.deep.equal([first]);
      expect(await totals(both, level), 'asked in the state before').to.deep.equal(
        await totals(one, level),
      );
    }
    await grant(second);
    const again = await store.generation();
    for (const level of LEVELS) {
      expect([...(await seen(again, level))]).to.have.members([first, second]);
    }
  });
});
