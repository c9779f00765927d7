/** v1's shapes as its contract says them, member by member in the order of present*.ts. */
import { LEVELS } from '../../balances/balance-store.ts';
import { PRINCIPAL_MOVEMENTS } from '../../ledger/journal.ts';
import type { JsonSchema } from '../openapi.ts';
import {
  as,
  constant,
  idOf,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  ref,
  text,
} from '../schema.ts';
import { ACCRUAL_SCHEMAS } from './contract-accruals.ts';

const money = ref('Money');
const date = ref('Date');
const instant = ref('Instant');
const rate = ref('Rate');

export const DEAL_STATUS = ['pending', 'active', 'matured', 'terminated'];
const CONTRACT_STATUS = ['pending', 'active', 'repaid', 'written_off'];

const AMOUNTS = {
  commitment: object({
    original: as(money, 'What the lenders committed at first.'),
    cancelled: as(money, 'Commitment given up or expired.'),
    current: as(money, 'Funded, letters of credit, used under sublimits, and unfunded.'),
    funded: as(money, 'Principal drawn in cash.'),
    unfunded: as(money, 'Committed and not drawn.'),
    available: as(money, 'May be drawn now.'),
    unavailable: as(money, 'Unfunded, and blocked from drawing.'),
    letterOfCredit: as(money, 'Letters of credit issued under the commitment.'),
    sublimitUsed: as(money, 'Drawn under the facility’s sublimits.'),
  }),
  principal: object({
    outstanding: as(money, 'Cash and capitalised principal that is owed.'),
    cash: as(money, 'Principal advanced in cash.'),
    pikCapitalized: as(money, 'Interest that was capitalised (payment in kind).'),
    due: as(money, 'Billed and not paid.'),
    pastDue: as(money, 'Billed, and its due date has passed.'),
    exchangeAdjustment: as(money, 'Revaluation of what is owed in other currencies.'),
    obligation: as(money, 'Outstanding and exchange adjustment.'),
  }),
  interest: object({
    accrued: as(money, 'Cash interest that is not billed yet, to the end of the date.'),
    pikAccrued: as(money, 'Interest that will be capitalised, not billed yet.'),
    due: as(money, 'Billed and not paid.'),
    pastDue: as(money, 'Billed, and its due date has passed.'),
  }),
  fees: object({
    accrued: as(money, 'Commitment and letter-of-credit fees that are not billed yet.'),
    due: as(money, 'Billed and not paid.'),
    pastDue: as(money, 'Billed, and its due date has passed.'),
  }),
  total: object({
    outstanding: as(money, 'Principal, interest and fees.'),
    pastDue: as(money, 'Of these, past due.'),
  }),
};

const ROLL_FORWARD = {
  opening: as(money, 'Principal at the end of the day before the period.'),
  movements: object({
    advances: money,
    scheduledRepayments: money,
    voluntaryPrepayments: money,
    mandatoryPrepayments: money,
    pikCapitalized: money,
    feesCapitalized: money,
    writeOffs: money,
    rollovers: as(money, 'Between contracts: zero per facility.'),
    transfers: as(money, 'Between lenders: zero globally.'),
    adjustments: money,
  }),
  closing: as(money, 'Opening and movements.'),
  exchangeAdjustment: money,
  obligation: money,
};

export const PARTIES = {
  deal: object({ id: idOf('deal'), name: text(), dealNumber: text() }),
  facility: nullable(ref('Facility')),
  contract: nullable(ref('Contract')),
  position: object({ id: idOf('pos'), kind: oneOf(['assignment', 'participation']) }),
  borrower: object({ id: idOf('pty'), name: text(), country: text() }),
  currency: ref('Currency'),
};

/** A line of amounts for everybody, and one for each lender that the caller may see. */
function lines(amounts: string, share: string): Record<string, JsonSchema> {
  return {
    global: as(ref(amounts), 'Over all lenders.'),
    share: nullable(ref(share), 'The caller’s own, or that of the one lender asked for.'),
    lenders: listOf(ref(share), 'Every share that the caller may see.'),
  };
}

function shareOf(amounts: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return object({
    lender: ref('Party'),
    fraction: nullable(
      { type: 'string', pattern: '^-?\\d+\\.\\d{12}$' },
      'Of the commitment, cut at twelve decimals; null of nothing.',
    ),
    ...amounts,
  });
}

function provenance(restated: Record<string, JsonSchema>): JsonSchema {
  return object({
    lastEffectiveDate: nullable(date, 'Null: nothing was posted to it yet.'),
    lastPostedAt: nullable(instant),
    ledgerSeq: integer('The newest journal that the item depends on.'),
    restated: { type: 'boolean' },
    restatedFrom: nullable(
      object({ knownAt: instant, ...restated }, ['lenders']),
      'What was reported of the same date before.',
    ),
  });
}

