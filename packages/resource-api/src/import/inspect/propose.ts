import { monthNamed } from '../cells/month-names.ts';
import { profileSchema } from '../profile/profile.ts';
import type { ProfileDraft } from './draft.ts';
import { proposeHeader } from './layouts.ts';
import type { Proposal } from './proposal.ts';
import { proposeDecimals, proposeEmpty, proposeRates } from './propose-cells.ts';
import { askForMissing, proposeColumns } from './propose-columns.ts';
import { proposeCountry } from './propose-country.ts';
import { proposeCurrency, proposeUnit } from './propose-currency.ts';
import { proposeStatuses, proposeTypes } from './propose-lists.ts';
import { proposeAmounts, proposeRows } from './propose-structure.ts';
import type { RowText } from './scan.ts';

/** Columns come before what depends on them. */
const STEPS: readonly ((proposal: Proposal) => void)[] = [
  proposeName,
  proposeHeader,
  proposeColumns,
  askForMissing,
  proposeUnit,
  proposeCurrency,
  proposeCountry,
  proposeTypes,
  proposeStatuses,
  proposeRates,
  proposeEmpty,
  proposeDecimals,
  proposeAmounts,
  proposeAsOf,
  proposeRows,
  noteOddCells,
];

export function propose(proposal: Proposal): void {
  for (const step of STEPS) step(proposal);
}

function proposeName({ file, draft }: Proposal): void {
  const stem = file.replace(/(?:\.[a-z]{2,4})+$/i, '').replace(/[-_ ]?\d[\d._-]*$/, '');
  const name = stem
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64);
  draft.set(['name'], name || 'statement');
  draft.set(['title'], file);
  const why =
    'Whose numbers these are. Keep it: later statements of this source have the same loans.';
  draft.set(['source'], name || 'statement', why);
  draft.ask(['lender'], '{externalId: …, name: …}: who holds the loans, such as your bank');
}

/** `31.10.2026`, `31. Oktober 2026` or `October 31, 2026`; the name may be that of a month. */
const DAY = /\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|(\p{L}{3,})\.? (?:\d{1,2},? )?\d{4}(?!\d)/gu;

function namesDay({ text }: RowText): boolean {
  const names = [...text.matchAll(DAY)].map(([, name]) => name);
  return names.some((name) => name === undefined || monthNamed(name) !== undefined);
}

function proposeAsOf({ find, found, draft, notes }: Proposal): void {
  const evidence = find('asOf')?.evidence;
  if (evidence === undefined) {
    const title = found.preamble.find(namesDay);
    const hint = title === undefined ? '' : `; row ${title.row} says “${title.text}”`;
    notes.push(`no column has the date of the statement: give --as-of when you import${hint}`);
  } else if (evidence.distinct > 1) {
    const why = `it has ${evidence.distinct} dates, and a statement has one`;
    const advice = 'leave this out and give --as-of, or keep the rows of one date';
    draft.ask(['columns', 'asOf'], `[${evidence.header}]? ${why}; ${advice}`);
  }
}

function noteOddCells({ checks, found, isText, notes }: Proposal): void {
  for (const [{ evidence, kind }, { rows, first }] of checks.unreadable) {
    const noun = kind === 'date' ? 'dates' : 'numbers';
    notes.push(`“${evidence.header}”: ${rows} cells are no ${noun} (first: ${first})`);
  }
  const { oddWidths, headers } = found;
  // A row of a sheet ends with its last value.
  if (oddWidths.rows === 0 || !isText) return;
  const first = `first: row ${oddWidths.first}`;
  notes.push(`${oddWidths.rows} rows do not have ${headers.length} columns (${first})`);
}

/** As the schema orders them. */
export function sortSettings(draft: ProfileDraft): void {
  const settings = { ...draft.document };
  for (const key of Object.keys(settings)) delete draft.document[key];
  for (const key of Object.keys(profileSchema.shape)) {
    if (Object.hasOwn(settings, key)) draft.document[key] = settings[key];
  }
}
