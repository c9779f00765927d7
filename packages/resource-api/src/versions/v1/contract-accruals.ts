import { DAY_COUNTS } from '../../ledger/day-count.ts';
import type { JsonSchema } from '../openapi.ts';
import { as, idOf, integer, listOf, nullable, object, oneOf, ref, text } from '../schema.ts';

const money = ref('Money');
const moneyOrNull = ref('MoneyOrNull');
const rateOrNull = ref('RateOrNull');
const date = ref('CalendarDate');

/** Amounts in another currency: of an item and of totals alike. */
const REPORTED = {
  principalOutstanding: as(money, 'Outstanding principal, exchanged.'),
  unfunded: as(money, 'Commitment that is not drawn, exchanged.'),
  interestAccrued: as(money, 'Interest that is accrued and not billed, exchanged.'),
};

export const TOTAL = {
  currency: as(ref('Currency'), 'Amounts of different currencies are never added up.'),
  count: integer('How many items were added up.'),
  principalOutstanding: as(money, 'Outstanding principal of all items.'),
  exchangeAdjustment: as(money, 'Revaluation of principal that is owed in other currencies.'),
  obligation: as(money, 'Outstanding principal and exchange adjustment.'),
  unfunded: as(
    money,
    'Commitment that is not drawn. Left out at level contract: commitments are the facility’s.',
  ),
  interestAccrued: as(
    moneyOrNull,
    'Interest that is accrued and not billed; null: too many items accrue to add them up.',
  ),
  feesAccrued: as(
    moneyOrNull,
    'Fees that are accrued and not billed; null: too many items accrue to add them up.',
  ),
};

export const ACCRUAL_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Accrual: object({
    component: oneOf(
      ['interest', 'pik', 'commitment_fee', 'letter_of_credit_fee'],
      'What accrues: cash interest, interest that will be capitalised, or a fee.',
    ),
    facilityId: idOf('fac', 'The facility under which it accrues.'),
    contractId: nullable(idOf('ctr'), 'The loan contract; null: a fee of the facility.'),
    start: as(date, 'The first day that accrues.'),
    end: as(date, 'The day after the last one that accrues.'),
    dayCount: oneOf(DAY_COUNTS, 'How days become a fraction of a year.'),
    amount: as(money, 'The sum of the periods, rounded half away from zero, once.'),
    corrects: nullable(
      object({
        journal: idOf('jrn', 'The journal that billed it.'),
        billed: as(money, 'What it billed.'),
      }),
      'The bill that is corrected: the amount is less what was billed.',
    ),
    periods: listOf(ref('AccrualPeriod'), 'Of one balance and one rate each.'),
  }),
  AccrualPeriod: object({
    start: as(date, 'The first day of the period.'),
    end: as(date, 'The day after its last one.'),
    days: integer('Days by the day count.'),
    balance: as(money, 'What interest or the fee is computed on.'),
    rate: as(ref('Rate'), 'All in: base rate, spread and credit spread adjustment.'),
    baseRateIndex: nullable(text(), 'The reference rate, such as SOFR; null: a fixed rate.'),
    baseRate: as(rateOrNull, 'The reference rate as it was fixed.'),
    spread: as(rateOrNull, 'The margin over the reference rate.'),
    csa: as(rateOrNull, 'The credit spread adjustment.'),
    amount: as(money, 'With twelve decimals, not rounded to the currency.'),
  }),
  Reporting: object({
    currency: as(ref('Currency'), 'The currency that was asked for.'),
    rate: as(ref('Rate'), 'Units of the reporting currency for one of the item’s.'),
    rateDate: as(date, 'The day of the rate: the newest on or before the one asked for.'),
    source: text('Who quoted the rate.'),
    ...REPORTED,
  }),
  ReportingTotal: object({
    currency: as(ref('Currency'), 'The currency that was asked for.'),
    ...REPORTED,
  }),
  Total: object(TOTAL, ['unfunded']),
};
