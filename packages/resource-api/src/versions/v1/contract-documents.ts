import { FACETS, GROUPINGS } from '../../questions/ask/balance-store.ts';
import type { JsonSchema } from '../openapi.ts';
import {
  as,
  constant,
  flag,
  idOf,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  ref,
  text,
} from '../schema.ts';
import { TOTAL } from './contract-accruals.ts';
import { COMPARED, metaWith, PERIOD } from './contract-lists.ts';
import { DEAL_STATUS, PARTIES, ROLL_FORWARD } from './contract-schemas.ts';
import type { DocumentName } from './query.ts';

/** What the contract says of an answer without pages. */
export interface DocumentTitle {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: string;
  /** What the variable of the path is; undefined: there is none. */
  readonly id?: string;
  /** Amounts may be shown in another currency. */
  readonly rates?: true;
}

export const DOCUMENTS: Readonly<Record<DocumentName, DocumentTitle>> = {
  balance: {
    operationId: 'getBalance',
    summary: 'One balance, by the id that it has in the list',
    description:
      'The same item that the list has, at the date and state of knowledge that you ask for. The id of an item does not change.',
    schema: 'BalanceItem',
    id: 'The `id` of an item of `/cls/balances`.',
    rates: true,
  },
  deal: {
    operationId: 'getDeal',
    summary: 'A deal with its parties, balances and facilities',
    description:
      'Who takes part in the deal, what the caller is in it, its balance for each currency, and the balances of its facilities.',
    schema: 'DealItem',
    id: 'The id of a deal.',
    rates: true,
  },
  me: {
    operationId: 'getCaller',
    summary: 'Who the caller is, and what it may see',
    description:
      'What the service makes of your token: the customer, its permissions and roles, and how many deals it sees. Ask it first when a list is empty.',
    schema: 'CallerItem',
  },
  series: {
    operationId: 'listPrincipalSeries',
    summary: 'How principal moved, by month, quarter, year or day of movement',
    description:
      'For each currency a roll-forward for each interval, added up over the items that the filter finds at the end of the period, zero or not. Each is what principal balances answer for these days.',
    schema: 'PrincipalPointList',
  },
  facets: {
    operationId: 'listFacets',
    summary: 'How many balances have which country, currency, status, lender, borrower or type',
    description:
      'The choices that a filter has, with the number of items that each leaves: the most frequent values first, of what the caller sees.',
    schema: 'FacetList',
  },
  totals: {
    operationId: 'listGroupTotals',
    summary: 'What balances come to, by borrower, country, type, status, lender or maturity',
    description:
      'Adds up the items of the list in groups, for each currency by itself: the largest groups one by one, the others together, and all of them.',
    schema: 'GroupTotalList',
  },
};

const moneyOrNull = ref('MoneyOrNull');
const date = ref('CalendarDate');
const dateOrNull = ref('CalendarDateOrNull');
/** Sums over items, beyond those of a list's totals. */
const SUMS = {
  ...TOTAL,
  commitment: as(
    moneyOrNull,
    'What the lenders are bound to lend at the date; left out at level contract.',
  ),
  available: as(moneyOrNull, 'May be drawn now; left out at level contract.'),
  pastDue: as(moneyOrNull, 'Principal, interest and fees; null: too many items to work it out.'),
  warnings: nullable(integer(), 'Items with a warning.'),
};
const COMMITTED = ['unfunded', 'commitment', 'available'];
/** Of a group, and of all others. */
const COMPARED_SUMS = nullable(
  ref('SummedTotal'),
  'With `compareAsOf` or `compareKnownAt`: the same sums at the other time, zero where nothing was in it; null: there was no book yet.',
);
const BORROWER_COUNTRY = nullable(
  text(),
  'Of a borrower: the country of its deals; null: they are of several.',
);
const COMPARABLE = [...COMMITTED, 'compared'];

const item = (name: string) =>
  object({
    object: constant('item'),
    data: as(ref(name), 'What was asked for.'),
    meta: metaWith({}),
  });

