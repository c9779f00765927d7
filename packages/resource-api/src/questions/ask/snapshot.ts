import type { ProblemCode } from '@cls/shared/http/problem-codes';
import { Refusal } from '@cls/shared/http/refusal';
import type { BusinessDate } from '../../ledger/business-date.ts';
import { type BookMemory, openMemories } from '../../memory/memories.ts';
import type {
  BalanceStore,
  FxState,
  KnowledgeFacts,
  LedgerState,
  ReaderAccess,
  Snapshot,
} from './balance-store.ts';
import type { CurrentLedger } from './current-ledger.ts';
import { cursorRefusal } from './cursor.ts';

/** The two times of a question: when it is true, and as it was known when. */
export interface QuestionTimes {
  /** The last date that the book had data for when undefined. */
  readonly asOf: BusinessDate | undefined;
  /** RFC 3339; all that is known now when undefined. */
  readonly knownAt: string | undefined;
  /** First day of a period that ends with `asOf`. */
  readonly fromDate: BusinessDate | undefined;
  /** Exchange rates are part of the answer when defined. */
  readonly reporting?: object | undefined;
  /** Where the book stood after the question came; looked up when undefined. */
  readonly ledger?: LedgerState | undefined;
}

/** The state that a caller's copy has: the two times of the answer that the copy was made from. */
export interface CopyTimes extends Pick<QuestionTimes, 'asOf' | 'reporting'> {
  /** RFC 3339: the answer's `knownAt`. */
  readonly updatedSince: string;
  /** The answer's `asOf`; where undefined it must follow from the rest. */
  readonly sinceAsOf: BusinessDate | undefined;
}

/** The other times that an answer is compared with; what is undefined is as the answer's own. */
export interface ComparedTimes {
  readonly asOf: BusinessDate | undefined;
  /** RFC 3339. */
  readonly knownAt: string | undefined;
}

/** What a walk over pages keeps of its first page. */
export interface WalkSnapshot extends Snapshot {
  readonly knownAt: string | undefined;
  /** Exchange rates up to this one are the walk's; 0 where none are asked for. */
  readonly fxNumber: bigint;
}

/** Of a question that may continue a walk: then the walk's times count. */
interface WalkTimes extends QuestionTimes {
  readonly position?: WalkSnapshot | undefined;
}

export interface ResolvedSnapshot extends WalkSnapshot, KnowledgeFacts {
  /** RFC 3339: when the reader's grants last changed. */
  readonly grantsAt: string | undefined;
}

export interface Snapshots {
  /** What was looked up about the states of the book that snapshots are of. */
  readonly memory: BookMemory;
  /** @throws {Refusal} `as_of_in_future`, `as_of_before_book`, `known_at_in_future`, … */
  resolve(times: WalkTimes, access: ReaderAccess): Promise<ResolvedSnapshot>;
  /**
   * What a copy has; undefined before the book.
   *
   * @throws {Refusal} `delta_unavailable`, `since_as_of_required`, `invalid_range`, …
   */
  copied(
    times: CopyTimes,
    access: ReaderAccess,
    now: ResolvedSnapshot,
  ): Promise<ResolvedSnapshot | undefined>;
  /**
   * What an answer is compared with; undefined before the book, where there was nothing.
   *
   * @throws {Refusal} `as_of_in_future`, `known_at_in_future`, …
   */
  compared(
    times: ComparedTimes,
    access: ReaderAccess,
    answer: ResolvedSnapshot,
    question: Pick<QuestionTimes, 'reporting' | 'ledger'>,
  ): Promise<ResolvedSnapshot | undefined>;
}

