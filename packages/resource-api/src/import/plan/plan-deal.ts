import { newId } from '@cls/shared/new-id';
import type {
  BookRecord,
  ContractRecord,
  DealRecord,
  FacilityRecord,
  JournalRecord,
  PositionRecord,
  PostingRecord,
} from '../../journal-file/record.ts';
import type { BusinessDate } from '../../ledger/business-date.ts';
import type { JournalType } from '../../ledger/journal.ts';
import { formatMoney } from '../../ledger/money.ts';
import { type Legs, sumOfLegs, totalOf } from '../statement/legs.ts';
import {
  facilityRef,
  type StatedDeal,
  type StatedDrawing,
  type StatedFacility,
} from '../statement/stated-deal.ts';
import type { KnownDeal, KnownDrawing, KnownFacility } from './known-deal.ts';
import {
  NO_COMMITMENT,
  type PlannedJournal,
  type PrincipalChange,
  planMoney,
} from './plan-money.ts';
import {
  changedDetails,
  changedTerms,
  type DealParty,
  detailsOf,
  facilityNameOf,
  filled,
  knownFacility,
} from './plan-terms.ts';

export interface PlanContext {
  readonly asOf: BusinessDate;
  readonly source: string;
  /** Stands before the deal's number in idempotency keys: profile, date and file. */
  readonly keyPrefix: string;
  readonly partyId: (party: DealParty) => string;
}

export interface PlannedDeal {
  readonly stated: StatedDeal;
  /** Its facilities with their holders by the ids of parties. */
  readonly facilities: readonly PlannedFacility[];
  /** The book does not have the deal at the statement's date. */
  readonly isNew: boolean;
  /** What the book has of it and the statement does not, by facility. */
  readonly unstated: readonly KnownFacility[];
  /** Records that the book does not have, then the journals. */
  readonly records: readonly BookRecord[];
  readonly journals: readonly JournalRecord[];
}

export interface PlannedFacility extends StatedFacility {
  readonly known: KnownFacility | undefined;
  readonly drawings: readonly PlannedDrawing[];
  /** What the stated undrawn amount is beside what follows from all movements, where they differ. */
  readonly undrawnGap: { readonly expected: bigint; readonly stated: bigint } | undefined;
  /** The commitment that lenders bought of each other. */
  readonly sold: bigint;
}

export interface PlannedDrawing extends StatedDrawing {
  readonly known: KnownDrawing | undefined;
  readonly change: PrincipalChange;
}

/** The records and journals that bring a deal from what is known to what is stated. */
export function planDeal(
  stated: StatedDeal,
  known: KnownDeal | undefined,
  context: PlanContext,
): PlannedDeal {
  const isNew = known?.present !== true;
  const deal = known?.id ?? newId('deal');
  const facilities = stated.facilities.map((facility) =>
    planFacility(facility, known && knownFacility(known, stated, facility), {
      ...context,
      deal,
      dealNumber: stated.number,
    }),
  );
  const money = facilities.flatMap(({ journals }) => journals);
  const terms = known ? changedTerms(stated, known) : [];
  const details = known ? changedDetails(stated, known, context.partyId) : [];
  const records = facilities.flatMap((facility) => facility.records);
  // The book has a record only while one of its journals stands.
  const bare = money.length === 0 && (isNew || records.length > 0);
  const changed = terms.length > 0 || details.length > 0;
  const facts: JournalRecord[] = [];
  if (changed || bare) {
    facts.push({
      ...bareJournal('terms', deal, context, stated.number),
      terms: [...terms],
      ...(details.length === 0 ? {} : { details: [...details] }),
    });
  }
  const planned = facilities.map((facility) => facility.planned);
  return {
    stated,
    facilities: planned,
    isNew,
    unstated: known?.present ? unstatedDrawings(planned, known) : [],
    records: known === undefined ? [dealRecord(stated, deal, context), ...records] : records,
    journals: [...money, ...facts],
  };
}

