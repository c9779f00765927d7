import type { BalanceItem, Line } from '../balances/shapes.ts';
import type { MessageKey, Text } from '../web/text.ts';
import { type Cell, workbook } from '../web/workbook.ts';
import { wordOf } from './cells.ts';

const TEXTS: readonly (readonly [MessageKey, (item: BalanceItem, text: Text) => string])[] = [
  ['column.number', ({ deal }) => deal.dealNumber],
  ['column.deal', ({ deal }) => deal.name],
  ['column.borrower', ({ borrower }) => borrower.name],
  ['column.country', ({ borrower }) => borrower.country],
  // Of a position, as its filter has it: that of its facility.
  ['column.status', ({ status }, text) => wordOf('status', status.facility ?? status.deal, text)],
  ['column.currency', ({ currency }) => currency],
];
const AMOUNTS: readonly (readonly [MessageKey, (line: Line) => string])[] = [
  ['column.outstanding', ({ principal }) => principal.outstanding],
  ['column.commitment', ({ commitment }) => commitment.current],
  ['column.unfunded', ({ commitment }) => commitment.unfunded],
  ['column.available', ({ commitment }) => commitment.available],
  ['column.pastDue', ({ total }) => total.pastDue],
  ['column.interestAccrued', ({ interest }) => interest.accrued],
  ['column.pikAccrued', ({ interest }) => interest.pikAccrued],
  ['column.interestDue', ({ interest }) => interest.due],
  ['column.feesAccrued', ({ fees }) => fees.accrued],
  ['column.feesDue', ({ fees }) => fees.due],
  ['column.totalOutstanding', ({ total }) => total.outstanding],
];

const OF_LENDERS: typeof TEXTS = [
  ['column.facility', ({ facility }) => facility?.name ?? ''],
  ['column.lender', ({ share }) => share?.lender.name ?? ''],
];

/**
 * Deals, or the shares of their lenders, as a workbook, from an export of the API as NDJSON. A spreadsheet keeps
 * 15 digits of a number, so the amounts may also be texts, which keep every digit.
 *
 * @param share what the share of a deal is called
 * @throws in the middle where the export was cut: the file is not whole then.
 */
export function dealsWorkbook(
  body: ReadableStream<Uint8Array>,
  isExact: boolean,
  ofLenders: boolean,
  share: MessageKey,
  asOf: string,
  text: Text,
): AsyncGenerator<Uint8Array> {
  const texts = ofLenders ? [...TEXTS, ...OF_LENDERS] : TEXTS;
  const head = [...texts, ...AMOUNTS].map(([key]) => text.t(key));
  const own = ofLenders ? [] : [text.t(share)];
  const amount = (value: string): Cell => (isExact ? value : { amount: value });
  const row = (item: BalanceItem): readonly Cell[] => {
    const { share, global } = item;
    const line = ofLenders ? (share ?? global) : global;
    return [
      ...texts.map(([, of]) => of(item, text)),
      ...AMOUNTS.map(([, of]) => amount(of(line))),
      ...(share === null || ofLenders ? [] : [amount(share.principal.outstanding)]),
    ];
  };
  // The date first: names of sheets are cut. A copy of the sheet alone still says of when it is.
  const title = `${asOf} ${text.t(ofLenders ? 'place.lenders' : 'deals.title')}`;
  return workbook(title, [...head, ...own], rowsOf(body, row));
}

async function* rowsOf(
  body: ReadableStream<Uint8Array>,
  row: (item: BalanceItem) => readonly Cell[],
) {
  for await (const item of itemsOf(body)) yield row(item);
}

/** The lines of an export, up to the summary that says that it is whole. */
async function* itemsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<BalanceItem> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const read = JSON.parse(line) as BalanceItem & { readonly object: string };
      if (read.object === 'summary') return;
      yield read;
    }
  }
  throw new Error('an export of the API ended without its summary');
}
