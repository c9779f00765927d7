import type { Caller } from '@cls/shared/access/caller';
import { groupBy } from '@cls/shared/group-by';
import type { BookMemory } from '../../memory/memories.ts';
import { withAccrued } from '../accruals/accruals.ts';
import {
  type AnySort,
  type BalanceFilter,
  type BalanceItem,
  type BalanceStore,
  type CurrencyTotal,
  FIRST,
  type Level,
  NO_FILTER,
  type PageEnd,
  type ReaderAccess,
} from '../ask/balance-store.ts';
import type { CursorCodec } from '../ask/cursor.ts';
import { resolveIds } from '../ask/filters.ts';
import { type Reporting, type ReportingRates, reportingRates } from '../ask/reporting.ts';
import type { QuestionTimes, ResolvedSnapshot, Snapshots, WalkSnapshot } from '../ask/snapshot.ts';
import { decidedFilter, isDecidedByReading, readPassing } from './decided-by-reading.ts';
import { type BalanceReading, everyItem, type ItemContext, readItems } from './read-items.ts';

/** What a request may add to each item beyond its own amounts. */
export const EXPANSIONS = [
  'lenders',
  'accrual',
  'contracts',
  'movements',
  'terms',
  'rates',
] as const;
export type Expansion = (typeof EXPANSIONS)[number];

/** `where cheap`: they are left out where adding them up would cost much more than a page does. */
export type TotalsWish = 'asked' | 'where cheap' | 'none';

export interface BalanceQuestion extends QuestionTimes {
  readonly level: Level;
  /** Ids may be `ext:SOURCE:ID`. */
  readonly filter: BalanceFilter;
  readonly sort: AnySort | undefined;
  readonly limit: number;
  readonly totals: TotalsWish;
  readonly expand: ReadonlySet<Expansion>;
  readonly reporting: Reporting | undefined;
  /** Continues a walk: its snapshot, and the end of the page before. */
  readonly position: (WalkSnapshot & { readonly after: PageEnd }) | undefined;
  /** The question in its canonical form, for the next cursor. */
  readonly canonical: string;
}

export interface BalancePage {
  readonly question: BalanceQuestion;
  /** The question's, with external ids resolved. */
  readonly filter: BalanceFilter;
  readonly snapshot: ResolvedSnapshot;
  readonly readings: readonly BalanceReading[];
  readonly totals: readonly CurrencyTotal[] | undefined;
  /** Into the reporting currency, by currency; undefined when none is asked for. */
  readonly rates: ReportingRates | undefined;
  /** After which the next page begins; undefined after the last. */
  readonly next: PageEnd | undefined;
  readonly nextCursor: string | undefined;
}

/** @throws {Refusal} of the question's times. */
export type ReadBalances = (caller: Caller, question: BalanceQuestion) => Promise<BalancePage>;

/**
 * How many items may be added up for totals, in how many of them accruals, and how many may be read one by
 * one, where the filter asks for what only a reading tells. More are left out; an export's summary has them.
 */
const MOST = {
  asked: { items: undefined, accruing: 10_000, read: Number.POSITIVE_INFINITY },
  'where cheap': { items: 20_000, accruing: 2_000, read: 2_000 },
};
/** Of one currency, about. */
const TOTAL_BYTES = 1_000;

export function balancesReader(
  store: BalanceStore,
  times: Snapshots,
  cursors: CursorCodec,
): ReadBalances {
  return async (caller, question) => {
    const { sort, limit, position, canonical } = question;
    const { access, ...resolved } = await resolveQuestion(store, times, caller, question);
    const { snapshot, filter } = resolved;
    const asked = { ...resolved, sort, after: position?.after, limit };
    const context = { access, question, snapshot, filter };
    const finding = readPassing(store, context, asked);
    const readings = finding.then((page) => page.readings);
    const shown = await readShown(store, times, context, readings);
    const { next } = await finding;
    const nextCursor = cursorAfter(cursors, access, canonical, snapshot, next);
    return { question, filter, snapshot, ...shown, next, nextCursor };
  };
}

