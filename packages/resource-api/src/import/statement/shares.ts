import { groupBy } from '@cls/shared/group-by';
import { minorUnitDigits } from '../../ledger/currency.ts';
import { formatAmount, formatMoney, magnitudeOf, parseAmount } from '../../ledger/money.ts';
import { readNumber } from '../cells/numbers.ts';
import { cellText, kept } from '../cells/text.ts';
import type { Cell, TableRow } from '../file/table.ts';
import type { ImportProfile } from '../profile/profile.ts';
import { type ColumnsOf, columnsOf, headerOf } from './columns.ts';
import type { Legs } from './legs.ts';
import { numberOf } from './loan-key.ts';
import { REQUIRED, type Report } from './report.ts';
import type { StatedParty } from './stated-deal.ts';
import { partyOf } from './stated-party.ts';

export type ShareUnit = NonNullable<ImportProfile['shareUnit']>;

/** What all fractions of one facility add up to. */
const WHOLE = 10n ** 12n;
/** An amount is of a facility whose currency a second file may not have: with as many as any currency. */
const DECIMALS: Readonly<Record<ShareUnit, number>> = { fraction: 12, percent: 10, amount: 4 };

/** @returns units of 10⁻¹², or of 10⁻⁴ of an amount; else a sentence with what was expected. */
export function shareOf(cell: Cell, profile: ImportProfile, unit: ShareUnit): bigint | string {
  const bare = typeof cell === 'string' && unit === 'percent' ? cell.replace(/\s*%\s*$/, '') : cell;
  const read = readNumber(bare, profile);
  if ('expected' in read) return read.expected;
  const parsed = parseAmount(read.text, DECIMALS[unit]);
  if (parsed === undefined || parsed.rounded || parsed.amountMinor < 0n) {
    const units = {
      fraction: 'a fraction such as 0.25',
      percent: 'a percentage such as 25',
      amount: 'an amount',
    };
    return `expected ${units[unit]} that is not negative`;
  }
  return parsed.amountMinor;
}

export interface LenderShare {
  readonly row: number;
  readonly lender: StatedParty;
  readonly share: bigint;
}

/** Shares by facility: `deal`, `deal/facility` or `loan`, as `keyOf` makes it. */
export type Shares = ReadonlyMap<string, readonly LenderShare[]>;

export function shareKey(...numbers: readonly (string | undefined)[]): string {
  return numbers.filter((number) => number !== undefined).join('/');
}

const FIELDS = ['loanNumber', 'dealNumber', 'facilityNumber', 'lender', 'share'] as const;
type ShareColumns = ColumnsOf<(typeof FIELDS)[number]>;

export async function readShares(
  table: AsyncIterable<readonly TableRow[]>,
  profile: ImportProfile,
  report: Report,
): Promise<Shares> {
  const { shares } = profile;
  if (shares === undefined) return new Map();
  const read: (LenderShare & { readonly key: string })[] = [];
  let columns: ShareColumns | undefined;
  for await (const batch of table) {
    for (const line of batch) {
      if (line.row < profile.headerRow) continue;
      if (columns === undefined) {
        const faultsBefore = report.faultCount;
        const header = { header: headerOf(line, profile), row: line.row };
        columns = columnsOf(FIELDS, shares.columns, header, report, 'the file of shares');
        if (report.faultCount > faultsBefore) return new Map();
        if (profile.headerRow > 0) continue;
      }
      read.push(...readShare(line, columns, shares.unit, profile, report));
    }
  }
  if (columns === undefined) {
    report.fault(profile.headerRow, '', 'no_header', 'the file of shares has no rows', '');
  }
  return groupBy(read, ({ key }) => key);
}

/** Nothing of a row that has a fault, which is then reported. */
function readShare(
  { cells, row }: TableRow,
  columns: ShareColumns,
  unit: ShareUnit,
  profile: ImportProfile,
  report: Report,
): readonly (LenderShare & { readonly key: string })[] {
  const cell = (field: (typeof FIELDS)[number]) => cells[columns.get(field)?.index ?? -1] ?? '';
  const number = (field: 'dealNumber' | 'facilityNumber' | 'loanNumber') =>
    numberOf(cellText(cell(field)), profile) || undefined;
  const share = shareOf(cell('share'), profile, unit);
  const lender = cellText(cell('lender'));
  if (typeof share !== 'bigint') {
    report.fault(row, 'shares: share', 'invalid_share', share, cellText(cell('share')));
    return [];
  }
  if (lender === '') {
    report.fault(row, 'shares: lender', 'missing_value', REQUIRED, '');
    return [];
  }
  const key = shareKey(number('dealNumber'), number('facilityNumber') ?? number('loanNumber'));
  return [{ key: kept(key), row, lender: partyOf(kept(lender), profile), share }];
}

/** Shares as weights by lender. They make a whole, or are amounts that come to one of the `wholes`. */
export function weightsOf(
  shares: readonly LenderShare[],
  unit: ShareUnit,
  currency: string,
  wholes: readonly (bigint | undefined)[],
  { shareTolerance }: Pick<ImportProfile, 'shareTolerance'>,
): { readonly weights: Legs; readonly gap?: string } | { readonly fault: string } {
  const weights = new Map<string, bigint>();
  for (const { row, lender, share } of shares) {
    const fault = `each lender has one share; ${lender.name} has two, the second in row ${row}`;
    if (weights.has(lender.ref)) return { fault };
    weights.set(lender.ref, share);
  }
  const sum = shares.reduce((total, { share }) => total + share, 0n);
  if (unit === 'amount') {
    const digits = minorUnitDigits(currency) ?? 2;
    const known = [...new Set(wholes)].filter((whole) => whole !== undefined);
    const finer = 10n ** BigInt(DECIMALS.amount - digits);
    if (known.some((whole) => whole * finer === sum)) return { weights };
    const expected = known.map((whole) => formatMoney(whole, currency)).join(' or ');
    const shown = sum % finer === 0n ? formatMoney(sum / finer, currency) : formatAmount(sum, 4);
    return { fault: `the shares come to ${shown}; expected ${expected}` };
  }
  if (sum === WHOLE) return { weights };
  const shown = formatAmount(sum, unit === 'percent' ? 10 : 12).replace(/\.?0+$/, '');
  const [total, whole] = unit === 'percent' ? [`${shown} %`, '100 %'] : [shown, '1'];
  // Percentage points have two decimals less than fractions.
  const tolerance = parseAmount(shareTolerance, DECIMALS.percent)?.amountMinor ?? 0n;
  // The tolerance alone takes them.
  if (magnitudeOf(sum - WHOLE) <= tolerance) return { weights, gap: total };
  return { fault: `the shares come to ${total}; expected ${whole}` };
}
