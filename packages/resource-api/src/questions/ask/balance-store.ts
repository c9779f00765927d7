import type {
  BalanceComponent,
  PrincipalBalance,
  StatedBalance,
  TotalBalance,
} from '../../ledger/balance.ts';
import type { AccrualStream } from '../../ledger/billed-accruals.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import type { Interval, Period } from '../../ledger/interval.ts';

/** What the reader may see. Row-level security in the database enforces it. */
export type ReaderAccess = { readonly fullControl: true } | { readonly customer: string };

/** What one item of a page is. A deal is one item per currency: two are never added up. */
export const LEVELS = ['deal', 'facility', 'contract', 'position'] as const;
export type Level = (typeof LEVELS)[number];

/** Empty lists do not filter. Ids may be of what holds the item, as external ids resolve to. */
export interface BalanceFilter {
  readonly dealIds: readonly string[];
  readonly facilityIds: readonly string[];
  readonly contractIds: readonly string[];
  readonly borrowerIds: readonly string[];
  readonly lenderIds: readonly string[];
  readonly currencies: readonly string[];
  readonly countries: readonly string[];
  readonly facilityTypes: readonly string[];
  /** Of the item's own level; a position's is its facility's. */
  readonly statuses: readonly string[];
  readonly includeZero: boolean;
  /** Outstanding principal in minor units, inclusive; with one currency. */
  readonly minOutstandingMinor?: bigint | undefined;
  readonly maxOutstandingMinor?: bigint | undefined;
  /** When the item ends, inclusive; of a deal, when one of its facilities in the currency does. */
  readonly maturityFrom?: BusinessDate | undefined;
  readonly maturityTo?: BusinessDate | undefined;
  /** Each word begins a word of what names the item: deal, borrower, facility, external ids. */
  readonly search?: string | undefined;
  /** Something is past due. At level position a store finds more: see `decidedByReading`. */
  readonly pastDue?: boolean | undefined;
  /** Some of `PAST_DUE_AGES`. */
  readonly pastDueAges: readonly string[];
  /** Something else was reported before. A store finds what `changedAfter` says. */
  readonly restated?: boolean | undefined;
  /** What a journal after this one may have changed, and maybe more. */
  readonly changedAfter?: bigint | undefined;
  /** The only items that there are, by their internal keys. */
  readonly itemKeys?: readonly bigint[] | undefined;
}

/** Filters nothing, and leaves out what is zero. */
export const NO_FILTER: BalanceFilter = {
  dealIds: [],
  facilityIds: [],
  contractIds: [],
  borrowerIds: [],
  lenderIds: [],
  currencies: [],
  countries: [],
  facilityTypes: [],
  statuses: [],
  pastDueAges: [],
  includeZero: false,
};

/** Ranges of the days that an item is past due; 0: nothing is. */
export const PAST_DUE_AGES = ['0', '1-30', '31-60', '61-90', 'over-90'] as const;

/** A state of knowledge: journals up to `ledgerSeq`, effective up to `asOf` inclusive. */
export interface Snapshot {
  readonly asOf: BusinessDate;
  readonly ledgerSeq: bigint;
  /** The state of the book in which the question is asked; undefined where nobody looked. */
  readonly edition?: Edition | undefined;
}

/** A state of the book on a day: what an answer is cached for. */
export interface Edition {
  /**
   * Another one with every change that an answer may show: its number, and when it began. After a fail-over that
   * lost some, the same numbers come again.
   */
  readonly generation: string;
  /** In UTC. One answer has one day, also where it is made around midnight. */
  readonly today: BusinessDate;
}

type Compared = 'text' | 'date' | 'amount' | 'sequence';
/** Orders that are stored, and what they compare: a page walks them. */
const STORED = {
  dealNumber: 'text',
  facilityName: 'text',
  borrower: 'text',
  maturityDate: 'date',
  outstanding: 'amount',
  unfunded: 'amount',
} as const satisfies Readonly<Record<string, Compared>>;
/** Orders that are computed for each question. */
const COMPUTED = {
  commitment: 'amount',
  available: 'amount',
  pastDue: 'amount',
  interestAccrued: 'amount',
  lastPostedAt: 'sequence',
} as const satisfies Readonly<Record<string, Compared>>;
/** What each order compares. */
export const COMPARED = { ...STORED, ...COMPUTED };
const namesOf = <Name extends string>(orders: Readonly<Record<Name, Compared>>) =>
  Object.keys(orders) as [Name, ...Name[]];
