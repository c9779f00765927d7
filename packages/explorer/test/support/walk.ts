import type {
  BalanceItem,
  Deal,
  Facet,
  Line,
  List,
  Movement,
  Rate,
  RollForwardItem,
  Series,
  SeriesPoint,
  Share,
  Single,
  Sum,
  Totals,
} from '../../src/balances/shapes.ts';
import { MOVEMENTS } from '../../src/balances/shapes.ts';
import { difference, isZero, percentOf, roundedPercent } from '../../src/web/amounts.ts';
import { countryName } from '../../src/web/countries.ts';
import { linkNamed, numberOf } from './reading.ts';
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
  'Exchange adjustment through exchange rates; no part of the principal': ({ principal }) =>
    principal.exchangeAdjustment,
  'Obligation outstanding principal and exchange adjustment': ({ principal }) =>
    principal.obligation,
  'Total past due': ({ total }) => total.pastDue,
  'Principal past due': ({ principal }) => principal.pastDue,
  'Interest past due': ({ interest }) => interest.pastDue,
  'Fees past due': ({ fees }) => fees.pastDue,
  Commitment: ({ commitment }) => commitment.current,
  Undrawn: ({ commitment }) => commitment.unfunded,
  Available: ({ commitment }) => commitment.available,
  'Letters of credit': ({ commitment }) => commitment.letterOfCredit,
  'Interest accrued': ({ interest }) => interest.accrued,
  'PIK interest accrued': ({ interest }) => interest.pikAccrued,
  'Interest due': ({ interest }) => interest.due,
  'Fees accrued': ({ fees }) => fees.accrued,
  'Fees due': ({ fees }) => fees.due,
  'Principal, interest and fees': ({ total }) => total.outstanding,
};
const OF_SHARE: Amounts<Share> = {
  ...OF_LINE,
  'Share of commitment': ({ fraction }) => fraction && roundedPercent(fraction, 'en'),
};
const OF_COMMITMENT: Amounts<Line> = {
  Original: ({ commitment }) => commitment.original,
  Cancelled: ({ commitment }) => commitment.cancelled,
  'Repaid, not to be drawn again': ({ commitment: { original, cancelled, current } }) =>
    difference(current, difference(cancelled, original)),
  'Added otherwise': ({ commitment: { original, cancelled, current } }) =>
    difference(difference(cancelled, original), current),
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
  'Total past due': ({ pastDue }) => pastDue,
  Commitment: ({ commitment }) => commitment,
  Undrawn: (sum) => (sum as { unfunded?: string }).unfunded,
  Available: ({ available }) => available,
  'Interest accrued': ({ interestAccrued }) => interestAccrued,
  'Fees accrued': ({ feesAccrued }) => feesAccrued,
};
const OF_CONTRACT: Amounts<BalanceItem> = {
  'Outstanding principal': ({ global }) => global.principal.outstanding,
  'Interest accrued': ({ global }) => global.interest.accrued,
  'Total past due': ({ global }) => global.total.pastDue,
  Rate: ({ terms }) => rateInWords(terms?.rate, terms?.allInRate),
};
const OF_POINT: Amounts<SeriesPoint> = {
  Opening: ({ opening }) => opening,
  Closing: ({ closing }) => closing,
  Postings: ({ movementCount }) => `${movementCount}`,
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

/** How many numbers were compared so far. */
export const compared = { numbers: 0 };

/** A page of the list against the items that the API answers, in its order. */
export function listDiffers(html: string, items: readonly BalanceItem[]): Differences {
  const named = items.map((item) => ({
    name: `${item.deal.dealNumber} ${item.deal.name}`,
    of: item,
  }));
  return rowsDiffer(readTable(html, 'deals'), named, {
    Borrower: ({ borrower }) => `${borrower.name} ${countryName(borrower.country, 'en')}`,
    Ccy: ({ currency }) => currency,
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
  const [{ data, rest }, ladder] = await Promise.all([
    book.ask<Totals>(question),
    book.ask<Totals>(`/balances/totals?${book.times}${level}&groupBy=maturityYear&top=100`),
  ]);
  const groups = readTable(html, 'groups');
  const sums = [...data, ...rest];
  return [
    ...totalsDiffer(html, 'portfolio', ladder.totals),
    ...ladder.totals.flatMap(({ currency }) => {
      const years = ladder.data
        .filter((one) => one.currency === currency)
        .map((of) => ({ name: of.value ?? 'no date', of }))
        .sort((a, b) => ((a.of.value ?? '9999') < (b.of.value ?? '9999') ? -1 : 1));
      return rowsDiffer(readTable(html, `ladder-${currency}`), years, OF_SUM);
    }),
    ...rowsDiffer(
      groups,
      sums.map((of, at) => ({ name: groups?.rows[at]?.head ?? '', of })),
      OF_SUM,
    ),
  ].map((one) => `portfolio by ${by}: ${one}`);
}

export async function dealDiffers(book: Book, id: string): Promise<Differences> {
  const html = await book.open(`/deals/${id}?${book.times}&view=all`);
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
  const { data: contracts } = await book.ask<List<BalanceItem>>(
    `/balances?${book.times}&level=contract&facilityId=${id}&includeZero=true&expand=terms&include=none`,
  );
  const named = contracts.map((of) => ({
    name: `${of.contract?.contractNumber} (${of.currency})`,
    of,
  }));
  const accruals = (item.accrual ?? []).flatMap((accrual, at) => {
    const table = readTable(html, `accrual-${at}`);
    const periods = accrual.periods.map((of) => ({ name: undefined, of }));
    const { amount, corrects } = accrual;
    return [
      ...rowsDiffer(table, periods, {
        Days: ({ days }) => `${days}`,
        'On a balance of': ({ balance }) => balance,
        Rate: ({ rate }) => `${percentOf(rate)}%`,
        'Exact amount': (period) => period.amount,
      }),
      ...differs(
        'sums of an accrual',
        table?.foot.map(({ cells }) => cells['Exact amount']),
        corrects === null ? [amount] : [corrects.billed, amount],
      ),
    ];
  });
  return [
    ...columnDiffers(
      readTable(html, 'commitment'),
      item.share === null ? item.currency : `${item.currency} (global)`,
      OF_COMMITMENT,
      item.global,
    ),
    ...itemDiffers(html, item),
    ...rowsDiffer(readTable(html, 'contracts'), named, OF_CONTRACT),
    ...accruals,
  ].map((one) => `facility ${id}: ${one}`);
}

/** `6.7% = SONIA 4.45% + 2.25%` */
function rateInWords(rate: Rate | null | undefined, stated: string | null | undefined): string {
  if (rate == null) return Number(stated ?? 0) === 0 ? '' : `${percentOf(stated ?? '')}%`;
  const { allIn, base, margin, adjustment, index } = rate;
  if (base === null) return `${percentOf(allIn)}%`;
  const more = [margin, adjustment].map((part) => {
    if (part === null) return '';
    return part.startsWith('-') ? ` − ${percentOf(part.slice(1))}%` : ` + ${percentOf(part)}%`;
  });
  return `${percentOf(allIn)}% = ${index === null ? '' : `${index} `}${percentOf(base)}%${more.join('')}`;
}

function itemDiffers(html: string, item: BalanceItem): Differences {
  const { currency, global, share, lenders, provenance } = item;
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
    ...differs(
      `ledger of ${currency}`,
      factsOf(html, `Where the numbers in ${currency} come from`)['Ledger sequence'],
      `${provenance.ledgerSeq}`,
    ),
  ];
}

/** Names and values below a heading. */
function factsOf(html: string, heading: string): Readonly<Record<string, string>> {
  const [, list = ''] =
    html.split(`<h2>${heading}</h2>`)[1]?.match(/<dl[^>]*>([\s\S]*?)<\/dl>/) ?? [];
  const pairs = [...list.matchAll(/<dt>([\s\S]*?)<\/dt><dd>([\s\S]*?)<\/dd>/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, numberOf(value)]));
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
  const { data: points } = await book.ask<Series>(
    `/balances/principal/series?${book.times}${from}&dealId=${id}&interval=${from === '' ? 'quarter' : 'month'}`,
  );
  return data.flatMap(({ currency, global }) => {
    const table = readTable(html, `roll-forward-${currency}`);
    const shown = [...(table?.rows ?? []), ...(table?.foot ?? [])];
    const moved = MOVEMENTS.map((name, at) => [ROLL_FORWARD[at], global.movements[name]]);
    const all = points.filter((point) => point.currency === currency);
    // Without a first day the page begins where the deal moves.
    const begins = from === '' ? all.findIndex(({ movementCount }) => movementCount > 0) : 0;
    const course = all.slice(Math.max(begins, 0));
    return [
      ...differs(
        `roll-forward of ${id} in ${currency}`,
        shown.map(({ head, cells }) => [head, cells['Global']]),
        [
          ['Opening', global.opening],
          ...moved.filter(([, amount = '']) => !isZero(amount)),
          ['Closing', global.closing],
        ],
      ),
      ...rowsDiffer(
        readTable(html, `series-${currency}`),
        course.map((of) => ({ name: undefined, of })),
        OF_POINT,
      ).map((one) => `series of ${id} in ${currency}: ${one}`),
    ];
  });
}

export { daysBefore } from '../../src/pages/changes.ts';

/** The figures whose changes the page lists, by their columns. */
const OF_CHANGES: Amounts<BalanceItem> = {
  'Your outstanding': ({ share }) => share?.principal.outstanding,
  ...Object.fromEntries(
    (
      [
        ...['Outstanding principal', 'Commitment', 'Letters of credit', 'Interest accrued'],
        ...['Interest due', 'Fees accrued', 'Fees due', 'Total past due'],
      ] as const
    ).map((name) => [name, ({ global }: BalanceItem) => OF_LINE[name]?.(global)]),
  ),
};

/** Every page of the changes since a time: each figure that moved, and no other. */
export async function changesDiffer(book: Book, since: string, more = ''): Promise<Differences> {
  const found: Differences = [];
  const asked = `${book.times}&level=deal&includeZero=true&updatedSince=${since}&limit=50${more}`;
  let address: string | undefined = `/changes?${book.times}&since=${since}${more}`;
  let cursor = '';
  while (address !== undefined) {
    const html: string = await book.open(address);
    const { data, page }: List<BalanceItem> = await book.ask(`/balances?${asked}${cursor}`);
    const before = await itemsThen(book, data, since);
    const rows = new Map(
      readTable(html, 'changes')?.rows.map((row) => [`${row.head} ${row.cells['Ccy']}`, row]),
    );
    found.push(...differs('rows', rows.size, data.length));
    for (const item of data) {
      const name = `${item.deal.dealNumber} ${item.deal.name} ${item.currency}`;
      const shown = rows.get(name)?.compared ?? {};
      for (const [column, of] of Object.entries(OF_CHANGES)) {
        const moved = movedOf(of(item) ?? undefined, before.get(item.id), of);
        found.push(...differs(`${name}, ${column}`, shown[column] ?? [''], moved));
      }
    }
    cursor = `&cursor=${page.nextCursor}`;
    address = linkNamed(html, 'Next page');
    found.push(...differs('another page', address !== undefined, page.hasMore));
  }
  return found.map((one) => `changes since ${since}: ${one}`);
}

/** What a cell of the changes says: nothing where nothing moved; of what is new, what is not zero. */
function movedOf(
  is: string | undefined,
  before: BalanceItem | undefined,
  of: Amounts<BalanceItem>[string],
): readonly string[] {
  const was = before === undefined ? undefined : of(before);
  if (is === undefined || is === was) return [''];
  if (before === undefined) return [isZero(is) ? '' : is];
  if (was == null) return [is, 'not there then'];
  return [is, was, difference(was, is)];
}

/** The items as they were; without those that were not there. */
async function itemsThen(
  book: Book,
  items: readonly BalanceItem[],
  knownAt: string,
): Promise<ReadonlyMap<string, BalanceItem>> {
  const [asOf = ''] = book.times.split('&');
  const ids = [...new Set(items.map(({ deal }) => `&dealId=${deal.id}`))].join('');
  if (ids === '') return new Map();
  const asked = `${asOf}&knownAt=${knownAt}&level=deal&includeZero=true&include=none&limit=1000${ids}`;
  const { data } = await book
    .ask<List<BalanceItem>>(`/balances?${asked}`)
    .catch((error: Error): Pick<List<BalanceItem>, 'data'> => {
      if (error.message.includes('_before_book')) return { data: [] };
      throw error;
    });
  return new Map(data.map((item) => [item.id, item]));
}

/** The choices of filters, with the number of deals of each. */
export async function choicesDiffer(book: Book): Promise<Differences> {
  const fields = ['currency', 'country', 'status', 'borrower', 'lender'];
  const asked = `${book.times}&includeZero=true&level=deal&top=1000`;
  const html = await book.open(`/deals?${book.times}&includeZero=true&choices=all`);
  const { data } = await book.ask<List<Facet>>(
    `/facets?${asked}${fields.map((field) => `&fields=${field}`).join('')}`,
  );
  const helpful = data.filter(({ values }) => values.length > 1);
  return helpful.flatMap(({ field, values }) => {
    const [, list = ''] =
      new RegExp(`aria-labelledby="choices-${field}">([\\s\\S]*?)</ul>`).exec(html) ?? [];
    const shown = [...list.matchAll(/<small>\(([^)]*)\)<\/small>/g)];
    return differs(
      `choices of ${field}`,
      shown.map(([, count = '']) => numberOf(count)),
      values.map(({ count }) => `${count}`),
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
      const read = amounts[column.replace(/ \(global\)$/, '')];
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
  return (table?.rows ?? [{ head: 'a table', cells: {}, compared: {} }]).flatMap(
    ({ head, cells }) => {
      const read = amounts[head];
      if (read === undefined) return [`nobody knows what ${head} is`];
      return differs(`${head}, ${column}`, cells[column], read(line));
    },
  );
}

function differs(where: string, shown: unknown, answered: unknown): Differences {
  compared.numbers += [answered].flat(2).filter((one) => /^-?\d/.test(`${one}`)).length;
  const [is, must] = [shown, answered].map((value) => readable(value));
  return is === must ? [] : [`${where}: shows ${is}, the API says ${must}`];
}

function readable(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one)) ?? 'nothing';
}