export function snapshots(
  store: BalanceStore,
  ledger: CurrentLedger,
  memory: BookMemory = openMemories().book,
): Snapshots {
  const states = bookStates(store, memory);
  const { at, facts, ratesAt, resolved, resumed, sequenceAt, soleDate, withFacts } = states;
  return {
    memory,
    async resolve({ asOf, knownAt, fromDate, reporting, ledger: found, position }, access) {
      const state = found ?? (await ledger.state());
      if (position !== undefined) return resumed(position, access, state);
      const { today } = state;
      if (knownAt === undefined) {
        const date = asOf ?? state.lastDate ?? today;
        checkDates(date, fromDate, today, state.firstDate);
        const fx = reporting === undefined ? NO_RATES : state.fx;
        return resolved(at(date, state.seq, state), access, { fx, until: state.changedAt });
      }
      const ledgerSeq = await sequenceAt('knownAt', knownAt);
      if (ledgerSeq === 0n && state.seq > 0n) throw knownBeforeBook(knownAt);
      // What was data then: journals of dates after that day were still waiting for theirs.
      const day = dayOf(knownAt);
      const then = await facts(at(day, ledgerSeq, state));
      const date = asOf ?? then.dataThrough ?? day;
      checkDates(date, fromDate, today, then.firstDate);
      const fx = await ratesAt(knownAt, reporting);
      return resolved(at(date, ledgerSeq, state), access, { fx, until: knownAt });
    },
    async copied({ updatedSince, sinceAsOf, asOf, reporting }, access, now) {
      if (now.grantsAt !== undefined && now.grantsAt > updatedSince) {
        throw deltaUnavailable('Your access to deals has changed since then.', {
          earliestUpdatedSince: now.grantsAt,
        });
      }
      const state = await ledger.state();
      if (isLost(updatedSince, state)) {
        throw deltaUnavailable('The book was restored from a backup since then.');
      }
      const ledgerSeq = await sequenceAt('updatedSince', updatedSince);
      if (ledgerSeq > now.ledgerSeq) throw sinceAfterNow(updatedSince);
      if (ledgerSeq === 0n) return undefined;
      const date = sinceAsOf ?? asOf ?? (await soleDate(ledgerSeq, updatedSince, state));
      const fx = await ratesAt(updatedSince, reporting);
      const known = await withFacts(at(date, ledgerSeq, state), access);
      return { ...known, knownAt: updatedSince, fxNumber: fx.number };
    },
    async compared({ asOf, knownAt }, access, answer, { reporting, ledger: found }) {
      const date = asOf ?? answer.asOf;
      const state = found ?? (await ledger.state());
      checkNotInFuture('compareAsOf', date, state.today);
      if (knownAt === undefined) {
        const { ledgerSeq, edition } = answer;
        const known = await facts({ asOf: date, ledgerSeq, edition });
        // What is known is what the answer knows, and so is when it became known.
        return ifInBook({ ...answer, ...known, asOf: date, knownAt: answer.knownAt });
      }
      const ledgerSeq = await sequenceAt('compareKnownAt', knownAt);
      const fx = await ratesAt(knownAt, reporting);
      const snapshot = at(date, ledgerSeq, state);
      return ifInBook(await resolved(snapshot, access, { fx, until: knownAt }));
    },
  };
}

/** What is looked up about the states of the book that snapshots are of. */
function bookStates(store: BalanceStore, memory: BookMemory) {
  const facts = (snapshot: Snapshot): Promise<KnowledgeFacts> => {
    const question = `knowledge ${snapshot.asOf} ${snapshot.ledgerSeq}`;
    return memory.once(snapshot.edition, question, () => store.knowledge(snapshot));
  };
  const ratesAt = async (instant: string, reporting: object | undefined): Promise<FxState> =>
    reporting === undefined ? NO_RATES : store.fxStateAt(instant);
  /** The default `asOf` at an instant, where it is still the same for that sequence. */
  const soleDate = async (
    ledgerSeq: bigint,
    instant: string,
    state: LedgerState,
  ): Promise<BusinessDate> => {
    const days = [dayOf(instant), state.today];
    const [first, last] = await Promise.all(days.map((day) => facts(at(day, ledgerSeq, state))));
    if (first?.dataThrough === undefined || first.dataThrough !== last?.dataThrough) {
      throw sinceAsOfRequired();
    }
    return first.dataThrough;
  };
  const sequenceAt = async (parameter: string, instant: string): Promise<bigint> => {
    const answer = await store.sequenceAt(instant);
    if ('seq' in answer) return answer.seq;
    if (answer.refused === 'before_book') return 0n;
    throw answer.refused === 'posting' ? stillPosting() : inFuture(parameter, instant);
  };
  const at = (asOf: BusinessDate, ledgerSeq: bigint, state: LedgerState) => ({
    ...{ asOf, ledgerSeq },
    // What is cached of a state lacks what was posted since.
    edition: ledgerSeq > state.seq ? undefined : state,
  });
  const withFacts = async (snapshot: Snapshot, access: ReaderAccess) => {
    const [known, grantsAt] = await Promise.all([
      facts(snapshot),
      'fullControl' in access
        ? undefined
        : memory.once(snapshot.edition, `grants ${access.customer}`, () =>
            store.grantsChangedAt(access),
          ),
    ]);
    return { ...snapshot, ...known, grantsAt };
  };
  /**
   * An answer is known when its journals, its exchange rates and the reader's grants are. A grant
   * that is newer than the state which was looked up does not count: journals before it may be
   * missing in that state.
   */
  const resolved = async (
    snapshot: Snapshot,
    access: ReaderAccess,
    { fx, until }: { readonly fx: FxState; readonly until: string | undefined },
  ): Promise<ResolvedSnapshot> => {
    const known = await withFacts(snapshot, access);
    const granted = known.grantsAt;
    const counts = granted !== undefined && until !== undefined && granted <= until;
    const knownAt = latest(known.knownAt, counts ? granted : undefined, fx.knownAt);
    return { ...known, knownAt, fxNumber: fx.number };
  };
  /** The snapshot of a walk that continues. */
  const resumed = async (
    { asOf, ledgerSeq, knownAt, fxNumber }: WalkSnapshot,
    access: ReaderAccess,
    state: LedgerState,
  ): Promise<ResolvedSnapshot> => {
    if (isLost(knownAt, state)) throw lostWalk();
    const known = await withFacts(at(asOf, ledgerSeq, state), access);
    return { ...known, knownAt, fxNumber };
  };
  return { at, facts, ratesAt, resolved, resumed, sequenceAt, soleDate, withFacts };
}

