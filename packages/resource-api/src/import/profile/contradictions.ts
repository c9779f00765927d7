import { ambiguousMark } from '../cells/number-shape.ts';
import { type AmountField, type Field, IDENTIFYING, SOLD } from './fields.ts';
import type { ImportProfile } from './profile.ts';

/** Settings that contradict each other or lack another, by path. */
export function* contradictionsIn(
  profile: ImportProfile,
): Generator<readonly [path: readonly string[], message: string]> {
  const { columns, derive, participants } = profile;
  const has = (field: Field) => columns[field] !== undefined;
  const states = (field: AmountField) => has(field) || derive[field] !== undefined;
  if (!IDENTIFYING.some(has)) {
    yield [['columns'], `expected a column for one of ${IDENTIFYING.join(', ')}`];
  }
  if (!states('due')) {
    yield [['columns', 'due'], 'expected a column, or a sum in derive: the outstanding principal'];
  }
  if (!has('currency') && profile.currency === undefined) {
    yield [['currency'], 'expected an ISO 4217 code, or a column for currency'];
  }
  if (profile.currencyColumn === 'loan' && profile.currency === undefined) {
    yield [
      ['currency'],
      'expected the currency of the amounts, because the column names the loan’s',
    ];
  }
  if (has('limit') && !states('undisbursed') && !states('disbursed')) {
    yield [
      ['derive', 'undisbursed'],
      'expected limit - due where the rest of the limit can be drawn, or 0 where it cannot',
    ];
  }
  if (has('disbursed') !== has('repaid') && !(states('disbursed') && states('repaid'))) {
    yield [['columns'], 'expected disbursed and repaid together, or neither'];
  }
  if (SOLD.some(states) && participants === undefined) {
    yield [['participants'], 'expected who holds what was sold'];
  }
  if (profile.rowIs === 'lender' && !has('lender')) {
    yield [['columns', 'lender'], 'expected a column, because each row is the part of a lender'];
  }
  if (has('lenderShare') !== (profile.shareUnit !== undefined)) {
    yield [['shareUnit'], 'expected together with a column for lenderShare'];
  }
  if (profile.rowIs === 'lender' && profile.shares !== undefined) {
    yield [['shares'], 'expected none, because the rows have the shares of lenders'];
  }
  if (profile.shareTolerance !== '0' && (profile.shares?.unit ?? profile.shareUnit) === 'amount') {
    yield [['shareTolerance'], 'expected none, because shares are amounts, which add up exactly'];
  }
  if (has('rate') && has('ratePercent')) {
    yield [['columns', 'ratePercent'], 'expected one of rate and ratePercent'];
  }
  if (has('ratePercent') && profile.rateUnit !== 'percent') {
    yield [
      ['rateUnit'],
      'expected percent, because ratePercent has percentages; name the column as rate',
    ];
  }
  if (profile.asOfRows === 'only' && !has('asOf')) {
    yield [['columns', 'asOf'], 'expected a column, because rows of one date are chosen'];
  }
  if (profile.thousandsSeparator === profile.decimalSeparator) {
    yield [['thousandsSeparator'], 'expected another character than decimalSeparator'];
  }
  const mark = ambiguousMark(profile);
  if (mark !== undefined) {
    yield [['negativeMarks'], `expected marks of one meaning and without digits; ${mark} is not`];
  }
  const short = profile.dateFormats.find((format) => /(^|[^Y])YY($|[^Y])/.test(format));
  if (short !== undefined && profile.twoDigitYearsFrom === undefined) {
    yield [['twoDigitYearsFrom'], `expected the first year that ${short} can mean, such as 1970`];
  }
}
