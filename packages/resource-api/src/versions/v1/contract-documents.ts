import { GROUPINGS } from '../../balances/balance-store.ts';
import type { JsonSchema } from '../openapi.ts';
import { constant, idOf, integer, listOf, nullable, object, oneOf, ref, text } from '../schema.ts';
import { TOTAL } from './contract-accruals.ts';
import { itemOf, META } from './contract-lists.ts';
import { DEAL_STATUS, PARTIES } from './contract-schemas.ts';
import type { DocumentName } from './query.ts';

/** What the contract says of an answer without pages. */
interface DocumentTitle {
  readonly operationId: string;
  readonly summary: string;
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
    schema: 'BalanceItem',
    id: 'The `id` of an item of `/cls/balances`.',
    rates: true,
  },
  deal: {
    operationId: 'getDeal',
    summary: 'A deal with its parties, balances and facilities',
    schema: 'DealItem',
    id: 'The id of a deal.',
    rates: true,
  },
  me: {
    operationId: 'getCaller',
    summary: 'Who the caller is, and what it may see',
    schema: 'CallerItem',
  },
  totals: {
    operationId: 'listGroupTotals',
    summary: 'What balances come to, by borrower, country, type, status, lender or maturity',
    schema: 'GroupTotalList',
  },
};

const money = ref('Money');
/** Sums over items, beyond those of a list's totals. */
const SUMS = {
  ...TOTAL,
  commitment: nullable(money, 'Current; left out at level contract.'),
  available: nullable(money, 'May be drawn now; left out at level contract.'),
  pastDue: nullable(money, 'Principal, interest and fees; null: too many items to work it out.'),
  warnings: nullable(integer(), 'Items with a warning.'),
};
const COMMITTED = ['unfunded', 'commitment', 'available'];

const item = (data: JsonSchema, meta: JsonSchema) =>
  object({ object: constant('item'), data, meta });

export const DOCUMENT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  BalanceItem: item(itemOf('Balance'), object(META)),
  Deal: object({
    object: constant('deal'),
    id: idOf('deal'),
    name: text(),
    dealNumber: text(),
    status: oneOf(DEAL_STATUS),
    closingDate: nullable(ref('Date')),
    roles: listOf(
      oneOf(['agent', 'lender', 'borrower', 'full']),
      'Of the caller in the deal; `full` with full control.',
    ),
    borrower: PARTIES.borrower,
    agent: ref('Party'),
    guarantor: nullable(ref('Party')),
    lenders: listOf(ref('Party'), 'Those whose share the caller may see.'),
    balances: listOf(ref('Balance'), 'One per currency.'),
    facilities: listOf(ref('Balance'), 'The first 100, those at zero too.'),
    hasMoreFacilities: { type: 'boolean' },
  }),
  Caller: object({
    object: constant('caller'),
    customer: object({
      id: text(),
      name: nullable(text(), 'Of the one party that its grants name; otherwise null.'),
    }),
    accountType: oneOf(['account', 'service_account']),
    permissions: listOf(text(), 'Those of the token.'),
    roles: listOf(
      oneOf(['agent', 'lender', 'borrower', 'full']),
      'In any deal; `full` with full control.',
    ),
    parties: listOf(ref('Party'), 'The lenders and borrowers that its grants name.'),
    dealCount: integer('Deals that the caller sees; at most 100,000 are counted.'),
    hasMoreDeals: { type: 'boolean' },
  }),
  CallerItem: item(ref('Caller'), object(META)),
  SummedTotal: object(SUMS, COMMITTED),
  GroupTotal: object(
    {
      object: constant('groupTotal'),
      groupBy: oneOf(GROUPINGS),
      value: nullable(text(), 'A code, a year, or the id of a party; null: items have none.'),
      name: nullable(text(), 'Of a party.'),
      ...SUMS,
    },
    COMMITTED,
  ),
  GroupTotalList: object({
    object: constant('list'),
    data: listOf(
      ref('GroupTotal'),
      'By currency; those with the most outstanding principal first.',
    ),
    rest: listOf(ref('SummedTotal'), 'Per currency, what the other groups come to.'),
    totals: listOf(ref('SummedTotal'), 'Per currency, what all items come to.'),
    meta: object(META),
  }),
  DealItem: item(ref('Deal'), object(META)),
};
