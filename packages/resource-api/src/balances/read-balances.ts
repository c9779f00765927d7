import { type Clock, epochSeconds } from '@cls/shared/clock';
import type { Caller } from '../access/caller.ts';
import { Refusal } from '../http/refusal.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import type {
  BalanceFilter,
  BalanceItem,
  BalanceStore,
  CurrencyTotal,
  Level,
  ReaderAccess,
} from './balance-store.ts';
import type { CurrentLedger } from './current-ledger.ts';
import { CURSOR_TTL_S, type CursorCodec } from './cursor.ts';

export interface BalanceQuestion {
  readonly level: Level;
  readonly filter: BalanceFilter;
  /** The last date that the book has data for when undefined. */
  readonly asOf: BusinessDate | undefined;
  readonly limit: number;
  /** Goes on with a walk; the filter is then the walk's. */
  readonly position:
    | { readonly asOf: BusinessDate; readonly ledgerSeq: bigint; readonly afterKey: bigint }
    | undefined;
  /** The question in its canonical form, for the next cursor. */
  readonly canonical: string;
}

export interface BalancePage {
  readonly level: Level;
  readonly asOf: BusinessDate;
  readonly ledgerSeq: bigint;
  readonly dataThrough: BusinessDate | undefined;
  readonly limit: number;
  readonly items: readonly BalanceItem[];
  readonly totals: readonly CurrencyTotal[];
  readonly nextCursor: string | undefined;
}

/** @throws {Refusal} `as_of_in_future`, `as_of_before_book` */
export type ReadBalances = (caller: Caller, question: BalanceQuestion) => Promise<BalancePage>;

export function balancesReader(
  store: BalanceStore,
  ledger: CurrentLedger,
  cursors: CursorCodec,
  clock: Clock,
): ReadBalances {
  return async (caller, question) => {
    const { level, filter, limit, position } = question;
    const access = accessOf(caller);
    const state = await ledger.state();
    const asOf = position?.asOf ?? question.asOf ?? state.lastDate ?? ledger.today;
    if (position === undefined) checkAsOf(asOf, ledger.today, state.firstDate);
    const snapshot = { asOf, ledgerSeq: position?.ledgerSeq ?? state.seq };
    const afterKey = position?.afterKey ?? 0n;
    const [found, totals] = await Promise.all([
      store.page(access, { level, filter, snapshot, afterKey, limit }),
      store.totals(access, { level, filter, snapshot }),
    ]);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const nextCursor =
      found.length <= limit || last === undefined
        ? undefined
        : cursors.encode({
            question: question.canonical,
            reader: readerName(caller),
            ...snapshot,
            afterKey: last.key,
            // By the day: the same question has the same bytes, and the cursor a day at least.
            expiresAtS: (Math.floor(epochSeconds(clock) / CURSOR_TTL_S) + 2) * CURSOR_TTL_S,
          });
    const dataThrough = state.lastDate;
    return { level, ...snapshot, dataThrough, limit, items, totals, nextCursor };
  };
}

/** Full control sees every deal; others what their customer was granted. */
function accessOf(caller: Caller): ReaderAccess {
  return caller.permissions.has('external-api.fullcontrol')
    ? { fullControl: true }
    : { customer: caller.customer };
}

/** Callers of one name see the same; cursors and kept answers go by it. */
export function readerName(caller: Caller): string {
  const access = accessOf(caller);
  return 'fullControl' in access ? '*' : access.customer;
}

function checkAsOf(
  asOf: BusinessDate,
  today: BusinessDate,
  firstDate: BusinessDate | undefined,
): void {
  if (asOf > today) {
    throw asOfRefusal('as_of_in_future', `expected a date up to today, ${today}`, asOf);
  }
  if (firstDate !== undefined && asOf < firstDate) {
    throw asOfRefusal('as_of_before_book', `the book begins on ${firstDate}`, asOf);
  }
}

function asOfRefusal(code: string, message: string, received: string): Refusal {
  return new Refusal({
    status: 400,
    code,
    title: 'Parameter not valid',
    detail: `asOf: ${message}`,
    errors: [{ parameter: 'asOf', code, message, received }],
  });
}
