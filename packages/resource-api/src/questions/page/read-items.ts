import { COMPONENTS, ZERO_BALANCE } from '../../ledger/balance.ts';
import { type BusinessDate, dayBefore } from '../../ledger/business-date.ts';
import {
  type AccrualExplanation,
  accrualsIn,
  explained,
  itemWithAccruals,
} from '../accruals/accruals.ts';
import type {
  BalanceItem,
  BalanceStore,
  ItemBalances,
  ItemTerms,
  Level,
  Movement,
  PageEnd,
  PageRequest,
  PastDue,
  ReaderAccess,
} from '../ask/balance-store.ts';
import type { ResolvedSnapshot } from '../ask/snapshot.ts';

/** An item's amounts as they were reported before. */
export interface FormerReading {
  readonly item: BalanceItem;
  readonly pastDue: readonly PastDue[];
  /** Asking with it gives these amounts. */
  readonly knownAt: string;
}

/** An item with what is shown beyond its balances. */
export interface BalanceReading {
  readonly item: BalanceItem;
  /** At the end of the day before the period; undefined without a period. */
  readonly opening: ItemBalances | undefined;
  /** What was reported of the same date before, where that was something else. */
  readonly former: FormerReading | undefined;
  readonly pastDue: readonly PastDue[];
  /** How what has accrued comes about. */
  readonly accruals: readonly AccrualExplanation[];
  readonly lastPostedAt: string | undefined;
  /** The contracts within a deal or facility, when asked for. */
  readonly contracts: readonly BalanceReading[] | undefined;
  /** The first movements of the period, when asked for. */
  readonly movements: readonly Movement[] | undefined;
  /** When asked for. */
  readonly terms?: ItemTerms | undefined;
}

/** The reader, the level and the state of the book that items are read for. */
export interface ItemContext {
  readonly access: ReaderAccess;
  readonly question: { readonly level: Level; readonly fromDate: BusinessDate | undefined };
  readonly snapshot: ResolvedSnapshot;
}

/** Reads what is shown of items beyond their balances. */
export async function readItems(
  store: BalanceStore,
  { access, question: { level, fromDate }, snapshot }: ItemContext,
  items: readonly BalanceItem[],
): Promise<readonly BalanceReading[]> {
  const keysOf = (some: readonly BalanceItem[]) => some.map(({ end }) => end.key);
  const reported = { asOf: snapshot.asOf, ledgerSeq: snapshot.reportedSeq };
  const later = items.filter(
    ({ lastSeq, termsSeq, bookedSeq, accrues, facility }) =>
      // Rates and terms that became known later change amounts and no balance. So does what is drawn
      // of the facility around a sublimit.
      (lastSeq > reported.ledgerSeq ||
        termsSeq > reported.ledgerSeq ||
        ((accrues || typeof facility?.sublimitOf === 'string') &&
          snapshot.ledgerSeq > reported.ledgerSeq)) &&
      bookedSeq <= reported.ledgerSeq,
  );
  const accruing = items.filter(({ accrues }) => accrues);
  const owing = items.filter(({ owes }) => owes);
  const before = fromDate && { asOf: dayBefore(fromDate), ledgerSeq: snapshot.ledgerSeq };
  const [openings, formers, pastDue, formerPastDue, streams, formerStreams, postingTimes] =
    await Promise.all([
      before && store.balancesOf(access, level, keysOf(items), before),
      store.balancesOf(access, level, keysOf(later), reported),
      store.pastDueOf(level, keysOf(owing), snapshot),
      store.pastDueOf(level, keysOf(later), reported),
      store.accrualsOf(level, keysOf(accruing), snapshot),
      store.accrualsOf(level, keysOf(later.filter(({ accrues }) => accrues)), reported),
      // The sequence may be of another deal's journal, posted at the same time: no reader may look it up.
      store.postedAt(items.map(({ lastSeq }) => lastSeq)),
    ]);
  const accrualsOf = accrualsIn(streams);
  const formerAccrualsOf = accrualsIn(formerStreams);
  const formerOf = (booked: BalanceItem): FormerReading | undefined => {
    const { key } = booked.end;
    const balances = formers.get(key);
    if (balances === undefined) return undefined;
    return {
      item: itemWithAccruals(formerItem(booked, balances), formerAccrualsOf(key)),
      pastDue: seen(booked, formerPastDue.get(key)),
      knownAt: snapshot.reportedAt ?? '',
    };
  };
  return items.map((booked): BalanceReading => {
    const { key } = booked.end;
    const accruals = accrualsOf(key);
    const item = itemWithAccruals(booked, accruals);
    const late = seen(booked, pastDue.get(key));
    const former = formerOf(booked);
    return {
      item,
      pastDue: late,
      opening: openings && (openings.get(key) ?? new Map()),
      former: former && differs({ item, pastDue: late }, former) ? former : undefined,
      accruals: accruals.worked.map(explained),
      lastPostedAt: postingTimes.get(item.lastSeq),
      contracts: undefined,
      movements: undefined,
    };
  });
}

