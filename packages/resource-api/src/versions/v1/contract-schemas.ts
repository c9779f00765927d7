/** v1's shapes as its contract says them, member by member in the order of present*.ts. */

import { PRINCIPAL_MOVEMENTS } from '../../ledger/journal.ts';
import { LEVELS } from '../../questions/ask/balance-store.ts';
import type { JsonSchema } from '../openapi.ts';
import {
  as,
  constant,
  flag,
  idOf,
  integer,
  listOf,
  matching,
  nullable,
  object,
  oneOf,
  ref,
  text,
} from '../schema.ts';
import { ACCRUAL_SCHEMAS } from './contract-accruals.ts';

const money = ref('Money');
const date = ref('CalendarDate');
const dateOrNull = ref('CalendarDateOrNull');
const instant = ref('Instant');
const instantOrNull = ref('InstantOrNull');
const rate = ref('Rate');
const rateOrNull = ref('RateOrNull');

export const DEAL_STATUS = ['pending', 'active', 'matured', 'terminated'];
const CONTRACT_STATUS = ['pending', 'active', 'repaid', 'written_off'];

const AMOUNTS = {
  commitment: as(
    object({
      original: as(money, 'What the lenders committed at first.'),
      cancelled: as(money, 'Commitment given up or expired.'),
      current: as(money, 'Funded, letters of credit, used under sublimits, and unfunded.'),
      funded: as(
        money,
        'Principal drawn: in cash, and capitalised where that uses the commitment.',
      ),
      unfunded: as(money, 'Committed and not drawn: of it, some may be unavailable.'),
      available: as(
        money,
        'May be drawn now: nothing after the availability period or maturity. Globally never below zero; of a lender that funds more than its commitment it is, so that lenders add up.',
      ),
      unavailable: as(money, 'Unfunded, and blocked from drawing.'),
      letterOfCredit: as(money, 'Letters of credit issued under the commitment.'),
      sublimitUsed: as(money, 'Drawn under the facility’s sublimits.'),
    }),
    'What the lenders are bound to lend.',
  ),
  principal: as(
    object({
      outstanding: as(money, 'Cash and capitalised principal that is owed.'),
      cash: as(money, 'Principal advanced in cash.'),
      pikCapitalized: as(
        money,
        'Interest that was capitalised (payment in kind), and capitalised fees.',
      ),
      due: as(
        money,
        'Principal that was billed and is not paid; from the day after maturity, all that is outstanding.',
      ),
      pastDue: as(money, 'The part of the amount due whose due date has passed.'),
      exchangeAdjustment: as(money, 'Revaluation of what is owed in other currencies.'),
      obligation: as(money, 'Outstanding and exchange adjustment: what is owed.'),
    }),
    'The money that was lent.',
  ),
  interest: as(
    object({
      accrued: as(money, 'Cash interest that is not billed yet, to the end of the date.'),
      pikAccrued: as(money, 'Interest that will be capitalised, not billed yet.'),
      due: as(money, 'Interest that was billed and is not paid.'),
      pastDue: as(money, 'The part of the amount due whose due date has passed.'),
    }),
    'Interest by the day, and as it was billed.',
  ),
  fees: as(
    object({
      accrued: as(money, 'Commitment and letter-of-credit fees that are not billed yet.'),
      due: as(money, 'Fees that were billed and are not paid.'),
      pastDue: as(money, 'The part of the amount due whose due date has passed.'),
    }),
    'Commitment and letter-of-credit fees.',
  ),
  total: as(
    object({
      outstanding: as(money, 'Principal, interest and fees that are owed.'),
      pastDue: as(money, 'Principal, interest and fees that are past due.'),
    }),
    'Everything that is owed.',
  ),
};

