/**
 * What must hold of a ledger, each as a function that gives what breaks it. They are checked of
 * random books by the tests, and of the live database by `cls-api reconcile`.
 */
import {
  type Balance,
  COMPONENTS,
  type Component,
  outstandingPrincipal,
  rollForwardFoots,
} from '@cls/resource-api/ledger/balance';
import { isRevolving } from '@cls/resource-api/ledger/facility-type';
import type { LineBalance, PostedAmount } from './replay.ts';

export interface Break {
  readonly invariant: string;
  /** The journal, line or facility that breaks it. */
  readonly subject: string;
  readonly expected: bigint;
  readonly actual: bigint;
}

/** 5. Each journal sums to zero per currency, globally and for each lender. */
export function journalsBalance(postings: Iterable<PostedAmount>): readonly Break[] {
  const sums = sumsBy(postings, ({ journal, currency, lender }) =>
    [journal, currency, lender ?? 'global'].join(' '),
  );
  return breaksOf('journals_balance', sums);
}

/** 1. Lenders’ postings of a journal add up to its global ones, line by line. */
export function journalSharesAddUp(postings: Iterable<PostedAmount>): readonly Break[] {
  const gaps = new Map<string, bigint>();
  for (const posting of postings) {
    const { journal, facility, contract, account, movement, lender, amountMinor } = posting;
    const key = [journal, facility, contract ?? '', account, movement ?? ''].join(' ');
    const signed = lender === undefined ? amountMinor : -amountMinor;
    gaps.set(key, (gaps.get(key) ?? 0n) + signed);
  }
  return breaksOf('journal_shares_add_up', gaps);
}

/** 1. Lenders’ balances add up to the global one, component by component. */
export function sharesAddUp(lines: Iterable<LineBalance>): readonly Break[] {
  const gaps = new Map<string, bigint>();
  for (const { facility, contract, lender, balance } of lines) {
    for (const name of AMOUNTS) {
      const key = [facility, contract ?? '', name].join(' ');
      const signed = lender === undefined ? balance[name] : -balance[name];
      gaps.set(key, (gaps.get(key) ?? 0n) + signed);
    }
  }
  return breaksOf('shares_add_up', gaps);
}

/** Components that are sums of amounts; counts are of postings, and a transfer has lenders’ alone. */
const AMOUNTS = COMPONENTS.filter((name) => name !== 'movement_count' && name !== 'reversal_count');

/** 3. What stands on parts (a facility and its contracts, or a deal’s facilities) is the whole. */
export function partsMakeUpWhole(
  whole: Balance,
  parts: readonly Balance[],
  subject: string,
): readonly Break[] {
  return AMOUNTS.flatMap((name) => {
    const expected = parts.reduce((sum, part) => sum + part[name], 0n);
    const actual = whole[name];
    const invariant = 'parts_make_up_whole';
    return expected === actual
      ? []
      : [{ invariant, subject: `${subject} ${name}`, expected, actual }];
  });
}

/** Principal as a reader sees it, in minor units. */
export interface ToldPrincipal {
  readonly subject: string;
  readonly outstanding: bigint;
  readonly cash: bigint;
  readonly pikCapitalized: bigint;
  /** Billed and not paid, `pastDue` of it after its due date. */
  readonly due: bigint;
  readonly pastDue: bigint;
}

/**
 * 4. and 7. Outstanding principal is cash and capitalised; it is not due, due or past due, and
 * nothing is due that is not owed. Negative books are not judged: real portfolios hold them.
 */
export function principalIsAllocated(told: Iterable<ToldPrincipal>): readonly Break[] {
  return [...told].flatMap(({ subject, outstanding, cash, pikCapitalized, due, pastDue }) => {
    const broken = (invariant: string, expected: bigint, actual: bigint): Break[] => [
      { invariant, subject, expected, actual },
    ];
    return [
      ...(outstanding === cash + pikCapitalized
        ? []
        : broken('principal_is_cash_and_pik', cash + pikCapitalized, outstanding)),
      ...(outstanding < 0n || due <= outstanding
        ? []
        : broken('principal_due_is_owed', outstanding, due)),
      ...(due < 0n || pastDue <= due ? [] : broken('past_due_is_due', due, pastDue)),
    ];
  });
}