interface ReadingContext extends ItemContext {
  readonly question: Pick<
    BalanceQuestion,
    'level' | 'fromDate' | 'totals' | 'expand' | 'reporting'
  >;
  readonly filter: BalanceFilter;
}

/** Reads all that is shown with items: what was asked for beyond them, totals, and rates. */
export async function readShown(
  store: BalanceStore,
  { memory }: Snapshots,
  context: ReadingContext,
  finding: Promise<readonly BalanceReading[]>,
) {
  const { question, snapshot, filter } = context;
  const { level, reporting } = question;
  // Then totals read items too: one after the other, as no request asks the database for so much at once.
  if (isDecidedByReading(filter, level)) await finding;
  const [found, totals] = await Promise.all([finding, readTotals(store, memory, context)]);
  const readings = await expand(store, context, found);
  const rates = reporting && (await ratesFor(store, reporting, snapshot, readings, totals));
  return { readings, totals, rates };
}

/** Of the currencies that are shown. */
function ratesFor(
  store: BalanceStore,
  reporting: Reporting,
  { asOf, fxNumber: lastNumber }: ResolvedSnapshot,
  readings: readonly BalanceReading[],
  totals: readonly CurrencyTotal[] = [],
): Promise<ReportingRates> {
  const shown = [...readings.map(({ item }) => item), ...totals];
  const currencies = shown.map(({ currency }) => currency);
  return reportingRates(store, reporting, currencies, { asOf, lastNumber });
}

/** Undefined after the last page. */
export function cursorAfter(
  cursors: CursorCodec,
  access: ReaderAccess,
  question: string,
  snapshot: WalkSnapshot,
  after: PageEnd | undefined,
): string | undefined {
  if (after === undefined) return undefined;
  return cursors.encode({ question, reader: readerName(access), ...snapshot, after });
}

/** Totals over a filter are read once for all pages of a walk, while the book stays as it is. */
async function readTotals(
  store: BalanceStore,
  memory: BookMemory,
  context: ReadingContext,
): Promise<readonly CurrencyTotal[] | undefined> {
  const { access, question, filter, snapshot } = context;
  const { level, totals: wish } = question;
  if (wish === 'none') return undefined;
  const most = MOST[wish];
  const { asOf, ledgerSeq, edition } = snapshot;
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
  const asked = JSON.stringify([access, level, asOf, ledgerSeq, filter, most], plain);
  // Totals that are still being read are not shared: a caller would wait in another caller's
  // queue, and be cancelled with it.
  return memory.once(
    edition,
    `totals ${asked}`,
    async () => {
      const decided = await decidedFilter(store, context, filter, most.read);
      if (decided === undefined) return undefined;
      const whole = { level, filter: decided, snapshot, narrowing: {} };
      const totals = await store.totals(access, whole, most.items);
      return totals && withAccrued(store, access, { ...whole, limit: most.accruing }, totals);
    },
    (totals = []) => totals.length * TOTAL_BYTES,
  );
}

const EXPANDED_CONTRACTS = 1_000;
const EXPANDED_MOVEMENTS = 100;

/** Adds to readings what was asked for beyond them. */
async function expand(
  store: BalanceStore,
  context: ReadingContext,
  readings: readonly BalanceReading[],
): Promise<readonly BalanceReading[]> {
  const { access, question, snapshot } = context;
  const expanded = await withParts(store, context, readings);
  const withRates = question.expand.has('rates');
  if (!question.expand.has('terms') && !withRates) return expanded;
  const keys = expanded.map(({ item }) => item.end.key);
  const terms = await store.termsOf(access, question.level, keys, snapshot, withRates);
  return expanded.map((reading) => ({ ...reading, terms: terms.get(reading.item.end.key) }));
}

