import { formatMoney } from '../../ledger/money.ts';
import { type Legs, NO_LEGS, totalOf } from '../statement/legs.ts';
import { facilityRef, type StatedDeal, type StatedFacility } from '../statement/stated-deal.ts';
import type { KnownDeal, KnownFacility } from './known-deal.ts';
import type { PlannedDeal, PlannedDrawing, PlannedFacility } from './plan-deal.ts';
import { NO_COMMITMENT } from './plan-money.ts';
import {
  differingDetails,
  drawingPairs,
  facilityPairs,
  isParty,
  termsOfDrawing,
} from './plan-terms.ts';

export const CHANGE_RULES = {
  new_loan: 'booked with all of its amounts, dated by the statement',
  vanished: 'the statement does not have it; the book keeps it, and nothing is posted',
  drawn: 'the difference is posted as advance',
  repaid: 'the difference is posted as scheduled_repayment',
  transferred: 'what lenders bought from each other is posted as transfer',
  limit_changed: 'the difference is posted as commitment_increase or commitment_reduction',
  original_restated: 'the difference is posted as original_commitment',
  cancelled: 'the difference is posted as cancellation',
  amount_fell: 'the difference is posted as a negative movement of the same type',
  due_gap:
    'the due amount of the statement counts; the gap is posted as adjustment, with the reason',
  undisbursed_gap:
    'the undisbursed amount of the statement counts; the gap is posted as commitment_adjustment',
  revalued: 'the difference is posted as fx_revaluation',
  terms_changed: 'new terms from the date of the statement on',
  details_changed: 'a new name, borrower, guarantor or country from the date of the statement on',
  kept_as_booked: 'stays as booked; nothing is changed',
} as const;
export type ChangeKind = keyof typeof CHANGE_RULES;

