import type {
  BalanceItem,
  Deal,
  Line,
  List,
  Movement,
  RollForwardItem,
  Share,
  Single,
  Sum,
  Totals,
} from '../../src/balances/shapes.ts';
import { MOVEMENTS } from '../../src/balances/shapes.ts';
import { isZero, percentOf } from '../../src/web/amounts.ts';
import { linkNamed } from './reading.ts';
import { type ReadTable, readTable } from './tables.ts';

/** A person's pages in English, beside the API's answers at the same times. */
export interface Book {
  open(address: string): Promise<string>;
  ask<T>(path: string): Promise<T>;
  /** `asOf=…&knownAt=…`. */
  readonly times: string;
}

type Amounts<T> = Readonly<Record<string, (of: T) => string | null | undefined>>;

const OF_LINE: Amounts<Line> = {
  'Outstanding principal': ({ principal }) => principal.outstanding,
  'Past due': ({ total }) => total.pastDue,
  Commitment: ({ commitment }) => commitment.current,
  Undrawn: ({ commitment }) => commitment.unfunded,
  Available: ({ commitment }) => commitment.available,
  'Letters of credit': ({ commitment }) => commitment.letterOfCredit,
  'Interest accrued': ({ interest }) => interest.accrued,
  'Interest due': ({ interest }) => interest.due,
  'Fees accrued': ({ fees }) => fees.accrued,
  'Fees due': ({ fees }) => fees.due,
  'Principal, interest and fees': ({ total }) => total.outstanding,
};
const OF_SHARE: Amounts<Share> = {
  ...OF_LINE,
  'Share of commitment': ({ fraction }) => fraction?.replace(/(\.\d{6})\d*$/, '$1'),
};
const OF_COMMITMENT: Amounts<Line> = {
  Original: ({ commitment }) => commitment.original,
  Cancelled: ({ commitment }) => commitment.cancelled,
  Current: ({ commitment }) => commitment.current,
  Funded: ({ commitment }) => commitment.funded,
  'Letters of credit': ({ commitment }) => commitment.letterOfCredit,
  'Used under sublimits': ({ commitment }) => commitment.sublimitUsed,
  Undrawn: ({ commitment }) => commitment.unfunded,
  'of this not available': ({ commitment }) => commitment.unavailable,
  'of this available': ({ commitment }) => commitment.available,
};
const OF_SUM: Amounts<Sum> = {
  Facilities: ({ count }) => `${count}`,
  Deals: ({ count }) => `${count}`,
  'Outstanding principal': ({ principalOutstanding }) => principalOutstanding,
  'Past due': ({ pastDue }) => pastDue,
  Commitment: ({ commitment }) => commitment,
  Undrawn: (sum) => (sum as { unfunded?: string }).unfunded,
  Available: ({ available }) => available,
  'Interest accrued': ({ interestAccrued }) => interestAccrued,
  'Fees accrued': ({ feesAccrued }) => feesAccrued,
};
const ROLL_FORWARD = [
  'Advances',
  'Scheduled repayments',
  'Voluntary prepayments',
  'Mandatory prepayments',
  'Capitalised interest',
  'Capitalised fees',
  'Write-offs',
  'Rollovers between contracts',
  'Transfers between lenders',
  'Adjustments',
];

/** What a page shows otherwise than the API answers: nothing, or a sentence for each cell. */
export type Differences = string[];

/** A page of the list against the items that the API answers, in its order. */
export function listDiffers(html: string, items: readonly BalanceItem[]): Differences {
  const named = items.map((item) => ({
    name: `${item.deal.dealNumber} ${item.deal.name}`,
    of: item,
  }));
  return rowsDiffer(readTable(html, 'deals'), named, {
    Borrower: ({ borrower }) => borrower.name,
    Currency: ({ currency }) => currency,
    'Your outstanding': ({ share }) => share?.principal.outstanding,
    ...Object.fromEntries(
      Object.entries(OF_LINE).map(([name, of]) => [name, ({ global }: BalanceItem) => of(global)]),
    ),
  });
}

