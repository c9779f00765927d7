import { AMOUNT_FIELDS } from '../profile/fields.ts';
import { NO_DATE } from './evidence.ts';
import { type Proposal, rowsOf } from './proposal.ts';

/** Rates of loans are seldom above; as basis points all of them would be below 0.6 %. */
const PERCENT_MAX = 60;

/** Writes `rateUnit`: a rate of 4.25 is a percentage, 0.0425 may be a fraction. */
export function proposeRates({ find, checks, draft }: Proposal): void {
  const column = find('rate');
  const range = column && checks.ranges.get(column);
  if (column === undefined || range === undefined) return;
  const { header, shapes, filled, percents } = column.evidence;
  const [least, most] = [Number(range.least), Number(range.most)];
  const marked = (mark: RegExp) => [...shapes.keys()].some((shape) => mark.test(shape));
  const path = ['rateUnit'];
  const spread = `“${header}” is from ${range.least} to ${range.most}`;
  if (percents === filled) draft.set(path, 'percent', `the workbook shows “${header}” in percent`);
  else if (marked(/%$/)) draft.set(path, 'percent', `“${header}” has percent signs`);
  else if (marked(/bps?$/i)) draft.set(path, 'basis_points', `“${header}” has bp`);
  else if (most === 0 && least === 0) return;
  else if (most < 1) draft.ask(path, `fraction or percent: ${spread}`);
  else if (most > 200) draft.ask(path, `basis_points or percent: ${spread}`);
  else if (most > PERCENT_MAX) draft.ask(path, `percent or basis_points: ${spread}`);
  else if (checks.rates.belowOne > checks.rates.all / 2) {
    draft.ask(path, `fraction or percent: most are below 1, but ${spread}`);
  } else {
    draft.set(path, 'percent', `“${header}”: the largest is ${range.most}, which is no fraction`);
  }
}

/** Writes `emptyMarks`, and asks what an empty amount is. */
export function proposeEmpty({ columns, find, draft }: Proposal): void {
  const used = columns.filter(({ field }) => field !== undefined);
  const marks = [...new Set(used.flatMap(({ evidence }) => [...evidence.emptyMarks.keys()]))];
  const codes = used.filter(({ kind }) => kind === 'country' || kind === 'currency');
  const code = codes.find(({ evidence }) => evidence.emptyMarks.size > 0)?.evidence;
  const list = JSON.stringify(marks);
  const noDate = marks.find((mark) => NO_DATE.test(mark));
  const path = ['emptyMarks'];
  if (noDate !== undefined) draft.ask(path, `${list} if ${noDate} stands for no date`);
  else if (code !== undefined) {
    const has = `“${code.header}” has ${[...code.emptyMarks.keys()]}, and NA is Namibia`;
    draft.ask(path, `${list}? ${has}; leave out what is no mark for an empty cell`);
  } else if (marks.length > 0) draft.set(path, marks);
  const empty = AMOUNT_FIELDS.flatMap((field) => {
    const evidence = find(field)?.evidence;
    return evidence && evidence.empty > 0 ? [{ field, evidence }] : [];
  });
  if (empty.length === 0) return;
  const told = empty.map(({ evidence: { header, empty } }) => `“${header}” in ${rowsOf(empty)}`);
  const fields = empty.map(({ field }) => field).join(', ');
  const question = `[${fields}] if an empty cell is zero; it is empty: ${told.join(', ')}`;
  draft.ask(['emptyIsZero'], `${question}. Leave this out, and such rows are faults`);
}

/** Writes `excessDecimals` where amounts have more decimals than most currencies. */
export function proposeDecimals({ checks: { longest }, draft }: Proposal): void {
  const unit = draft.document['amountsIn'];
  if (longest.told === '' || (typeof unit === 'number' && unit > 1)) return;
  draft.ask(['excessDecimals'], `reject or round: ${longest.told}`);
}