/** 6. What may be drawn: unfunded less what is blocked, never below zero, nothing afterwards. */
export function availableIsUndrawn(
  subject: string,
  balance: Pick<Balance, 'unfunded' | 'unavailable'>,
  availabilityEnded: boolean,
  actual: bigint,
): readonly Break[] {
  const open = balance.unfunded - balance.unavailable;
  const expected = availabilityEnded || open < 0n ? 0n : open;
  const invariant = 'available_is_undrawn';
  return expected === actual ? [] : [{ invariant, subject, expected, actual }];
}

/** 2. Closing = opening + movements, since inception and so between any two dates. */
export function rollForwardsFoot(lines: Iterable<LineBalance>): readonly Break[] {
  return [...lines].flatMap(({ facility, contract, lender, balance }) =>
    rollForwardFoots(balance)
      ? []
      : [
          {
            invariant: 'roll_forward_foots',
            subject: [facility, contract, lender].filter(Boolean).join(' '),
            expected: outstandingPrincipal(balance),
            actual: 0n,
          },
        ],
  );
}

/** 10. Every posting of a facility is in the facility’s currency. */
export function oneCurrency(
  postings: Iterable<PostedAmount>,
  currencyOf: ReadonlyMap<string, string>,
): readonly Break[] {
  return [...postings].flatMap(({ journal, facility, currency, amountMinor }) =>
    currency === currencyOf.get(facility)
      ? []
      : [{ invariant: 'one_currency', subject: journal, expected: 0n, actual: amountMinor }],
  );
}

export interface FacilityCommitment {
  readonly facility: string;
  readonly type: string;
  readonly pikUsesCommitment: boolean;
  /** Of the facility and all of its contracts, globally. */
  readonly balance: Balance;
  /** Unfunded amounts that a statement told without a movement. */
  readonly adjustedMinor: bigint;
}

/**
 * 6. What is not drawn: a revolving facility’s commitment less what is used of it; a term
 * facility’s less all that was ever drawn, because a repayment restores nothing.
 */
export function unfundedIsUndrawn(facilities: Iterable<FacilityCommitment>): readonly Break[] {
  return [...facilities].flatMap((one) => {
    const { balance, adjustedMinor, facility } = one;
    const commitment = balance.original_commitment - balance.cancelled_commitment;
    const pik = one.pikUsesCommitment ? balance.principal_pik : 0n;
    // Repayments give back what revolves; what is written off, sold or rolled over does not.
    const repaid =
      balance.scheduled_repayments + balance.voluntary_prepayments + balance.mandatory_prepayments;
    const drawn = balance.advances + (isRevolving(one.type) ? repaid : 0n);
    const used = drawn + balance.letter_of_credit + pik;
    const expected = commitment - used + adjustedMinor;
    const actual = balance.unfunded;
    const invariant = 'unfunded_is_undrawn';
    return expected === actual ? [] : [{ invariant, subject: facility, expected, actual }];
  });
}

/** 8. Two ways to the same balances agree to the unit. */
export function balancesAgree(
  expected: ReadonlyMap<string, Balance>,
  actual: ReadonlyMap<string, Balance>,
): readonly Break[] {
  const names = new Set([...expected.keys(), ...actual.keys()]);
  return [...names].flatMap((line) =>
    COMPONENTS.flatMap((name: Component) => {
      const wanted = expected.get(line)?.[name] ?? 0n;
      const found = actual.get(line)?.[name] ?? 0n;
      const subject = `${line} ${name}`;
      return wanted === found
        ? []
        : [{ invariant: 'balances_replay', subject, expected: wanted, actual: found }];
    }),
  );
}

function sumsBy(
  postings: Iterable<PostedAmount>,
  keyOf: (posting: PostedAmount) => string,
): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const posting of postings) {
    const key = keyOf(posting);
    sums.set(key, (sums.get(key) ?? 0n) + posting.amountMinor);
  }
  return sums;
}

function breaksOf(invariant: string, gaps: ReadonlyMap<string, bigint>): readonly Break[] {
  return [...gaps].flatMap(([subject, actual]) =>
    actual === 0n ? [] : [{ invariant, subject, expected: 0n, actual }],
  );
}