export const STORED_SORTS = namesOf(STORED);
export const COMPUTED_SORTS = namesOf(COMPUTED);
export const SORTS = namesOf(COMPARED);

/**
 * Amounts of two currencies are not compared: items are sorted within a currency, and currencies come in
 * the order of their codes, whatever the direction.
 */
export function isAmountSort(by: AnySort['by']): boolean {
  return COMPARED[by] === 'amount';
}

interface SortBy<Name> {
  readonly by: Name;
  readonly descending: boolean;
}
export type Sort = SortBy<keyof typeof STORED>;
export type ComputedSort = SortBy<keyof typeof COMPUTED>;
export type AnySort = Sort | ComputedSort;

/** Whether an order is worked out for each page, and not stored. */
export function isComputed(sort: AnySort): sort is ComputedSort {
  return COMPUTED_SORTS.some((name) => name === sort.by);
}

/**
 * The last item of a page: its value of what is sorted by (of an amount with its currency, `USD 1250`), and
 * its internal key.
 */
export interface PageEnd {
  readonly sortValue: string | null;
  readonly key: bigint;
}

/** Where a walk begins that has no page before. */
export const FIRST: PageEnd = { sortValue: null, key: 0n };

export interface PageRequest {
  readonly level: Level;
  readonly filter: BalanceFilter;
  readonly snapshot: Snapshot;
  /** By internal key when undefined; ties go by it always. */
  readonly sort: Sort | undefined;
  readonly after: PageEnd | undefined;
  readonly limit: number;
}

/** What the statements of one question have in common: found by the first that needs it. */
export interface Narrowing {
  /** The deals that filter and grants leave, by their keys; undefined where they are many. */
  deals?: Promise<readonly bigint[] | undefined>;
}

/** Asks for something about all items of a filter. */
export interface FilterRequest extends Pick<PageRequest, 'level' | 'filter' | 'snapshot'> {
  /** Shared by the requests of one question with this filter. */
  readonly narrowing?: Narrowing;
}

/** One item with the amounts that the reader may see. */
export interface BalanceItem {
  readonly end: PageEnd;
  readonly deal: {
    readonly id: string;
    readonly name: string;
    readonly dealNumber: string;
    readonly status: string;
  };
  readonly facility: {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly maturityDate: string | null;
    readonly availabilityEndDate: string | null;
    /** The facility that it is carved out of. */
    readonly sublimitOf: string | null;
    readonly status: string;
  } | null;
  readonly contract: {
    readonly id: string;
    readonly contractNumber: string;
    readonly maturityDate: string | null;
    readonly status: string;
    readonly allInRate: string | null;
  } | null;
  /** At level position alone. */
  readonly position: {
    readonly id: string;
    readonly kind: string;
    readonly lenderId: string;
  } | null;
  readonly borrower: { readonly id: string; readonly name: string; readonly country: string };
  readonly currency: string;
  /** The reader's roles in the deal; empty with full control. */
  readonly roles: readonly string[];
  readonly global: StatedBalance;
  readonly lenders: readonly LenderShare[];
  /** Newest posting of the item; null where nothing was ever posted. */
  readonly lastEffectiveDate: string | null;
  /** 0 for none. */
  readonly lastSeq: bigint;
  /** Newest terms of the deal's facilities; 0 for none. */
  readonly termsSeq: bigint;
  /** Since when the book has it. */
  readonly bookedSeq: bigint;
  /** Something in it accrues by rate periods. */
  readonly accrues: boolean;
  /** Something that was billed to it stands open, or is outstanding after its maturity. */
  readonly owes: boolean;
  /** A facility in it is drawn beyond its commitment. */
  readonly overdrawn: boolean;
  /** A lender that the reader sees funds more than its commitment to a facility. */
  readonly lenderOverdrawn: boolean;
  /** More was repaid of a contract in it than was owed, to all lenders or to one that the reader sees. */
  readonly overpaid: boolean;
}

/**
 * Up to `limit` items. There may be fewer, or none, though more are to come: a page looks at so many
 * items of the book and no more.
 */
export interface ItemPage {
  readonly items: readonly BalanceItem[];
  /** After which the next page begins; undefined after the last. */
  readonly next: PageEnd | undefined;
}