const item = (kind: string, id: string) => ({
  object: constant(kind),
  id: { type: 'string', pattern: `^${id}_(deal|fac|ctr|pos)_[0-9A-Z]{26}(_[A-Z]{3})?$` },
  level: oneOf(LEVELS),
});
const CLOSING = { closing: money };

export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Money: {
    type: 'string',
    pattern: '^-?\\d+(\\.\\d+)?$',
    description: 'A decimal with exactly the digits of its currency (ISO 4217).',
  },
  Rate: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$', description: '0.0475 is 4.75 %.' },
  Currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217.' },
  Date: { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  Instant: {
    type: 'string',
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,6})?Z$',
    description: 'RFC 3339 in UTC.',
  },
  Party: object({ id: idOf('pty'), name: text() }),
  Facility: object({
    id: idOf('fac'),
    name: text(),
    type: text('Such as term_loan or revolver.'),
    currency: ref('Currency'),
    maturityDate: nullable(date),
    sublimitOf: nullable(idOf('fac'), 'The facility that it is carved out of.'),
  }),
  Contract: object({ id: idOf('ctr'), contractNumber: text(), maturityDate: nullable(date) }),
  Amounts: object(AMOUNTS),
  Share: shareOf(AMOUNTS),
  RollForward: object(ROLL_FORWARD),
  RollForwardShare: shareOf(ROLL_FORWARD),
  ClosingShare: shareOf(CLOSING),
  ...ACCRUAL_SCHEMAS,
  Balance: object(
    {
      ...item('balance', 'bal'),
      ...PARTIES,
      ...lines('Amounts', 'Share'),
      status: object(
        {
          deal: oneOf(DEAL_STATUS),
          facility: oneOf(DEAL_STATUS),
          contract: oneOf(CONTRACT_STATUS),
          daysPastDue: integer('Since the oldest unpaid due date.'),
        },
        ['facility', 'contract'],
      ),
      accrual: listOf(ref('Accrual'), 'With expand=accrual.'),
      reporting: ref('Reporting'),
      contracts: listOf(ref('Balance'), 'With expand=contracts.'),
      provenance: provenance(lines('Amounts', 'Share')),
      warnings: listOf(text(), 'Such as negative_outstanding or overadvance.'),
    },
    ['position', 'lenders', 'accrual', 'reporting', 'contracts'],
  ),
  PrincipalBalance: object(
    {
      ...item('principalBalance', 'pri'),
      ...PARTIES,
      ...lines('RollForward', 'RollForwardShare'),
      sinceInception: object({ advanced: money, repaid: money }),
      allInRate: nullable(rate, 'Of a contract.'),
      status: object(
        {
          deal: oneOf(DEAL_STATUS),
          facility: oneOf(DEAL_STATUS),
          contract: oneOf(CONTRACT_STATUS),
        },
        ['facility', 'contract'],
      ),
      movementCount: integer(),
      reversedCount: integer(),
      links: object({ movements: { type: 'string', format: 'uri-reference' } }),
      movements: listOf(ref('PrincipalMovement'), 'With expand=movements: the first 100.'),
      reporting: ref('Reporting'),
      contracts: listOf(ref('PrincipalBalance'), 'With expand=contracts.'),
      provenance: provenance({
        ...CLOSING,
        share: nullable(ref('ClosingShare')),
        lenders: listOf(ref('ClosingShare')),
      }),
      warnings: listOf(text(), 'Such as negative_outstanding or overadvance.'),
    },
    ['position', 'lenders', 'movements', 'reporting', 'contracts'],
  ),
  PrincipalMovement: object({
    object: constant('principalMovement'),
    id: { type: 'string', pattern: '^mov_jrn_[0-9A-Z]{26}_\\d+$' },
    journal: object({
      id: idOf('jrn'),
      type: text('Such as advance or interest_billing.'),
      ledgerSeq: integer(),
      reason: nullable(text()),
      reverses: nullable(idOf('jrn')),
      corrects: nullable(idOf('jrn'), 'The bill that its journal corrects.'),
    }),
    effectiveDate: date,
    postedAt: instant,
    dealId: idOf('deal'),
    facilityId: idOf('fac'),
    contract: nullable(object({ id: idOf('ctr'), contractNumber: nullable(text()) })),
    lender: nullable(ref('Party'), 'Null: globally.'),
    movement: oneOf(PRINCIPAL_MOVEMENTS),
    component: oneOf(['cash', 'pik']),
    amount: money,
    currency: ref('Currency'),
  }),
};
