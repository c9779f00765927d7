import { Refusal } from '@cls/shared/http/refusal';
import { LRUCache } from 'lru-cache';
import type { BusinessDate } from '../ledger/business-date.ts';
import type {
  BalanceStore,
  KnowledgeFacts,
  LedgerState,
  ReaderAccess,
  Snapshot,
} from './balance-store.ts';
import type { CurrentLedger } from './current-ledger.ts';

/** The two times of a question: when it is true, and as it was known when. */
export interface QuestionTimes {
  /** The last date that the book had data for when undefined. */
  readonly asOf: BusinessDate | undefined;
  /** RFC 3339; all that is known now when undefined. */
  readonly knownAt: string | undefined;
  /** First day of a period that ends with `asOf`. */
  readonly fromDate: BusinessDate | undefined;
}

export interface ResolvedSnapshot extends Snapshot, KnowledgeFacts {
  /** RFC 3339: when the reader's grants last changed. */
  readonly grantsAt: string | undefined;
}

export interface Snapshots {
  /** @throws {Refusal} `as_of_in_future`, `as_of_before_book`, `known_at_in_future`, … */
  resolve(times: QuestionTimes, access: ReaderAccess): Promise<ResolvedSnapshot>;
  /** Of a walk that goes on: its snapshot is given, and the time that its question asked for. */
  resume(
    snapshot: Snapshot,
    knownAt: string | undefined,
    access: ReaderAccess,
  ): Promise<ResolvedSnapshot>;
  /** What was known at an instant, and the last date that was data then. @throws {Refusal} */
  stateAt(parameter: string, instant: string): Promise<StateAt>;
}

export interface StateAt {
  /** 0 before the book. */
  readonly seq: bigint;
  readonly dataThrough: BusinessDate;
}

const KEPT = 1_000;
/** Before every date of a book. */
const NO_DATE = '0101-01-01' as BusinessDate;

export function snapshots(store: BalanceStore, ledger: CurrentLedger): Snapshots {
  // What a state of knowledge says of a date never changes.
  const kept = new LRUCache<string, Promise<KnowledgeFacts>>({ max: KEPT });
  const facts = (snapshot: Snapshot): Promise<KnowledgeFacts> =>
    keep(kept, `${snapshot.asOf} ${snapshot.ledgerSeq}`, () => store.knowledge(snapshot));
  const grants = new LRUCache<string, Promise<string | undefined>>({ max: KEPT });
  const grantsAt = (access: ReaderAccess, generation: bigint): Promise<string | undefined> =>
    'fullControl' in access
      ? Promise.resolve(undefined)
      : keep(grants, `${generation} ${access.customer}`, () => store.grantsChangedAt(access));
  const sequenceAt = async (parameter: string, instant: string): Promise<bigint> => {
    const answer = await store.sequenceAt(instant);
    if ('seq' in answer) return answer.seq;
    if (answer.refused === 'before_book') return 0n;
    throw answer.refused === 'posting' ? stillPosting() : inFuture(parameter, instant);
  };
  const withFacts = async (
    { asOf, ledgerSeq }: Snapshot,
    knownAt: string | undefined,
    access: ReaderAccess,
    { generation }: LedgerState,
  ): Promise<ResolvedSnapshot> => {
    const snapshot = { asOf, ledgerSeq };
    const [known, granted] = await Promise.all([facts(snapshot), grantsAt(access, generation)]);
    return {
      ...snapshot,
      ...known,
      grantsAt: granted,
      // An answer is known when its journals and the reader's grants are.
      knownAt: latest(
        known.knownAt,
        knownAt === undefined || (granted ?? '') <= knownAt ? granted : undefined,
      ),
    };
  };
  return {
    async stateAt(parameter, instant) {
      const seq = await sequenceAt(parameter, instant);
      const { dataThrough } = await facts({ asOf: dayOf(instant), ledgerSeq: seq });
      return { seq, dataThrough: dataThrough ?? NO_DATE };
    },
    resume: async (snapshot, knownAt, access) =>
      withFacts(snapshot, knownAt, access, await ledger.state()),
    async resolve({ asOf, knownAt, fromDate }, access) {
      const state = await ledger.state();
      const { firstDate } = state;
      const { today } = ledger;
      if (knownAt === undefined) {
        const date = asOf ?? state.lastDate ?? today;
        checkDates(date, fromDate, today, firstDate);
        return withFacts({ asOf: date, ledgerSeq: state.seq }, knownAt, access, state);
      }
      const ledgerSeq = await sequenceAt('knownAt', knownAt);
      if (ledgerSeq === 0n && state.seq > 0n) throw knownBeforeBook(knownAt);
      // What was data then: journals of dates after that day were still waiting for theirs.
      const day = dayOf(knownAt);
      const date = asOf ?? (await facts({ asOf: day, ledgerSeq })).dataThrough ?? day;
      checkDates(date, fromDate, today, firstDate);
      return withFacts({ asOf: date, ledgerSeq }, knownAt, access, state);
    },
  };
}

function keep<T>(
  kept: LRUCache<string, Promise<T>>,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const found = read();
  kept.set(key, found);
  found.catch(() => kept.delete(key));
  return found;
}

/** The day of an instant in UTC. */
function dayOf(instant: string): BusinessDate {
  return instant.slice(0, 10) as BusinessDate;
}

/** Of instants in one spelling. */
export function latest(...instants: readonly (string | undefined)[]): string | undefined {
  return instants
    .filter((at) => at !== undefined)
    .sort()
    .at(-1);
}

function checkDates(
  asOf: BusinessDate,
  fromDate: BusinessDate | undefined,
  today: BusinessDate,
  firstDate: BusinessDate | undefined,
): void {
  if (asOf > today) {
    throw refusal('asOf', 'as_of_in_future', `expected a date up to today, ${today}`, asOf);
  }
  if (firstDate !== undefined && asOf < firstDate) {
    throw refusal('asOf', 'as_of_before_book', `the book begins on ${firstDate}`, asOf);
  }
  if (fromDate === undefined) return;
  if (fromDate > asOf) {
    const message = `expected a date up to the end of the period, ${asOf}`;
    throw refusal('fromDate', 'invalid_range', message, fromDate);
  }
  if (firstDate !== undefined && fromDate < firstDate) {
    throw refusal('fromDate', 'from_before_book', `the book begins on ${firstDate}`, fromDate);
  }
}

function inFuture(parameter: string, received: string): Refusal {
  const code = parameter === 'knownAt' ? 'known_at_in_future' : 'invalid_parameter';
  return refusal(parameter, code, 'expected an instant that has passed', received);
}

function knownBeforeBook(received: string): Refusal {
  return refusal('knownAt', 'known_at_before_book', 'nothing was known at that time', received);
}

/** What is being posted has its posting time already and is not yet to be seen. */
function stillPosting(): Refusal {
  return new Refusal({
    status: 503,
    code: 'ledger_posting',
    title: 'The ledger is being posted to',
    detail: 'What was known at that instant is not settled yet; try again.',
    headers: { 'Retry-After': '2' },
  });
}

function refusal(parameter: string, code: string, message: string, received: string): Refusal {
  return new Refusal({
    status: 400,
    code,
    title: 'Parameter not valid',
    detail: `${parameter}: ${message}`,
    errors: [{ parameter, code, message, received }],
  });
}