export interface LenderShare {
  readonly lender: { readonly id: string; readonly name: string };
  readonly balance: StatedBalance;
}

/** Which item: a deal has one per currency. */
export interface ItemName {
  readonly level: Level;
  /** Of the deal, facility, contract or position. */
  readonly id: string;
  /** At level deal alone. */
  readonly currency: string | undefined;
}

/** A deal as it stands at a snapshot, without its balances. */
export interface DealFacts {
  readonly id: string;
  readonly name: string;
  readonly dealNumber: string;
  readonly status: string;
  readonly country: string;
  readonly closingDate: string | null;
  /** Since when the book has the deal, as known at the snapshot. */
  readonly dataFrom: string;
  readonly borrower: NamedParty;
  readonly agent: NamedParty;
  readonly guarantor: NamedParty | null;
  /** The reader's roles in the deal; empty with full control. */
  readonly roles: readonly string[];
}

/** What a reader was granted, as of a snapshot. */
export interface GrantFacts {
  /** Empty with full control. */
  readonly roles: readonly string[];
  /** The lenders and borrowers that grants name, as far as they take part in a deal. */
  readonly parties: readonly NamedParty[];
  /** Deals that the reader sees, or one more than are counted. */
  readonly deals: number;
}

export interface NamedParty {
  readonly id: string;
  readonly name: string;
  /** Of a borrower: of its deals, where it is one. */
  readonly country?: string | null;
}

/** What the book knows of an item beyond its amounts. */
export interface ItemTerms {
  readonly agent: NamedParty;
  /** Of a deal, when it was closed. */
  readonly effectiveDate: string | null;
  /** Null of a deal. */
  readonly dayCount: string | null;
  /** The first day, from the date on, on which something is due that was billed and is not paid. */
  readonly nextPaymentDate: string | null;
  /** Of a contract: the interest rate that holds at the date. */
  readonly rate: InterestRate | null;
  /** Of a contract, where they are asked for: the rates until the date, the oldest first. */
  readonly rates?: readonly InterestRate[];
  /** Positions that the reader sees. */
  readonly positions: readonly {
    readonly id: string;
    readonly facilityId: string;
    readonly lender: NamedParty;
    readonly kind: string;
  }[];
}

export interface InterestRate {
  readonly allIn: string;
  readonly base: string | null;
  readonly spread: string | null;
  readonly adjustment: string | null;
  readonly index: string | null;
  readonly since: string;
}

/** Lines of one item at another snapshot: the global one under the empty id, else by lender id. */
export type ItemBalances = ReadonlyMap<string, FormerLine>;

export interface FormerLine {
  /** The lender's name at that snapshot; null for the global line. */
  readonly lenderName: string | null;
  readonly balance: StatedBalance;
}

/** What accrues, by internal key of the item; items with the same streams may share one list. */
export type ItemStreams = ReadonlyMap<bigint, readonly AccrualStream[]>;

/** What accrues, to be added to a line's balance; the global one under the empty id. */
export type AccruedAmounts = ReadonlyMap<string, ReadonlyMap<BalanceComponent, bigint>>;

/** Over the whole filter, one per currency; without what accrues by rate periods. */
export interface BookedTotal {
  readonly currency: string;
  readonly count: number;
  readonly balance: TotalBalance;
}
export interface CurrencyTotal extends BookedTotal {
  /** Whether the balance has what accrues by rate periods; too much to add up otherwise. */
  readonly withAccruals: boolean;
}

/** What items are grouped by, beside their currency. */
export const GROUPINGS = [
  'borrower',
  'country',
  'facilityType',
  'status',
  'lender',
  'maturityYear',
  'daysPastDue',
] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface GroupRequest extends FilterRequest {
  /** Undefined: one group for each currency. */
  readonly groupBy: Grouping | undefined;
  /** Groups of each currency that are told one by one: those with the most outstanding principal. */
  readonly top: number;
  /** Groups that come before all others, whatever their principal. */
  readonly first?: readonly GroupKey[] | undefined;
}

/** Names a group among those of one question, at any time. */
export type GroupKey = Pick<BookedGroup, 'currency' | 'group'>;

/** What the items of one group come to in one currency; without what accrues by rate periods. */
export interface BookedGroup extends BookedTotal {
  /** In the database: parties by their keys. Null where items have no such value. */
  readonly group: string | null;
  /** What the groups come to that are not told one by one. */
  readonly rest: boolean;
  /** A party, where groups are parties. */
  readonly party: NamedParty | null;
  /** Undefined where the totals of a large book are stored without them. */
  readonly details: GroupDetails | undefined;
}