function unstatedDrawings(
  planned: readonly PlannedFacility[],
  { facilities }: KnownDeal,
): readonly KnownFacility[] {
  const stated = new Map(planned.map(({ known, drawings }) => [known?.id, drawings]));
  return facilities.map((facility) => {
    const numbers = new Set(stated.get(facility.id)?.map(({ number }) => number));
    const drawings = facility.drawings.filter(({ number }) => !numbers.has(number));
    return { ...facility, drawings };
  });
}

/** What the source calls parts that the book does not have; a deal only where a facility could be called so. */
export function newReferences(stated: StatedDeal, known: KnownDeal | undefined) {
  const { number, row, facilities } = stated;
  const deal = known === undefined && number.includes('/') ? [{ ref: number, row }] : [];
  const fresh = facilities.filter(
    (one) => one.number !== undefined && !(known && knownFacility(known, stated, one)),
  );
  return [...deal, ...fresh.map((one) => ({ ref: facilityRef(number, one), row: one.row }))];
}

interface FacilityContext extends PlanContext {
  readonly deal: string;
  readonly dealNumber: string;
}

function planFacility(
  given: StatedFacility,
  known: KnownFacility | undefined,
  context: FacilityContext,
) {
  const { partyId, deal, dealNumber } = context;
  // What was booked does not change: what a repayment gives back follows from it.
  const stated = { ...byParty(given, partyId), type: known?.type ?? given.type };
  const id = known?.id ?? newId('fac');
  const drawings = new Map(known?.drawings.map((one) => [one.number, one]));
  const fresh = stated.drawings
    .filter(({ number }) => !drawings.has(number))
    .map((drawing) => contractRecord(drawing, id));
  const contracts = new Map([
    ...[...drawings].map(([number, one]) => [number, one.id] as const),
    ...fresh.map((contract) => [contract.contractNumber, contract.id] as const),
  ]);
  const state = {
    commitment: known?.commitment ?? NO_COMMITMENT,
    drawings: new Map([...drawings].map(([number, { money }]) => [number, money])),
    participants: known?.participants ?? [],
  };
  const positions = stated.holders
    .filter(({ ref }) => !known?.lenders.includes(ref))
    .map(({ ref: lender, kind }): PositionRecord => {
      return { object: 'position', id: newId('pos'), facility: id, lender, kind };
    });
  const facility = known ? [] : [facilityRecord(stated, id, context)];
  const { journals: money, changes, undrawnGap, sold } = planMoney(stated, state);
  const journals = money.map((planned): JournalRecord => {
    const ref = refOf(dealNumber, stated, planned);
    const { reason, overadvance } = planned;
    return {
      ...bareJournal(planned.type, deal, context, ref),
      ...filled({ reason }),
      ...(overadvance ? { overadvance } : {}),
      postings: postingsOf(planned, id, contracts, stated.currency),
    };
  });
  const records = [...facility, ...fresh, ...positions];
  const planned: PlannedFacility = {
    ...{ ...stated, known, undrawnGap, sold },
    drawings: stated.drawings.map((drawing, at) => ({
      ...drawing,
      known: drawings.get(drawing.number),
      change: changes[at] as PrincipalChange,
    })),
  };
  return { planned, records, journals };
}

/** In idempotency keys: the loan alone where each loan of the sender is a deal of its own. */
function refOf(
  dealNumber: string,
  { number }: StatedFacility,
  { type, drawing }: PlannedJournal,
): string {
  // A sale transfers commitment and principal, in a journal each.
  const isAlone = drawing === undefined ? type !== 'transfer' : drawing === dealNumber;
  if (number === undefined && isAlone) return dealNumber;
  const parts = [dealNumber, number ?? '', drawing ?? ''];
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}

function bareJournal(
  type: JournalType,
  deal: string,
  { asOf, keyPrefix }: PlanContext,
  ref: string,
): JournalRecord {
  return {
    object: 'journal',
    id: newId('jrn'),
    deal,
    type,
    effectiveDate: asOf,
    idempotencyKey: `${keyPrefix}:${ref}:${type}`,
    postings: [],
    terms: [],
    rates: [],
    settlements: [],
  };
}

