import type { Database } from '@cls/shared/sql/database';
import type { ImportProfile } from '../../src/import/profile/profile.ts';
import { knownDeals } from '../../src/import/sql/known-deals.ts';
import type { BusinessDate } from '../../src/ledger/business-date.ts';
import { minorUnitDigits } from '../../src/ledger/currency.ts';
import { formatAmount } from '../../src/ledger/money.ts';

/** What the book has of a sender's loans: outstanding principal as decimals, by loan, lender and currency. */
export async function loansOf(database: Database, source: string, asOf: BusinessDate) {
  const numbers = await database.query<{ value: string }>(
    `SELECT x.value FROM external_id x JOIN deal d ON d.id = x.entity_id WHERE x.source = $1
     ORDER BY d.key`,
    [source],
  );
  const file = { profile: { source } as ImportProfile, asOf } as Parameters<typeof knownDeals>[1];
  const deals = await knownDeals(
    database,
    file,
    numbers.map(({ value }) => value),
  );
  const names = await lenderNames(database);
  const [due, lenders, totals] = [new Map(), new Map(), new Map()] as Map<string, Sum>[];
  for (const { currency, number, legs } of drawingsOf(deals)) {
    for (const [lender, amount] of legs) {
      for (const [sums, key] of [
        [due, number],
        [lenders, names.get(lender) ?? lender],
        [totals, currency],
      ] as const) {
        sums?.set(key, { currency, amount: (sums.get(key)?.amount ?? 0n) + amount });
      }
    }
    if (!due?.has(number)) due?.set(number, { currency, amount: 0n });
  }
  const [[, deal] = []] = deals;
  const drawing = deal?.facilities[0]?.drawings[0];
  return {
    due: shown(due),
    lenders: shown(lenders),
    totals: shown(totals),
    facilities: [...deals.values()].flatMap((one) => one.facilities).length,
    first: deal && {
      borrower: deal.borrower.name,
      allInRate: drawing?.allInRate,
      maturity: drawing?.maturityDate ?? null,
    },
  };
}

interface Sum {
  readonly currency: string;
  readonly amount: bigint;
}

function* drawingsOf(deals: Awaited<ReturnType<typeof knownDeals>>) {
  for (const [dealNumber, { facilities }] of deals) {
    for (const { currency, drawings } of facilities) {
      for (const { number, money } of drawings) {
        yield { currency, number: number || dealNumber, legs: money.due };
      }
    }
  }
}

async function lenderNames(database: Database) {
  const rows = await database.query<{ id: string; name: string }>('SELECT id, name FROM party');
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function shown(sums: Map<string, Sum> = new Map()): Record<string, string> {
  return Object.fromEntries(
    [...sums].map(([key, { currency, amount }]) => [
      key,
      formatAmount(amount, minorUnitDigits(currency) ?? 2),
    ]),
  );
}