export const ROLL_FORWARD = {
  opening: as(money, 'Principal at the end of the day before the period.'),
  movements: as(
    object({
      advances: as(money, 'Principal that was lent.'),
      scheduledRepayments: as(money, 'Repaid as agreed; negative.'),
      voluntaryPrepayments: as(money, 'Repaid early by the borrower’s choice; negative.'),
      mandatoryPrepayments: as(money, 'Repaid early because the agreement asks for it; negative.'),
      pikCapitalized: as(money, 'Interest that became principal (payment in kind).'),
      feesCapitalized: as(money, 'Fees that became principal.'),
      writeOffs: as(money, 'Principal that was given up; negative.'),
      rollovers: as(money, 'From one loan contract to the next: zero per facility.'),
      transfers: as(money, 'From one lender to another: zero globally.'),
      adjustments: as(money, 'Corrections that are none of the others.'),
    }),
    'Changes of principal in the period. A reversal stands under what it takes back.',
  ),
  closing: as(money, 'Opening and movements: principal at the end of the period.'),
  exchangeAdjustment: as(money, 'Revaluation of what is owed in other currencies.'),
  obligation: as(money, 'Closing and exchange adjustment: what is owed.'),
};

export const PARTIES = {
  deal: as(
    object({
      id: idOf('deal', 'The id of the deal.'),
      name: text('The name at the date.'),
      dealNumber: text('The number that the agent gave it.'),
    }),
    'The credit agreement that the item belongs to.',
  ),
  facility: nullable(ref('Facility'), 'The facility of the item; null at level deal.'),
  contract: nullable(ref('Contract'), 'The loan contract; null at every other level.'),
  position: as(
    object({
      id: idOf('pos', 'The id of the position.'),
      kind: oneOf(
        ['assignment', 'participation'],
        'Lender of record by assignment, or behind one by participation.',
      ),
    }),
    'One lender’s part of the facility; at level position alone.',
  ),
  borrower: as(
    object({
      id: idOf('pty', 'The id of the borrower.'),
      name: text('The name at the date.'),
      country: text('Two characters, such as IN: ISO 3166 where the country has a code there.'),
    }),
    'Who owes the amounts.',
  ),
  currency: as(
    ref('Currency'),
    'The currency of all amounts of the item, unless they say otherwise.',
  ),
};

/** A line of amounts for everybody, and one for each lender that the caller may see. */
function lines(amounts: string, share: string): Record<string, JsonSchema> {
  return {
    global: as(ref(amounts), 'The amounts of all lenders together.'),
    share: nullable(
      ref(share),
      'The share of the caller, of the position, or of the one lender asked for; otherwise null.',
    ),
    lenders: listOf(
      ref(share),
      'Every lender’s share that the caller may see. All shares add up to the global amount. Absent at level position, where `share` is the one of the position.',
    ),
  };
}

function shareOf(amounts: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return object({
    lender: as(ref('Party'), 'Whose share it is.'),
    fraction: nullable(
      matching('^-?\\d+\\.\\d{12}$'),
      'The share of the commitment, cut at twelve decimals; null: nothing is committed.',
    ),
    ...amounts,
  });
}

function provenance(restated: Record<string, JsonSchema>): JsonSchema {
  return object({
    lastEffectiveDate: as(
      dateOrNull,
      'The newest effective date of its postings; null: nothing was posted to it yet.',
    ),
    lastPostedAt: as(instantOrNull, 'When its newest posting was recorded.'),
    ledgerSeq: integer('The newest journal that the item depends on.'),
    restated: flag('Whether something else was reported of the same date before.'),
    restatedFrom: nullable(
      object({ knownAt: as(instant, 'When that was known.'), ...restated }, ['lenders']),
      'What was reported of the same date before, with the names of the lenders as they were known then.',
    ),
  });
}

const item = (kind: string, id: string) => ({
  object: constant(kind),
  id: matching(
    `^${id}_(deal|fac|ctr|pos)_[0-9A-Z]{26}(_[A-Z]{3})?$`,
    'The id of the item: the same on every date.',
  ),
  level: oneOf(LEVELS, 'What the item is a balance of.'),
});
const CLOSING = { closing: as(money, 'Principal at the end of the period.') };
const STATUS = {
  deal: oneOf(DEAL_STATUS, 'The status of the deal at the date.'),
  facility: oneOf(DEAL_STATUS, 'The status of the facility at the date.'),
  contract: oneOf(CONTRACT_STATUS, 'The status of the loan contract at the date.'),
};

const FROM = 'What the item was computed from.';
const WARNINGS =
  'Such as `negative_outstanding`: more was repaid than was owed; `overadvance`: drawn beyond the commitment; `lender_beyond_commitment`: a lender funds more than its commitment; `past_maturity`: matured and not repaid. Real books hold such balances, and they are not hidden.';