export function totalsDiffer(html: string, id: string, totals: readonly Sum[]): Differences {
  const named = totals.map((of) => ({ name: of.currency, of }));
  return rowsDiffer(readTable(html, id), named, OF_SUM);
}

/** `/portfolio` by a group: totals, the rows of groups, and what the others come to. */
export async function portfolioDiffers(book: Book, by: string, more = ''): Promise<Differences> {
  const html = await book.open(`/portfolio?${book.times}&by=${by}${more}`);
  const level = more.includes('view=own') ? '&level=position' : '';
  const question = `/balances/totals?${book.times}${level}&groupBy=${by}&top=10`;
  const [{ data, rest }, { totals }] = await Promise.all([
    book.ask<Totals>(question),
    book.ask<Totals>(`/balances/totals?${book.times}${level}&groupBy=maturityYear&top=100`),
  ]);
  const groups = readTable(html, 'groups');
  const sums = [...data, ...rest];
  return [
    ...totalsDiffer(html, 'portfolio', totals),
    ...rowsDiffer(
      groups,
      sums.map((of, at) => ({ name: groups?.rows[at]?.head ?? '', of })),
      OF_SUM,
    ),
  ].map((one) => `portfolio by ${by}: ${one}`);
}

export async function dealDiffers(book: Book, id: string): Promise<Differences> {
  const html = await book.open(`/deals/${id}?${book.times}`);
  const { data } = await book.ask<Single<Deal>>(`/deals/${id}?${book.times}`);
  const facilities = data.facilities.map((of) => ({
    name: of.facility?.name ?? '',
    of: of.global,
  }));
  return [
    ...data.balances.flatMap((item) => itemDiffers(html, item)),
    ...rowsDiffer(readTable(html, 'facilities'), facilities, OF_LINE),
  ].map((one) => `deal ${id}: ${one}`);
}

/** @param item with `expand=accrual`. */
export async function facilityDiffers(book: Book, item: BalanceItem): Promise<Differences> {
  const id = item.facility?.id ?? '';
  const html = await book.open(`/facilities/${id}?${book.times}`);
  const accruals = (item.accrual ?? []).flatMap((accrual, at) => {
    const named = accrual.periods.map((of) => ({ name: undefined, of }));
    return rowsDiffer(readTable(html, `accrual-${at}`), named, {
      Days: ({ days }) => `${days}`,
      'On a balance of': ({ balance }) => balance,
      Rate: ({ rate }) => `${percentOf(rate)}%`,
      'Exact amount': ({ amount }) => amount,
    });
  });
  return [
    ...columnDiffers(readTable(html, 'commitment'), item.currency, OF_COMMITMENT, item.global),
    ...itemDiffers(html, item),
    ...accruals,
  ].map((one) => `facility ${id}: ${one}`);
}

function itemDiffers(html: string, { currency, global, share, lenders }: BalanceItem): Differences {
  const table = readTable(html, `amounts-${currency}`);
  const own =
    share === null ? [] : columnDiffers(table, `Your share (${share.lender.name})`, OF_LINE, share);
  const named = lenders.map((of) => ({ name: of.lender.name, of }));
  const shares = readTable(html, `lenders-${currency}`);
  return [
    ...columnDiffers(table, 'Global', OF_LINE, global),
    ...own,
    ...(share === null ? rowsDiffer(shares, named, OF_SHARE) : []),
    ...(shares?.foot ?? []).flatMap(({ cells }) => sumDiffers(cells, global)),
  ];
}

/** The sum of the lenders is the global amount. */
function sumDiffers(cells: Readonly<Record<string, string>>, global: Line): Differences {
  return Object.entries(OF_LINE).flatMap(([name, of]) =>
    cells[name] === undefined ? [] : differs(`sum of lenders, ${name}`, cells[name], of(global)),
  );
}