export interface GroupDetails {
  readonly commitment: bigint;
  readonly available: bigint;
  /** Principal, interest and fees; undefined at level position, where shares add up only together. */
  readonly pastDue: bigint | undefined;
  /** Items with a warning. */
  readonly warnings: number;
}

/** An item in which something accrues, or is owed. */
export interface MarkedItem {
  readonly key: bigint;
  readonly currency: string;
  /** Lender whose line gives the item its order; empty: the global one. */
  readonly holder: string;
  /** Where items are grouped, as in `BookedGroup`. */
  readonly group: string | null;
}

/** Asks for some items of a filter, with their groups. */
export interface MarkedRequest extends FilterRequest {
  readonly limit: number;
  readonly groupBy?: Grouping | undefined;
}

/** What the values of items are counted by. */
export const FACETS = [
  'country',
  'currency',
  'status',
  'lender',
  'borrower',
  'facilityType',
] as const;
export type Facet = (typeof FACETS)[number];

export interface FacetRequest extends Pick<PageRequest, 'level' | 'filter' | 'snapshot'> {
  readonly fields: readonly Facet[];
  /** Values of each field: the most frequent ones. */
  readonly top: number;
}

/** How many items of a filter have a value. */
export interface FacetValue {
  readonly field: Facet;
  /** A party by its id. */
  readonly value: string;
  readonly party: NamedParty | null;
  readonly count: number;
}

/** Asks for what each item of a filter is sorted by. */
export interface ValuesRequest extends FilterRequest {
  readonly by: ComputedSort['by'];
}

export interface ValuedItem {
  readonly key: bigint;
  readonly currency: string;
  readonly value: bigint;
}

/** What was due before a date and is not yet paid; of one line of an item. */
export interface PastDue {
  /** Empty: global. */
  readonly lenderId: string;
  readonly principal: bigint;
  readonly interest: bigint;
  readonly fees: bigint;
  /** Principal that is due because it matured, beyond what was billed. */
  readonly maturedDue: bigint;
  readonly oldestDueDate: BusinessDate | null;
  /** Of the global line: something matured and is not repaid. */
  readonly isMatured: boolean;
}

/** What is past due to a lender. */
export function pastDueTo(lender: string | undefined, lines: readonly PastDue[] = []): bigint {
  const own = lines.find(({ lenderId }) => lenderId === lender);
  return own === undefined ? 0n : own.principal + own.interest + own.fees;
}

export const NOTHING_PAST_DUE: Omit<PastDue, 'lenderId'> = {
  principal: 0n,
  interest: 0n,
  fees: 0n,
  maturedDue: 0n,
  oldestDueDate: null,
  isMatured: false,
};

export interface LedgerState extends Edition {
  /** RFC 3339: instant of the newest change; undefined while there was none. */
  readonly changedAt: string | undefined;
  /** The newest exchange rate. */
  readonly fx: FxState;
  readonly seq: bigint;
  /** First and last effective date up to today; undefined while the book is empty. */
  readonly firstDate: BusinessDate | undefined;
  readonly lastDate: BusinessDate | undefined;
  readonly lost: readonly LostTime[];
}

/** What became known in this time was answered, and is not in the book: a backup was restored. */
export interface LostTime {
  /** RFC 3339; what was known then is there. */
  readonly after: string;
  readonly until: string;
}

/** Exchange rates up to one, and when it became known. */
export interface FxState {
  /** 0: none. */
  readonly number: bigint;
  readonly knownAt: string | undefined;
}

/** What a state of knowledge says of the book as a whole. */
export interface KnowledgeFacts {
  /** RFC 3339: when the last of its journals was posted; asking with it gives the same state. */
  readonly knownAt: string | undefined;
  /** First date on which a journal stands: one that is not taken back. */
  readonly firstDate: BusinessDate | undefined;
  /** Last date with data, up to the snapshot's date or the day when it became known. */
  readonly dataThrough: BusinessDate | undefined;
  /**
   * The sequence at which the date was first reported: the book had reached it, and the day was
   * over. A balance that differs from it is restated. Never later than the snapshot's own sequence.
   */
  readonly reportedSeq: bigint;
  /** RFC 3339: when its journal was posted. */
  readonly reportedAt: string | undefined;
}

