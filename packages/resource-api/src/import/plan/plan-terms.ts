import { foldName } from '@cls/shared/text';
import type { DetailsRecord, TermsRecord } from '../../journal-file/record.ts';
import { PARTY_REF } from '../../ledger/external-id.ts';
import { UNKNOWN_COUNTRY } from '../statement/row-reader.ts';
import {
  facilityRef,
  type StatedDeal,
  type StatedDrawing,
  type StatedFacility,
  type StatedParty,
} from '../statement/stated-deal.ts';
import type { KnownDeal, KnownDrawing, KnownFacility, KnownParty } from './known-deal.ts';

/** A party that the book has, or one as the statement names it. */
export type DealParty = KnownParty | StatedParty;

const REF = new RegExp(`^(${PARTY_REF}[A-Z0-9]*:)(.*)$`, 'su');

/** The same of a reference that has the name as it was written, as former releases kept it. */
export function foldRef(ref: string): string {
  return ref.replace(REF, (_, place: string, name: string) => `${place}${foldName(name)}`);
}

/**
 * The names of a deal after a statement. What the statement does not name keeps what the book has at its date. A deal that the book does not
 * have at the date is named by its number, and its borrower by the country.
 */
export function detailsOf(stated: StatedDeal, known: KnownDeal | undefined) {
  const now = known?.present ? known : undefined;
  return {
    name: nameOf(stated.name, now?.name) ?? stated.number,
    borrower: knownOrStated(now?.borrower, stated.borrower) ?? stated.unnamedBorrower,
    guarantor: knownOrStated(now?.guarantor ?? undefined, stated.guarantor),
    country: stated.country === UNKNOWN_COUNTRY && now ? now.country : stated.country,
  };
}

export function facilityNameOf(
  { name, number }: StatedFacility,
  dealNumber: string,
  known: string | undefined,
): string {
  return nameOf(name, known) ?? number ?? dealNumber;
}

/** As it was written first, where only its form differs. */
function nameOf(stated: string | undefined, known: string | undefined): string | undefined {
  if (stated === undefined || known === undefined) return stated ?? known;
  return foldName(stated) === foldName(known) ? known : stated;
}

function knownOrStated(
  known: KnownParty | undefined,
  stated: StatedParty | undefined,
): DealParty | undefined {
  if (stated === undefined) return known;
  return known !== undefined && isParty(known, stated) ? known : stated;
}

/**
 * A party that was renamed since is known by the names that statements had for it, and by its own.
 * Without a country the name alone decides.
 */
export function isParty(known: KnownParty, { ref, name, countryCode }: StatedParty): boolean {
  const folded = foldName(name);
  if (countryCode === '' && ref.startsWith(PARTY_REF)) {
    const names = known.refs.map((one) => one.replace(REF, '$2'));
    return [known.name, ...names].some((one) => foldName(one) === folded);
  }
  return (
    known.refs.map(foldRef).includes(ref) ||
    (foldName(known.name) === folded && (known.country ?? '') === countryCode)
  );
}

/** Terms of the deal and of facilities and drawings that the book has, where they differ. */
export function changedTerms(stated: StatedDeal, known: KnownDeal): readonly TermsRecord[] {
  const changed = !known.present || stated.status !== known.status;
  return [
    ...(changed ? [{ deal: known.id, status: stated.status }] : []),
    ...facilityPairs(stated, known).flatMap((pair) => facilityTerms(...pair)),
  ] as readonly TermsRecord[];
}

/**
 * The facility that the book has under the name of a statement's. Of a deal that is one loan for its sender it is
 * the oldest without a name: a file of journals may have added others. If the import that booked it was taken back,
 * its loan may have come again, or come now, in another currency: the one that was taken back keeps its own.
 */
export function knownFacility(
  { facilities }: KnownDeal,
  { number }: StatedDeal,
  stated: StatedFacility,
): KnownFacility | undefined {
  if (stated.number !== undefined) {
    const name = facilityRef(number, stated);
    return facilities.find(({ ref }) => ref === name);
  }
  const unnamed = facilities.filter(({ ref }) => ref === null);
  const [oldest] = unnamed;
  if (oldest?.present) return oldest;
  const loans = new Set(stated.drawings.map((drawing) => drawing.number));
  const cameAgain = unnamed.find(
    ({ present, drawings }) => present && drawings.some((drawing) => loans.has(drawing.number)),
  );
  return cameAgain ?? unnamed.find((one) => !one.present && one.currency === stated.currency);
}