const NO_RATES: FxState = { number: 0n, knownAt: undefined };

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

/** Undefined where no journal that is known stands on the date or before it. */
function ifInBook(snapshot: ResolvedSnapshot): ResolvedSnapshot | undefined {
  const { firstDate, asOf } = snapshot;
  return firstDate === undefined || asOf < firstDate ? undefined : snapshot;
}

function checkNotInFuture(parameter: string, date: BusinessDate, today: BusinessDate): void {
  if (date <= today) return;
  throw refusal(parameter, 'as_of_in_future', `expected a date up to today, ${today}`, date);
}

function checkDates(
  asOf: BusinessDate,
  fromDate: BusinessDate | undefined,
  today: BusinessDate,
  firstDate: BusinessDate | undefined,
): void {
  checkNotInFuture('asOf', asOf, today);
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
  const code = parameter === 'updatedSince' ? 'invalid_parameter' : 'known_at_in_future';
  return refusal(parameter, code, 'expected an instant in the past', received);
}

/** A copy or a walk of that state has what the book has lost. */
function isLost(knownAt: string | undefined, { lost }: LedgerState): boolean {
  return (
    knownAt !== undefined && lost.some(({ after, until }) => after < knownAt && knownAt <= until)
  );
}

/** The cursor names a sequence that other journals have now, or none. */
function lostWalk(): Refusal {
  const message = 'the book was restored from a backup since the first page; begin again';
  return cursorRefusal('invalid_cursor', message);
}

/** After such a change the caller sees other items: what the copy lacks cannot be known. */
function deltaUnavailable(why: string, extensions: Record<string, string> = {}): Refusal {
  return new Refusal({
    status: 410,
    code: 'delta_unavailable',
    title: 'No changes available',
    detail: `${why} Read the whole list again.`,
    extensions,
  });
}

function sinceAfterNow(received: string): Refusal {
  const message = 'expected an instant no later than knownAt';
  return refusal('updatedSince', 'invalid_range', message, received);
}

/** Journals of later dates have become effective since: the instant alone names no answer. */
function sinceAsOfRequired(): Refusal {
  const message = 'expected the meta.asOf of the answer whose meta.knownAt is updatedSince';
  return refusal('sinceAsOf', 'since_as_of_required', message);
}

function knownBeforeBook(received: string): Refusal {
  return refusal('knownAt', 'known_at_before_book', 'nothing was known at that time', received);
}

/** What is being posted has its posting time already and is not yet to be seen. */
function stillPosting(): Refusal {
  return new Refusal({
    status: 503,
    code: 'ledger_posting',
    title: 'Ledger is being updated',
    detail: 'A posting of that instant is not finished yet. Try again.',
    headers: { 'Retry-After': '2' },
  });
}

function refusal(
  parameter: string,
  code: ProblemCode,
  message: string,
  received?: string,
): Refusal {
  return new Refusal({
    status: 400,
    code,
    title: 'Parameter not valid',
    detail: `${parameter}: ${message}`,
    errors: [{ parameter, code, message, ...(received === undefined ? {} : { received }) }],
  });
}