export const DOCUMENT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  BalanceItem: item('BalanceFields'),
  Deal: object({
    object: constant('deal'),
    id: idOf('deal', 'The id of the deal.'),
    name: text('The name at the date.'),
    dealNumber: text('The number that the agent gave it.'),
    status: oneOf(DEAL_STATUS, 'The status of the deal at the date.'),
    closingDate: as(dateOrNull, 'When the agreement was signed, where that is known.'),
    dataFrom: as(date, 'The first date on which the book has the deal.'),
    roles: listOf(
      oneOf(['agent', 'lender', 'borrower', 'full']),
      'What the caller is in the deal; `full` with full control.',
    ),
    borrower: PARTIES.borrower,
    agent: as(ref('Party'), 'Who keeps the register for the lenders.'),
    guarantor: nullable(ref('Party'), 'Who vouches for the borrower; null: nobody is named.'),
    lenders: listOf(ref('Party'), 'Those whose share the caller may see.'),
    balances: listOf(ref('Balance'), 'The balance of the deal, one for each currency.'),
    facilities: listOf(
      ref('Balance'),
      'The balances of the first 100 facilities, those at zero too.',
    ),
    hasMoreFacilities: flag('Whether the deal has more than these; the list has all.'),
  }),
  Caller: object({
    object: constant('caller'),
    customer: as(
      object({
        id: text('As the token names it.'),
        name: nullable(text(), 'Of the one party that its grants name; otherwise null.'),
      }),
      'The organisation that the caller belongs to.',
    ),
    accountType: oneOf(['account', 'service_account'], 'A person’s account, or a program’s.'),
    permissions: listOf(text(), 'Those of the token.'),
    roles: listOf(
      oneOf(['agent', 'lender', 'borrower', 'full']),
      'What the caller is in any deal; `full` with full control.',
    ),
    parties: listOf(ref('Party'), 'The lenders and borrowers that its grants name.'),
    dealCount: integer('Deals that the caller sees; at most 100,000 are counted.'),
    hasMoreDeals: flag('Whether it sees more than were counted.'),
  }),
  CallerItem: item('Caller'),
  PrincipalPoint: object({
    object: constant('principalPoint'),
    currency: as(
      ref('Currency'),
      'The currency of the amounts; two currencies are never added up.',
    ),
    from: as(date, 'The first day of the interval.'),
    date: as(date, 'The last day of the interval.'),
    ...ROLL_FORWARD,
    movementCount: integer('Postings of principal in the interval.'),
    reversedCount: integer('How many of them reverse others.'),
  }),
  PrincipalPointList: object({
    object: constant('list'),
    data: listOf(ref('PrincipalPoint'), 'By currency and date.'),
    page: as(
      object({
        limit: integer('How many dates an answer may have.'),
        hasMore: flag('Whether the period goes on after the last date.'),
        nextFromDate: as(dateOrNull, 'The `fromDate` of the next question.'),
      }),
      'Where this answer stands in the period.',
    ),
    meta: metaWith({ period: PERIOD }),
  }),
  Facet: object({
    object: constant('facet'),
    field: oneOf(FACETS, 'What items are counted by.'),
    values: listOf(
      object(
        {
          value: text('A code, or the id of a party, as the filter takes it.'),
          name: nullable(text(), 'Of a party.'),
          country: BORROWER_COUNTRY,
          count: integer('Items that have it.'),
        },
        ['country'],
      ),
      'The most frequent first.',
    ),
    hasMore: flag('Whether there are values that fewer items have.'),
  }),
  FacetList: object({
    object: constant('list'),
    data: listOf(ref('Facet'), 'One for each field.'),
    meta: metaWith({}),
  }),
  SummedTotal: object(SUMS, COMMITTED),
  RestTotal: object({ ...SUMS, compared: COMPARED_SUMS }, COMPARABLE),
  GroupTotal: object(
    {
      object: constant('groupTotal'),
      groupBy: oneOf(GROUPINGS, 'What the items were grouped by.'),
      value: nullable(
        text(),
        'A code, a year, a range of days, or the id of a party; null: items have none.',
      ),
      name: nullable(text(), 'Of the party, where items are grouped by one.'),
      country: BORROWER_COUNTRY,
      ...SUMS,
      compared: COMPARED_SUMS,
    },
    [...COMPARABLE, 'country'],
  ),
  GroupTotalList: object(
    {
      object: constant('list'),
      data: listOf(
        ref('GroupTotal'),
        'By currency; those with the most outstanding principal first.',
      ),
      rest: listOf(ref('RestTotal'), 'Per currency, what the other groups come to.'),
      totals: listOf(ref('SummedTotal'), 'Per currency, what all items come to.'),
      meta: metaWith({ compared: COMPARED }, ['compared']),
      comparedTotals: listOf(
        ref('SummedTotal'),
        'With `compareAsOf` or `compareKnownAt`: what the same filters found at the other time.',
      ),
    },
    ['comparedTotals'],
  ),
  DealItem: item('Deal'),
};