/** The item with the amounts and lenders' names that it had; a lender who was not booked then has no share. */
function formerItem(item: BalanceItem, balances: ItemBalances): BalanceItem {
  const lenders = item.lenders.flatMap(({ lender: { id, name } }) => {
    const line = balances.get(id);
    if (line === undefined) return [];
    return [{ lender: { id, name: line.lenderName ?? name }, balance: line.balance }];
  });
  return { ...item, global: balances.get('')?.balance ?? ZERO_BALANCE, lenders };
}

const NONE: readonly PastDue[] = [];

/** Of the lines that the reader was shown. */
function seen({ lenders }: BalanceItem, lines: readonly PastDue[] = NONE): readonly PastDue[] {
  if (lines.length === 0) return lines;
  return lines.filter(
    ({ lenderId }) => lenderId === '' || lenders.some(({ lender }) => lender.id === lenderId),
  );
}

type Amounts = Pick<BalanceReading, 'item' | 'pastDue'>;

function differs(now: Amounts, then: Amounts): boolean {
  const [one, other] = [linesOf(now), linesOf(then)];
  const holders = new Set([...one.keys(), ...other.keys()]);
  return [...holders].some((holder) => {
    const [a, b] = [one.get(holder), other.get(holder)];
    return STATED.some((name) => (a?.[name] ?? 0n) !== (b?.[name] ?? 0n));
  });
}

const LATE = ['principal', 'interest', 'fees'] as const;
const STATED = [...COMPONENTS, 'available', ...LATE] as const;

/** Everything that is stated of each line, by lender; the global one under the empty id. */
function linesOf({ item, pastDue }: Amounts): ReadonlyMap<string, Record<string, unknown>> {
  const lines = new Map<string, Record<string, unknown>>([['', { ...item.global }]]);
  for (const { lender, balance } of item.lenders) lines.set(lender.id, { ...balance });
  for (const { lenderId, oldestDueDate: _, ...late } of pastDue) {
    lines.set(lenderId, { ...lines.get(lenderId), ...late });
  }
  return lines;
}

/** The items of a filter, page by page. */
export async function* itemPages(
  store: BalanceStore,
  access: ReaderAccess,
  request: Pick<PageRequest, 'level' | 'filter' | 'snapshot' | 'limit'>,
): AsyncGenerator<readonly BalanceItem[]> {
  let after: PageEnd | undefined;
  do {
    const { items, next } = await store.page(access, { ...request, sort: undefined, after });
    yield items;
    after = next;
  } while (after !== undefined);
}

/** The items of all pages, where the filter bounds how many there are. */
export async function everyItem(
  store: BalanceStore,
  access: ReaderAccess,
  request: Parameters<typeof itemPages>[2],
): Promise<readonly BalanceItem[]> {
  const found: BalanceItem[] = [];
  for await (const items of itemPages(store, access, request)) found.push(...items);
  return found;
}