export async function rollForwardDiffers(book: Book, id: string, from = ''): Promise<Differences> {
  const html = await book.open(`/deals/${id}/roll-forward?${book.times}${from}`);
  const { data } = await book.ask<List<RollForwardItem>>(
    `/balances/principal?${book.times}${from}&level=deal&dealId=${id}&includeZero=true`,
  );
  return data.flatMap(({ currency, global }) => {
    const table = readTable(html, `roll-forward-${currency}`);
    const shown = [...(table?.rows ?? []), ...(table?.foot ?? [])];
    const moved = MOVEMENTS.map((name, at) => [ROLL_FORWARD[at], global.movements[name]]);
    return differs(
      `roll-forward of ${id} in ${currency}`,
      shown.map(({ head, cells }) => [head, cells['Global']]),
      [
        ['Opening', global.opening],
        ...moved.filter(([, amount = '']) => !isZero(amount)),
        ['Closing', global.closing],
      ],
    );
  });
}

/** Every posting, with a balance that is added up here once more. */
export async function postingsDiffer(book: Book, id: string): Promise<Differences> {
  const asked = `${book.times}&dealId=${id}`;
  const [{ data: deals }, { data }] = await Promise.all([
    book.ask<List<RollForwardItem>>(`/balances/principal?${asked}&level=deal&includeZero=true`),
    book.ask<List<Movement>>(`/balances/principal/movements?${asked}&limit=1000`),
  ]);
  const balances = new Map(
    deals.map(({ currency, global }) => [currency, unitsOf(global.opening)]),
  );
  const answered = data.map(({ amount, currency, lender }) => {
    if (lender !== null) return [amount, ''];
    const after = (balances.get(currency) ?? 0n) + unitsOf(amount);
    balances.set(currency, after);
    return [amount, after];
  });
  const shown = [];
  let address: string | undefined = `/deals/${id}/movements?${book.times}&lenders=yes`;
  while (address !== undefined) {
    const html = await book.open(address);
    shown.push(...(readTable(html, 'movements')?.rows ?? []));
    address = linkNamed(html, 'Next page');
  }
  const rows = shown.map(({ cells: { Amount, 'Balance after': after = '' } }) => [
    Amount,
    after === '' ? '' : unitsOf(after),
  ]);
  return differs(`postings of ${id}`, rows, answered);
}

function unitsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

function rowsDiffer<T>(
  table: ReadTable | undefined,
  wanted: readonly { readonly name: string | undefined; readonly of: T }[],
  amounts: Amounts<T>,
): Differences {
  const rows = table?.rows ?? [];
  const differences = differs('rows', rows.length, wanted.length);
  for (const [at, { name, of }] of wanted.entries()) {
    const { head = '', cells = {} } = rows[at] ?? {};
    if (name !== undefined && head !== name) differences.push(`${head} stands where ${name} is`);
    for (const [column, shown] of Object.entries(cells)) {
      const read = amounts[column];
      if (read === undefined && /^-?\d+\.\d+$/.test(shown)) {
        differences.push(`nobody knows what ${column} is`);
      }
      if (read !== undefined)
        differences.push(...differs(`${head}, ${column}`, shown, read(of) ?? ''));
    }
  }
  return differences;
}

/** A column whose rows are amounts of one line. */
function columnDiffers(
  table: ReadTable | undefined,
  column: string,
  amounts: Amounts<Line>,
  line: Line,
): Differences {
  return (table?.rows ?? [{ head: 'a table', cells: {} }]).flatMap(({ head, cells }) => {
    const read = amounts[head];
    if (read === undefined) return [`nobody knows what ${head} is`];
    return differs(`${head}, ${column}`, cells[column], read(line));
  });
}

function differs(where: string, shown: unknown, answered: unknown): Differences {
  const [is, must] = [shown, answered].map((value) => readable(value));
  return is === must ? [] : [`${where}: shows ${is}, the API says ${must}`];
}

function readable(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one)) ?? 'nothing';
}