const DECIMAL = '^-?\\d+(\\.\\d+)?$';
/** Simple values: each is written as a text. */
const SIMPLE = {
  Money: matching(DECIMAL, 'A decimal with exactly the digits of its currency (ISO 4217).'),
  Rate: matching(DECIMAL, 'A fraction of one: `0.0475` is 4.75 %.'),
  Currency: matching('^[A-Z]{3}$', 'A code of ISO 4217.'),
  CalendarDate: {
    type: 'string',
    format: 'date',
    description: 'A day of the calendar, such as `2025-03-31`.',
  },
  Instant: {
    type: 'string',
    format: 'date-time',
    description: 'RFC 3339 in UTC, to the microsecond.',
  },
} satisfies Readonly<Record<string, JsonSchema>>;

/** Simple values for members that may be null. */
const OR_NULL: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  (['Money', 'Rate', 'CalendarDate', 'Instant'] as const).map((name) => [
    `${name}OrNull`,
    nullable(SIMPLE[name]),
  ]),
);

const INTEREST_RATE = {
  allIn: as(rate, 'What interest accrues by.'),
  base: as(rateOrNull, 'The base rate in it.'),
  margin: as(rateOrNull, 'The spread over the base rate.'),
  adjustment: as(rateOrNull, 'The credit spread adjustment in it.'),
  index: nullable(text(), 'Which base rate it is, such as SOFR.'),
  since: as(date, 'From when on it holds.'),
};

