import { formatMoney } from '../../ledger/money.ts';
import { outstandingOf } from '../statement/group-rows.ts';
import { NO_LEGS, totalOf } from '../statement/legs.ts';
import { boughtIn, owedBy } from './changes.ts';
import type { KnownFacility } from './known-deal.ts';
import type { PlannedDeal, PlannedFacility } from './plan-deal.ts';
import type { PrincipalChange } from './plan-money.ts';

const TOTAL_STEPS = [
  'before',
  'newLoans',
  'drawn',
  'repaid',
  'corrected',
  'after',
  'vanished',
  'stated',
  'transferred',
] as const;
type TotalStep = (typeof TOTAL_STEPS)[number];

/**
 * Decimal strings, of all loans of the source: before + newLoans + drawn + repaid + corrected = after.
 * Repaid is negative. Of `after`, the statement has `stated`, and the book keeps `vanished` though the
 * statement does not have it. What lenders bought of each other (`transferred`) changes no total.
 */
export interface OutstandingTotal extends Readonly<Record<TotalStep, string>> {
  readonly currency: string;
  /** How many loans have a part in each. */
  readonly loans: Readonly<Record<TotalStep, number>>;
}

interface Total {
  amount: bigint;
  loans: number;
  /** The loan that was counted last: all of one loan comes together. */
  last: string;
}

export class CurrencyTotals {
  readonly #currencies = new Map<string, Map<TotalStep, Total>>();

  add({ stated, facilities, isNew, unstated }: PlannedDeal): void {
    for (const facility of facilities) {
      for (const [step, amount] of stepsOf(facility, isNew)) {
        this.#add(facility.currency, step, stated.number, amount);
      }
    }
    for (const facility of unstated) this.vanished(stated.number, facility);
  }

  vanished(loan: string, facility: KnownFacility): void {
    const due = owedBy(facility);
    if (due === 0n) return;
    for (const step of ['before', 'after', 'vanished'] as const) {
      this.#add(facility.currency, step, loan, due);
    }
  }

  result(): readonly OutstandingTotal[] {
    return [...this.#currencies].map(([currency, steps]) => {
      const of = (step: TotalStep) => steps.get(step) ?? { amount: 0n, loans: 0 };
      const each = <T>(read: (step: TotalStep) => T) =>
        Object.fromEntries(TOTAL_STEPS.map((step) => [step, read(step)])) as Record<TotalStep, T>;
      return {
        currency,
        ...each((step) => formatMoney(of(step).amount, currency)),
        loans: each((step) => of(step).loans),
      };
    });
  }

  #add(currency: string, step: TotalStep, loan: string, amount: bigint): void {
    const steps = this.#currencies.get(currency) ?? new Map<TotalStep, Total>();
    this.#currencies.set(currency, steps);
    const total = steps.get(step) ?? { amount: 0n, loans: 0, last: '' };
    total.amount += amount;
    if (total.last !== loan) total.loans += 1;
    total.last = loan;
    steps.set(step, total);
  }
}

type Step = readonly [step: TotalStep, amount: bigint];

function stepsOf(facility: PlannedFacility, isNew: boolean): readonly Step[] {
  const after = outstandingOf(facility);
  const moved: readonly Step[] = isNew
    ? [['newLoans', after]]
    : [
        ['before', owedBefore(facility)],
        ...facility.drawings.flatMap(({ change }) => movementsOf(change)),
      ];
  return [...moved, ['after', after], ['stated', after]];
}

/** What the book's drawings owe that the statement has too. */
export function owedBefore({ drawings }: PlannedFacility): bigint {
  return drawings.reduce((sum, { known }) => sum + totalOf(known?.money.due ?? NO_LEGS), 0n);
}

/** A negative draw, and a negative repayment, correct what was stated before. */
function movementsOf({ advance, repayment, transfer, adjustment }: PrincipalChange) {
  const [drawn, repaid] = [totalOf(advance), totalOf(repayment)];
  const steps: readonly Step[] = [
    [drawn > 0n ? 'drawn' : 'corrected', drawn],
    [repaid < 0n ? 'repaid' : 'corrected', repaid],
    ['corrected', totalOf(adjustment)],
    ['transferred', boughtIn(transfer)],
  ];
  return steps.filter(([, amount]) => amount !== 0n);
}