/** Asks how principal moved between two days, by interval or by day of movement. */
export interface SeriesRequest extends Pick<PageRequest, 'level' | 'filter' | 'snapshot'>, Period {
  readonly interval: Interval | 'event';
  /** Intervals, or days, with a movement; the first of them. */
  readonly limit: number;
}

/** What moved in one interval, in one currency. */
export interface SeriesStep {
  readonly currency: string;
  /** First day of the interval, or the day; undefined: everything before the period. */
  readonly start: BusinessDate | undefined;
  readonly moved: PrincipalBalance;
}

/** A principal movement as it was posted. */
export interface Movement {
  readonly seq: bigint;
  readonly number: number;
  readonly journalId: string;
  readonly type: string;
  readonly effectiveDate: string;
  readonly postedAt: string;
  readonly reason: string | null;
  /** Who made the journal; null for readers who are neither the agent nor have full control. */
  readonly postedBy: string | null;
  readonly reverses: string | null;
  /** Id of the bill that its journal corrects. */
  readonly corrects: string | null;
  readonly dealId: string;
  readonly facilityId: string;
  readonly contractId: string | null;
  readonly contractNumber: string | null;
  readonly lender: { readonly id: string; readonly name: string } | null;
  readonly movement: string;
  readonly account: string;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** A posting's place in the order of posting. */
export interface MovementPlace {
  readonly seq: bigint;
  readonly number: number;
}

export interface MovementRequest {
  readonly filter: BalanceFilter;
  readonly snapshot: Snapshot;
  readonly fromDate: BusinessDate | undefined;
  readonly after: MovementPlace | undefined;
  readonly limit: number;
}

/** As a page of items: there may be fewer than `limit`, though more are to come. */
export interface FoundMovements {
  readonly movements: readonly Movement[];
  readonly next: MovementPlace | undefined;
}

/** An exchange rate as it is shown: a decimal, its day, and who quoted it. */
export interface ReportingRate {
  readonly rate: string;
  readonly date: string;
  readonly source: string;
}

export type KnownSequence =
  | { readonly seq: bigint }
  /** `in_future`: by the database's clock. `posting`: it may still change; ask again soon. */
  | { readonly refused: 'in_future' | 'before_book' | 'posting' };

/** Asks for deals with an item that may differ between two snapshots. */
export interface ChangedDealsRequest {
  readonly now: Snapshot;
  /** Undefined: before the book, so every deal. */
  readonly before: Snapshot | undefined;
  /** Journals after this one may have changed an item. */
  readonly afterSeq: bigint;
  readonly dealIds: readonly string[];
  /** Deals in the order of their keys, this one included. */
  readonly fromKey: bigint;
  readonly limit: number;
}

export interface BalanceStore {
  page(access: ReaderAccess, request: PageRequest): Promise<ItemPage>;
  /**
   * What the items of a filter are sorted by, as a number and in any order: amounts as they are booked,
   * without lenders' parts of what is past due; of a posting its sequence.
   *
   * @returns undefined where the book has more items than `most`, and the question leaves no few deals
   */
  valuesOf(
    access: ReaderAccess,
    request: ValuesRequest,
    most: number,
  ): Promise<readonly ValuedItem[] | undefined>;
  /** Items that were found before, in their order. */
  itemsOf(
    access: ReaderAccess,
    level: Level,
    found: readonly PageEnd[],
    snapshot: Snapshot,
  ): Promise<readonly BalanceItem[]>;
  /** One item, zero or not; undefined where the reader sees none of that name. */
  item(access: ReaderAccess, name: ItemName, snapshot: Snapshot): Promise<BalanceItem | undefined>;
  /** @param most how many deals are counted */
  granted(access: ReaderAccess, snapshot: Snapshot, most: number): Promise<GrantFacts>;
  /** Undefined where the reader sees no such deal. */
  deal(access: ReaderAccess, id: string, snapshot: Snapshot): Promise<DealFacts | undefined>;
  /** The same items' balances at another snapshot, by internal key. */
  balancesOf(
    access: ReaderAccess,
    level: Level,
    keys: readonly bigint[],
    snapshot: Snapshot,
  ): Promise<ReadonlyMap<bigint, ItemBalances>>;
  /** By internal key of the item. */
  termsOf(
    access: ReaderAccess,
    level: Level,
    keys: readonly bigint[],
    snapshot: Snapshot,
    withRates?: boolean,
  ): Promise<ReadonlyMap<bigint, ItemTerms>>;
  /**
   * By internal key of the item, of all lenders: for those that a reader may see, as with accruals.
   * Items without anything past due are absent.
   */
  pastDueOf(
    level: Level,
    keys: readonly bigint[],
    snapshot: Snapshot,
  ): Promise<ReadonlyMap<bigint, readonly PastDue[]>>;
  /**
   * @param most how many items may be added up where totals are neither stored nor of few deals
   * @returns undefined where there would be more
   */
  totals(
    access: ReaderAccess,
    request: FilterRequest,
    most?: number,
  ): Promise<readonly BookedTotal[] | undefined>;
  /**
   * By currency, then by outstanding principal; what is not told one by one last.
   *
   * @param most items of a book whose stored totals are not broken down where nothing is grouped
   */
  groupTotals(
    access: ReaderAccess,
    request: GroupRequest,
    most: number,
  ): Promise<readonly BookedGroup[]>;
  /** Up to `top` + 1 values of each field, the most frequent first. */
  facets(access: ReaderAccess, request: FacetRequest): Promise<readonly FacetValue[]>;
  /** Up to `limit` + 1 items of the filter in which something accrues. */
  accruing(access: ReaderAccess, request: MarkedRequest): Promise<readonly MarkedItem[]>;
  /** Up to `limit` + 1 items of the filter whose own line has something billed that stands open. */
  owing(access: ReaderAccess, request: MarkedRequest): Promise<readonly MarkedItem[]>;
  /**
   * What accrues, with the lines of all lenders: for working out, never for showing. The items
   * are those that a reader was shown before.
   */
  accrualsOf(level: Level, keys: readonly bigint[], snapshot: Snapshot): Promise<ItemStreams>;
  /** What accrues in each item on the line of `MarkedItem.holder`, and maybe on other lines. */
  accrualAmountsOf(
    level: Level,
    keys: readonly bigint[],
    snapshot: Snapshot,
  ): Promise<ReadonlyMap<bigint, AccruedAmounts>>;
  /**
   * Of the items that the filter finds at the snapshot, zero or not: of each currency what stood
   * before the period, then intervals with a movement, in their order.
   */
  series(access: ReaderAccess, request: SeriesRequest): Promise<readonly SeriesStep[]>;
  /** In posting order. */
  movements(access: ReaderAccess, request: MovementRequest): Promise<FoundMovements>;
  /** The first movements of each item, by internal key. */
  movementsOf(
    access: ReaderAccess,
    level: Level,
    keys: readonly bigint[],
    request: Pick<MovementRequest, 'snapshot' | 'fromDate' | 'limit'>,
  ): Promise<ReadonlyMap<bigint, readonly Movement[]>>;
  /** The book's generation; the cheapest question there is. */
  generation(): Promise<string>;
  ledgerState(today: BusinessDate): Promise<LedgerState>;
  /** A superset, of the deals that the reader sees; up to `limit`. */
  changedDeals(
    access: ReaderAccess,
    request: ChangedDealsRequest,
  ): Promise<readonly { readonly key: bigint; readonly id: string }[]>;
  /** RFC 3339: when the caller's grants last changed; undefined: never since grants are dated. */
  grantsChangedAt(access: ReaderAccess): Promise<string | undefined>;
  /** Of a snapshot alone: the same for ever. */
  knowledge(snapshot: Snapshot): Promise<KnowledgeFacts>;
  /** RFC 3339 posting times by journal sequence. */
  postedAt(seqs: readonly bigint[]): Promise<ReadonlyMap<bigint, string>>;
  /** The state of knowledge at an RFC 3339 instant; for ever the same once it is given. */
  sequenceAt(instant: string): Promise<KnownSequence>;
  /** Newest rates on or before a day by currency, of those up to a number. */
  fxRates(
    from: readonly string[],
    to: string,
    day: BusinessDate,
    lastNumber: bigint,
  ): Promise<ReadonlyMap<string, ReportingRate>>;
  /** The newest rate of any that was known at an instant. */
  fxStateAt(instant: string): Promise<FxState>;
  /** Ids by external id (`SOURCE:VALUE`); unknown ones are absent. */
  resolveExternalIds(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Resolves when balances can be read, as the role that reads them. */
  ready(): Promise<void>;
}