export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...SIMPLE,
  ...OR_NULL,
  Party: object({
    id: idOf('pty', 'The id of the party.'),
    name: text('The name at the date.'),
  }),
  Facility: object({
    id: idOf('fac', 'The id of the facility.'),
    name: text('The name at the date.'),
    type: text('Such as `term_loan` or `revolver`.'),
    currency: as(ref('Currency'), 'In which the lenders committed.'),
    maturityDate: as(dateOrNull, 'When it must be repaid; null: no such day is known.'),
    sublimitOf: nullable(idOf('fac'), 'The facility that it is carved out of.'),
  }),
  Contract: object({
    id: idOf('ctr', 'The id of the loan contract.'),
    contractNumber: text('The number that the agent gave it.'),
    maturityDate: as(dateOrNull, 'When it must be repaid; null: no such day is known.'),
  }),
  Amounts: object(AMOUNTS),
  Share: shareOf(AMOUNTS),
  RollForward: object(ROLL_FORWARD),
  RollForwardShare: shareOf(ROLL_FORWARD),
  ClosingShare: shareOf(CLOSING),
  ...ACCRUAL_SCHEMAS,
  Terms: object({
    agent: as(ref('Party'), 'Who keeps the register for the lenders.'),
    effectiveDate: as(dateOrNull, 'From when on it is in force; of a deal, when it was signed.'),
    nextPaymentDate: as(
      dateOrNull,
      'The next day on which something that was billed is due; null: nothing is billed for later.',
    ),
    dayCount: nullable(text(), 'How days are counted, such as ACT/360; null of a deal.'),
    rate: nullable(
      object(INTEREST_RATE),
      'Of a contract at the date; null where the book has no rate.',
    ),
    allInRate: as(
      rateOrNull,
      'The interest rate that a statement or the terms state for the loan contract; null at other levels.',
    ),
    positions: listOf(
      object({
        id: idOf('pos', 'Of the position.'),
        facilityId: idOf('fac', 'The facility that it is in.'),
        lender: as(ref('Party'), 'Who holds it.'),
        kind: oneOf(
          ['assignment', 'participation'],
          'Whether the lender is one of record, or takes part in the share of one.',
        ),
      }),
      'Those that the caller may see.',
    ),
  }),
  Balance: object(
    {
      ...item('balance', 'bal'),
      ...PARTIES,
      ...lines('Amounts', 'Share'),
      status: as(
        object(
          {
            ...STATUS,
            daysPastDue: integer('Since the oldest unpaid due date; a maturity is one.'),
          },
          ['facility', 'contract'],
        ),
        'At the date.',
      ),
      accrual: listOf(
        ref('Accrual'),
        'With `expand=accrual`: how each accrued amount comes about.',
      ),
      terms: as(ref('Terms'), 'With expand=terms.'),
      rates: listOf(
        object(INTEREST_RATE),
        'With `expand=rates`: the interest rates of a contract until the date, the oldest first.',
      ),
      reporting: as(ref('Reporting'), 'With `reportingCurrency`: amounts in that currency.'),
      contracts: listOf(ref('Balance'), 'With `expand=contracts`: the loan contracts of the item.'),
      provenance: as(provenance(lines('Amounts', 'Share')), FROM),
      warnings: listOf(text(), WARNINGS),
      compared: nullable(
        ref('BalanceFields'),
        'With `compareAsOf` or `compareKnownAt`: the same item at the other time, whatever the filters would find then; null: it was not there.',
      ),
    },
    ['position', 'lenders', 'accrual', 'terms', 'rates', 'reporting', 'contracts', 'compared'],
  ),
  PrincipalBalance: object(
    {
      ...item('principalBalance', 'pri'),
      ...PARTIES,
      ...lines('RollForward', 'RollForwardShare'),
      sinceInception: as(
        object({
          advanced: as(money, 'All principal that was ever lent.'),
          repaid: as(money, 'All principal that was ever repaid; negative.'),
        }),
        'Whatever the period is.',
      ),
      allInRate: as(rateOrNull, 'The interest rate of the loan contract; null at other levels.'),
      status: as(object(STATUS, ['facility', 'contract']), 'At the date.'),
      movementCount: integer(
        'Postings of principal in the period; at level position, of the whole facility.',
      ),
      reversedCount: integer('How many of them reverse others.'),
      links: as(
        object({
          movements: {
            type: 'string',
            format: 'uri-reference',
            description: 'The postings behind the numbers, as they were known for this answer.',
          },
        }),
        'Where to read on.',
      ),
      movements: listOf(
        ref('PrincipalMovement'),
        'With `expand=movements`: the first 100 postings behind the numbers.',
      ),
      reporting: as(ref('Reporting'), 'With `reportingCurrency`: amounts in that currency.'),
      contracts: listOf(
        ref('PrincipalBalance'),
        'With `expand=contracts`: the loan contracts of the item.',
      ),
      provenance: as(
        provenance({
          ...CLOSING,
          share: nullable(ref('ClosingShare'), 'As it was reported.'),
          lenders: listOf(ref('ClosingShare'), 'As they were reported.'),
        }),
        FROM,
      ),
      warnings: listOf(text(), WARNINGS),
    },
    ['position', 'lenders', 'movements', 'reporting', 'contracts'],
  ),
  PrincipalMovement: object({
    object: constant('principalMovement'),
    id: matching('^mov_jrn_[0-9A-Z]{26}_\\d+$', 'The id of the posting: it never changes.'),
    journal: as(
      object({
        id: idOf('jrn', 'The id of the journal.'),
        type: text('Such as `advance` or `interest_billing`.'),
        ledgerSeq: integer('Its place in the ledger.'),
        reason: nullable(text(), 'Why it was posted, where the agent said so.'),
        reverses: nullable(idOf('jrn'), 'The journal that it takes back.'),
        corrects: nullable(idOf('jrn'), 'The bill that its journal corrects.'),
      }),
      'The event of the deal that the posting belongs to.',
    ),
    effectiveDate: as(date, 'The day from which the event is true.'),
    postedAt: as(instant, 'When it was recorded.'),
    dealId: idOf('deal', 'The deal.'),
    facilityId: idOf('fac', 'The facility.'),
    contract: nullable(
      object({
        id: idOf('ctr', 'The id of the loan contract.'),
        contractNumber: nullable(text(), 'The number that the agent gave it.'),
      }),
      'The loan contract; null: of the facility as a whole.',
    ),
    lender: nullable(ref('Party'), 'Whose share was posted; null: the global amount.'),
    movement: oneOf(PRINCIPAL_MOVEMENTS, 'What kind of change of principal it is.'),
    component: oneOf(['cash', 'pik'], 'Principal that was lent in cash, or capitalised interest.'),
    amount: as(money, 'What principal changed by: positive where more is owed.'),
    currency: as(ref('Currency'), 'The currency of the amount.'),
    postedBy: nullable(
      text(),
      'Who made the journal, where the agent said so: told to the agent of the deal, and to callers with full control.',
    ),
  }),
};