/** Each account globally, and then for each holder. */
function postingsOf(
  { entries }: PlannedJournal,
  facility: string,
  contracts: ReadonlyMap<string, string>,
  currency: string,
): PostingRecord[] {
  return entries.flatMap(({ account, movement, legs, drawing }) => {
    const contract = drawing === undefined ? undefined : contracts.get(drawing);
    const common = {
      facility,
      account,
      currency,
      ...(contract === undefined ? {} : { contract }),
      ...(movement === undefined ? {} : { movement }),
    };
    const whole = totalOf(legs);
    const all = whole === 0n ? [] : [{ ...common, amount: formatMoney(whole, currency) }];
    const parts = [...legs].map(([lender, amount]) => ({
      ...common,
      lender,
      amount: formatMoney(amount, currency),
    }));
    return [...all, ...parts];
  });
}

/** The facility with its amounts by the ids of parties, in place of the statement's references. */
function byParty(facility: StatedFacility, partyId: (party: DealParty) => string): StatedFacility {
  const ids = new Map(facility.holders.map((holder) => [holder.ref, partyId(holder)]));
  const named = (legs: Legs): Legs =>
    sumOfLegs([...legs].map(([ref, amount]) => [ids.get(ref) ?? ref, amount]));
  const maybe = (legs: Legs | undefined) => legs && named(legs);
  const { commitment } = facility;
  return {
    ...facility,
    holders: facility.holders.map((holder) => ({ ...holder, ref: partyId(holder) })),
    commitment: {
      ...commitment,
      original: maybe(commitment.original),
      cancelled: maybe(commitment.cancelled),
      current: maybe(commitment.current),
      undrawn: maybe(commitment.undrawn),
    },
    drawings: facility.drawings.map((drawing) => ({
      ...drawing,
      due: named(drawing.due),
      cumulative: drawing.cumulative && {
        disbursed: named(drawing.cumulative.disbursed),
        repaid: named(drawing.cumulative.repaid),
        transferred: maybe(drawing.cumulative.transferred),
      },
    })),
  };
}

function dealRecord(stated: StatedDeal, id: string, { source, partyId }: PlanContext): DealRecord {
  const { name, borrower, guarantor, country } = detailsOf(stated, undefined);
  const [holder] = stated.facilities[0]?.holders ?? [];
  const agent = stated.agent ?? holder;
  return {
    object: 'deal',
    id,
    name,
    dealNumber: stated.number,
    borrower: partyId(borrower),
    agent: agent === undefined ? '' : partyId(agent),
    ...filled({ guarantor: guarantor && partyId(guarantor), closingDate: stated.closingDate }),
    country,
    status: stated.status as DealRecord['status'],
    externalIds: [{ source, value: stated.number }],
  };
}

function facilityRecord(
  stated: StatedFacility,
  id: string,
  { source, deal, dealNumber }: FacilityContext,
): FacilityRecord {
  const { effectiveDate, maturityDate, number } = stated;
  return {
    object: 'facility',
    id,
    deal,
    name: facilityNameOf(stated, dealNumber, undefined),
    type: stated.type,
    currency: stated.currency,
    dayCount: 'ACT/360',
    status: stated.status as FacilityRecord['status'],
    ...filled({ effectiveDate, maturityDate }),
    pikUsesCommitment: false,
    externalIds: number === undefined ? [] : [{ source, value: facilityRef(dealNumber, stated) }],
  };
}

function contractRecord(stated: StatedDrawing, facility: string): ContractRecord {
  const { number, status, effectiveDate, maturityDate, allInRate } = stated;
  return {
    object: 'contract',
    id: newId('ctr'),
    facility,
    contractNumber: number,
    status: status as ContractRecord['status'],
    ...filled({ effectiveDate, maturityDate, allInRate }),
    externalIds: [],
  };
}
