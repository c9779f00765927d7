import { DAY_COUNTS } from '../../ledger/day-count.ts';
import type { JsonSchema } from '../openapi.ts';
import { as, idOf, integer, listOf, nullable, object, oneOf, ref, text } from '../schema.ts';

const money = ref('Money');
const date = ref('Date');

/** Amounts in another currency: of an item and of totals alike. */
const REPORTED = { principalOutstanding: money, unfunded: money, interestAccrued: money };

export const TOTAL = {
  currency: ref('Currency'),
  count: integer(),
  principalOutstanding: money,
  exchangeAdjustment: money,
  obligation: money,
  unfunded: as(money, 'Left out at level contract: commitments are the facility’s.'),
  interestAccrued: nullable(money, 'Null: too many items accrue to add them up.'),
  feesAccrued: nullable(money, 'Null: too many items accrue to add them up.'),
};

export const ACCRUAL_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Accrual: object({
    component: oneOf(['interest', 'pik', 'commitment_fee', 'letter_of_credit_fee']),
    facilityId: idOf('fac'),
    contractId: nullable(idOf('ctr')),
    start: date,
    end: as(date, 'Exclusive.'),
    dayCount: oneOf(DAY_COUNTS),
    amount: as(money, 'The sum of the periods, rounded half up, once.'),
    corrects: nullable(
      object({ journal: idOf('jrn'), billed: money }),
      'The bill that is corrected: the amount is less what was billed.',
    ),
    periods: listOf(ref('AccrualPeriod')),
  }),
  AccrualPeriod: object({
    start: date,
    end: as(date, 'Exclusive.'),
    days: integer(),
    balance: money,
    rate: as(ref('Rate'), 'All in.'),
    baseRateIndex: nullable(text()),
    baseRate: nullable(ref('Rate')),
    spread: nullable(ref('Rate')),
    csa: nullable(ref('Rate'), 'Credit spread adjustment.'),
    amount: as(money, 'With twelve decimals, not rounded to the currency.'),
  }),
  Reporting: object({
    currency: ref('Currency'),
    rate: as(ref('Rate'), 'Units of the reporting currency for one of the item’s.'),
    rateDate: date,
    source: text('Who quoted the rate.'),
    ...REPORTED,
  }),
  ReportingTotal: object({ currency: ref('Currency'), ...REPORTED }),
  Total: object(TOTAL, ['unfunded']),
};