async function withParts(
  store: BalanceStore,
  context: ReadingContext,
  readings: readonly BalanceReading[],
): Promise<readonly BalanceReading[]> {
  const { access, question, snapshot } = context;
  const { expand, fromDate, level } = question;
  const told = expand.has('contracts') ? await withContracts(store, context, readings) : readings;
  if (!expand.has('movements')) return told;
  const keys = told.map(({ item }) => item.end.key);
  const request = { snapshot, fromDate, limit: EXPANDED_MOVEMENTS };
  const movements = await store.movementsOf(access, level, keys, request);
  return told.map((reading) => ({
    ...reading,
    movements: movements.get(reading.item.end.key) ?? [],
  }));
}

async function withContracts(
  store: BalanceStore,
  context: ReadingContext,
  readings: readonly BalanceReading[],
): Promise<readonly BalanceReading[]> {
  const { access, question, snapshot } = context;
  const contracts = await contractsOf(store, context, readings);
  const level = 'contract';
  const ofContracts = { access, question: { ...question, level }, snapshot } as const;
  const within = await readItems(store, ofContracts, contracts);
  const groups = groupBy(within, ({ item }) => groupOf(item, question.level));
  return readings.map((reading) => ({
    ...reading,
    contracts: groups.get(groupOf(reading.item, question.level)) ?? [],
  }));
}

async function contractsOf(
  store: BalanceStore,
  { access, question, snapshot, filter }: ReadingContext,
  readings: readonly BalanceReading[],
): Promise<readonly BalanceItem[]> {
  if (readings.length === 0) return [];
  const ids = (of: (item: BalanceItem) => string | undefined) =>
    readings.flatMap(({ item }) => of(item) ?? []);
  const within: BalanceFilter = {
    ...NO_FILTER,
    includeZero: filter.includeZero,
    ...(question.level === 'deal'
      ? { dealIds: ids(({ deal }) => deal.id), currencies: ids(({ currency }) => currency) }
      : { facilityIds: ids(({ facility }) => facility?.id) }),
  };
  const limit = EXPANDED_CONTRACTS;
  return everyItem(store, access, { level: 'contract', filter: within, snapshot, limit });
}

function groupOf({ deal, currency, facility }: BalanceItem, level: Level): string {
  return level === 'deal' ? `${deal.id} ${currency}` : (facility?.id ?? '');
}

/** The filter that finds what is of one item. */
export function subjectOf(item: BalanceItem, level: Level): Partial<BalanceFilter> {
  const facilityIds = [item.facility?.id ?? ''];
  const subjects: Record<Level, Partial<BalanceFilter>> = {
    deal: { dealIds: [item.deal.id], currencies: [item.currency] },
    facility: { facilityIds },
    contract: { contractIds: [item.contract?.id ?? ''] },
    position: { facilityIds, lenderIds: [item.position?.lenderId ?? ''] },
  };
  return subjects[level];
}

/** Full control sees every deal; others what their customer was granted. */
export function accessOf(caller: Caller): ReaderAccess {
  return caller.permissions.has('external-api.fullcontrol')
    ? { fullControl: true }
    : { customer: caller.customer };
}

/** Readers with the same name see the same. Cursors are tied to it. */
export function readerName(access: ReaderAccess): string {
  return 'fullControl' in access ? '*' : access.customer;
}

/** Says what the times, the ids and the caller of a question stand for. @throws {Refusal} of its times. */
export async function resolveQuestion(
  store: BalanceStore,
  times: Snapshots,
  caller: Caller,
  question: Parameters<Snapshots['resolve']>[0] & Pick<BalanceQuestion, 'level' | 'filter'>,
) {
  const access = accessOf(caller);
  const [snapshot, filter] = await Promise.all([
    times.resolve(question, access),
    resolveIds(question.filter, store),
  ]);
  return { access, level: question.level, snapshot, filter };
}

/** All pages of a question from the first on, in one state of the book. */
export async function* everyPage(
  readBalances: ReadBalances,
  caller: Caller,
  question: BalanceQuestion,
  snapshot: WalkSnapshot,
): AsyncGenerator<BalancePage> {
  for (let after: PageEnd | undefined = FIRST; after !== undefined; ) {
    const position = { ...snapshot, after };
    const page: BalancePage = await readBalances(caller, { ...question, position });
    yield page;
    after = page.next;
  }
}