type Pair<Stated, Known> = readonly [stated: Stated, known: Known];

/** In the order of the book. */
export function facilityPairs(
  stated: StatedDeal,
  known: KnownDeal,
): readonly Pair<StatedFacility, KnownFacility>[] {
  const found = new Map(
    stated.facilities.map((one) => [knownFacility(known, stated, one)?.id, one] as const),
  );
  return known.facilities.flatMap((facility) => {
    const one = found.get(facility.id);
    return one === undefined ? [] : [[one, facility] as const];
  });
}

/** In the order of the statement. */
export function drawingPairs(
  { drawings }: StatedFacility,
  known: KnownFacility,
): readonly Pair<StatedDrawing, KnownDrawing>[] {
  return drawings.flatMap((drawing) => {
    const found = known.drawings.find(({ number }) => number === drawing.number);
    return found === undefined ? [] : [[drawing, found] as const];
  });
}

function facilityTerms(stated: StatedFacility, known: KnownFacility) {
  const anew = !known.present;
  const maturityDate = stated.maturityDate ?? (anew ? null : known.maturityDate);
  const changed = anew || stated.status !== known.status || maturityDate !== known.maturityDate;
  const terms = { facility: known.id, status: stated.status, ...filled({ maturityDate }) };
  return [
    ...(changed ? [terms] : []),
    ...drawingPairs(stated, known).flatMap((pair) => drawingTerms(...pair)),
  ];
}

/** An empty rate or maturity keeps what the book has at the statement's date. */
export function termsOfDrawing(stated: StatedDrawing, known: KnownDrawing | undefined) {
  return {
    status: stated.status,
    maturityDate: stated.maturityDate ?? known?.maturityDate ?? null,
    allInRate: stated.allInRate ?? known?.allInRate ?? null,
  };
}

function drawingTerms(stated: StatedDrawing, known: KnownDrawing) {
  const anew = !known.present;
  const now = termsOfDrawing(stated, anew ? undefined : known);
  const { status, maturityDate, allInRate } = now;
  const same =
    !anew &&
    status === known.status &&
    maturityDate === known.maturityDate &&
    allInRate === known.allInRate;
  return same ? [] : [{ contract: known.id, status, ...filled({ maturityDate, allInRate }) }];
}

/** The fields that have a value. */
export function filled<T extends object>(fields: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  const some = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(some) as { [Key in keyof T]?: NonNullable<T[Key]> };
}

/** What differs of a deal's names, as it was and as it is. */
export function differingDetails(stated: StatedDeal, known: KnownDeal) {
  const now = detailsOf(stated, known);
  const guarantor = known.guarantor ?? undefined;
  const all = [
    ['name', known.name === now.name, known.name, now.name],
    ['borrower', known.borrower === now.borrower, known.borrower.name, now.borrower.name],
    ['guarantor', guarantor === now.guarantor, guarantor?.name ?? '', now.guarantor?.name ?? ''],
    ['country', known.country === now.country, known.country, now.country],
  ] as const;
  return all.filter(([, isSame]) => !isSame);
}

/** Names that a statement changes. @param idOf the id of a party, which is made where there is none */
export function changedDetails(
  stated: StatedDeal,
  known: KnownDeal,
  idOf: (party: DealParty) => string,
): readonly DetailsRecord[] {
  const { name, borrower, guarantor, country } = detailsOf(stated, known);
  const isSame = known.present && differingDetails(stated, known).length === 0;
  const renamed = facilityPairs(stated, known).flatMap(([found, { id, present, name: before }]) => {
    const now = facilityNameOf(found, stated.number, present ? before : undefined);
    return present && now === before ? [] : [{ facility: id, name: now }];
  });
  const deal = {
    ...{ deal: known.id, name, borrower: idOf(borrower), country },
    ...filled({ guarantor: guarantor && idOf(guarantor) }),
  };
  return [...(isSame ? [] : [deal]), ...renamed];
}