export interface LoanChange {
  readonly kind: ChangeKind;
  /** The number of the deal; what is of one of its facilities or drawings names these too: `D1/F2/A`. */
  readonly loan: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** @param known what the book has of the deal. */
export function changesOf(
  { stated, facilities, isNew, unstated }: PlannedDeal,
  known: KnownDeal | undefined,
): readonly LoanChange[] {
  const ofFacilities = facilities.flatMap((one) => facilityChanges(stated.number, one, isNew));
  // Records stay when the import that booked them is taken back.
  const kept = known === undefined ? [] : keptChanges(stated, known);
  if (known === undefined || isNew) {
    return [change('new_loan', stated.number, '', '', ''), ...ofFacilities, ...kept];
  }
  return [
    ...ofFacilities,
    ...termChanges(stated, known),
    ...detailChanges(stated, known),
    ...kept,
    ...unstated.flatMap((facility) => vanishedParts(stated, facility, facilities)),
  ];
}

/** What a report calls a facility of a deal. */
export function placeOf(deal: string, facility: StatedFacility): string {
  return facility.number === undefined ? deal : facilityRef(deal, facility);
}

/** A loan that is a facility or a deal of its own is called as that. @param place of its facility */
function drawingPlace(deal: string, place: string, number: string): string {
  return [number, `${deal}/${number}`].includes(place) ? place : `${place}/${number}`;
}

/** Drawings that owe something, and facilities that can be drawn, which a statement of their deal leaves out. */
function vanishedParts(
  stated: StatedDeal,
  facility: KnownFacility,
  planned: readonly PlannedFacility[],
): readonly LoanChange[] {
  const { id, ref, currency, drawings } = facility;
  const place = ref ?? stated.number;
  const owing = drawings.flatMap(({ number, money }) => {
    const due = totalOf(money.due);
    const loan = drawingPlace(stated.number, place, number);
    return due === 0n ? [] : [vanished(loan, 'due', due, currency)];
  });
  const goesOn = owing.length > 0 || planned.some(({ known }) => known?.id === id);
  return goesOn ? owing : vanishedFacility(stated.number, facility);
}

export function owedBy({ drawings }: KnownFacility): bigint {
  return drawings.reduce((sum, { money }) => sum + totalOf(money.due), 0n);
}

export function undrawnOf({ commitment }: KnownFacility): bigint {
  return totalOf(commitment.unfunded);
}

/** A facility that the statement does not have: what it owes, or else what can still be drawn. */
export function vanishedFacility(deal: string, facility: KnownFacility): readonly LoanChange[] {
  const { currency, ref } = facility;
  const loan = ref ?? deal;
  const [due, undrawn] = [owedBy(facility), undrawnOf(facility)];
  if (due !== 0n) return [vanished(loan, 'due', due, currency)];
  return undrawn === 0n ? [] : [vanished(loan, 'undisbursed', undrawn, currency)];
}

function vanished(
  loan: string,
  field: 'due' | 'undisbursed',
  amount: bigint,
  currency: string,
): LoanChange {
  return { kind: 'vanished', loan, field, before: formatMoney(amount, currency), after: '' };
}

type Differing = (
  kind: ChangeKind,
  field: string,
  before: bigint | undefined,
  after: bigint,
) => readonly LoanChange[];

function facilityChanges(
  deal: string,
  stated: PlannedFacility,
  isNew: boolean,
): readonly LoanChange[] {
  const { commitment, currency, known, undrawnGap, sold } = stated;
  const differingIn =
    (loan: string): Differing =>
    (kind, field, before, after) => {
      if ((before ?? 0n) === after) return [];
      const was = before === undefined ? '' : formatMoney(before, currency);
      return [change(kind, loan, field, was, formatMoney(after, currency))];
    };
  const place = placeOf(deal, stated);
  const differing = differingIn(place);
  const drawings = stated.drawings.map(
    (drawing) => [drawing, differingIn(drawingPlace(deal, place, drawing.number))] as const,
  );
  const gaps = drawings.flatMap(([{ due, change }, differ]) => {
    const after = totalOf(due);
    return differ('due_gap', 'due', after - totalOf(change.adjustment), after);
  });
  const undrawnGaps = undrawnGap
    ? differing('undisbursed_gap', 'undisbursed', undrawnGap.expected, undrawnGap.stated)
    : [];
  if (isNew) return [...gaps, ...undrawnGaps];
  const { original, cancelled } = known?.commitment ?? NO_COMMITMENT;
  const now = totalOf(original) - totalOf(cancelled);
  const restated = commitment.original ?? original;
  const limit = commitment.current === undefined ? now : totalOf(commitment.current);
  const isOfPrincipal = stated.drawings.some(({ change }) => boughtIn(change.transfer) > 0n);
  const [before, ended] = [totalOf(cancelled), totalOf(commitment.cancelled ?? cancelled)];
  return [
    ...differing('original_restated', 'originalPrincipal', totalOf(original), totalOf(restated)),
    ...differing('limit_changed', 'limit', now, limit),
    // Where principal was sold, that tells the sale.
    ...(isOfPrincipal ? [] : differing('transferred', 'limit', undefined, sold)),
    ...differing(ended < before ? 'amount_fell' : 'cancelled', 'cancelled', before, ended),
    ...drawings.flatMap(([drawing, differ]) => [
      ...fallen(drawing, differ),
      ...movementChanges(drawing, differ),
    ]),
    ...gaps,
    ...undrawnGaps,
    ...drawings.flatMap(([{ exchangeAdjustment, known: booked }, differ]) => {
      const was = totalOf(booked?.money.exchangeAdjustment ?? NO_LEGS);
      return differ('revalued', 'exchangeAdjustment', was, exchangeAdjustment ?? was);
    }),
  ];
}

/** Cumulative amounts never fall in a statement without corrections. */
function fallen({ cumulative, known }: PlannedDrawing, differing: Differing) {
  if (cumulative === undefined || known === undefined) return [];
  const { money } = known;
  const amounts = [
    ['disbursed', totalOf(money.disbursed), totalOf(cumulative.disbursed)],
    ['repaid', totalOf(money.repaid), totalOf(cumulative.repaid)],
    ['sold', boughtIn(money.transferred), boughtIn(cumulative.transferred ?? money.transferred)],
  ] as const;
  return amounts.flatMap(([field, before, after]) =>
    after < before ? differing('amount_fell', field, before, after) : [],
  );
}

export function boughtIn(legs: Legs): bigint {
  return [...legs.values()].reduce((sum, amount) => (amount > 0n ? sum + amount : sum), 0n);
}

function movementChanges({ known, change }: PlannedDrawing, differing: Differing) {
  const before = totalOf(known?.money.due ?? NO_LEGS);
  const drawn = totalOf(change.advance);
  const repaid = -totalOf(change.repayment);
  return [
    ...(drawn > 0n ? differing('drawn', 'due', before, before + drawn) : []),
    ...(repaid > 0n ? differing('repaid', 'due', before + drawn, before + drawn - repaid) : []),
    // The balance stays: what was sold has no amount before it.
    ...differing('transferred', 'transferred', undefined, boughtIn(change.transfer)),
  ];
}

function termChanges(stated: StatedDeal, known: KnownDeal): readonly LoanChange[] {
  return facilityPairs(stated, known).flatMap(([found, facility]) => {
    if (!facility.present) return [];
    const drawings = drawingPairs(found, facility).flatMap(([drawing, before]) => {
      if (!before.present) return [];
      const now = termsOfDrawing(drawing, before);
      const place = drawingPlace(stated.number, facility.ref ?? stated.number, drawing.number);
      const status = [known.status, facility.status, before.status].join('/');
      return differingTerms(place, [
        ['status', status, [stated.status, found.status, now.status].join('/')],
        ['maturityDate', before.maturityDate ?? '', now.maturityDate ?? ''],
        ['allInRate', before.allInRate ?? '', now.allInRate ?? ''],
      ]);
    });
    // What no drawing that the book has tells of its facility.
    const toldOf = new Set(drawings.map(({ field }) => field));
    const [was, is] = [facility.maturityDate, found.maturityDate ?? facility.maturityDate];
    const own = differingTerms(facility.ref ?? stated.number, [
      ['status', `${known.status}/${facility.status}`, `${stated.status}/${found.status}`],
      ['maturityDate', was ?? '', is ?? ''],
    ]);
    return [...own.filter(({ field }) => !toldOf.has(field)), ...drawings];
  });
}

function differingTerms(
  place: string,
  terms: readonly (readonly [field: string, was: string, is: string])[],
): readonly LoanChange[] {
  return terms.flatMap(([field, was, is]) =>
    was === is ? [] : [change('terms_changed', place, field, was, is)],
  );
}

function detailChanges(stated: StatedDeal, known: KnownDeal): readonly LoanChange[] {
  return differingDetails(stated, known).map(([field, , before, after]) =>
    change('details_changed', stated.number, field, before, after),
  );
}

/** What a statement may say otherwise, and the book does not change. */
function keptChanges(stated: StatedDeal, known: KnownDeal): readonly LoanChange[] {
  const { number, agent } = stated;
  const types = facilityPairs(stated, known).flatMap(([{ type }, { type: booked, ref }]) =>
    type === booked ? [] : [change('kept_as_booked', ref ?? number, 'facilityType', booked, type)],
  );
  if (agent === undefined || isParty(known.agent, agent)) return types;
  return [...types, change('kept_as_booked', number, 'agent', known.agent.name, agent.name)];
}

function change(
  kind: ChangeKind,
  loan: string,
  field: string,
  before: string,
  after: string,
): LoanChange {
  return { kind, loan, field, before, after };
}
