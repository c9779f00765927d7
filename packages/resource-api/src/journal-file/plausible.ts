import { type BusinessDate, monthsAfter } from '../ledger/business-date.ts';
import { parseRate, RATE_DECIMALS } from '../ledger/rate.ts';
import { fault, type RecordFault } from './check-journal.ts';
import type { Described } from './journal-store.ts';
import type { BookRecord, JournalRecord } from './record.ts';

const YEARS_BACK = 50;
/** 100 % a year. */
const RATE_PLAUSIBLE = 10n ** BigInt(RATE_DECIMALS);
const RATES = ['allInRate', 'baseRate', 'spread', 'csa'] as const;

type Describe = (id: string) => Described | undefined;

/** Dates of a record that cannot be, whatever was agreed: pure. */
export function checkDates(record: BookRecord, described: Describe): readonly RecordFault[] {
  if (record.object === 'facility' || record.object === 'contract') {
    return endsBeforeStart(record, record.effectiveDate);
  }
  if (record.object !== 'journal') return [];
  return record.terms.flatMap((terms, index) => {
    if ('deal' in terms) return [];
    const subject = described('facility' in terms ? terms.facility : terms.contract);
    const start = subject && 'effectiveDate' in subject ? subject.effectiveDate : undefined;
    return endsBeforeStart(terms, start, `terms.${index}.`);
  });
}

function endsBeforeStart(
  ends: {
    readonly maturityDate?: string | undefined;
    readonly availabilityEndDate?: string | undefined;
  },
  start: string | undefined,
  place = '',
): readonly RecordFault[] {
  return (['maturityDate', 'availabilityEndDate'] as const).flatMap((field) => {
    const end = ends[field];
    if (end === undefined || start === undefined || end >= start) return [];
    const message = `expected ${start}, the effective date, or a later day`;
    return [fault(`${place}${field}`, 'ends_before_start', message)];
  });
}

/** What may be meant, and is more likely a slip: pure. */
export function implausible(
  record: BookRecord,
  today: BusinessDate,
  described: Describe,
): readonly RecordFault[] {
  switch (record.object) {
    case 'contract':
      return implausibleRates(record);
    case 'journal':
      return [
        ...implausibleDate(record, today, described),
        ...record.terms.flatMap((one, index) =>
          'contract' in one ? implausibleRates(one, `terms.${index}.`) : [],
        ),
        ...record.rates.flatMap((one, index) => implausibleRates(one, `rates.${index}.`)),
      ];
    default:
      return [];
  }
}

/** A loan that was made long ago says so by its closing date. */
function implausibleDate(
  { deal, effectiveDate }: JournalRecord,
  today: BusinessDate,
  described: Describe,
): readonly RecordFault[] {
  const found = described(deal);
  const closing = found?.kind === 'deal' ? found.closingDate : undefined;
  const first =
    closing === undefined
      ? monthsAfter(today, -12 * YEARS_BACK)
      : monthsAfter(closing as BusinessDate, -12);
  const last = monthsAfter(today, 12);
  if (effectiveDate < first) {
    const why =
      closing === undefined ? `${YEARS_BACK} years ago` : `a year before the closing of the deal`;
    const message = `expected ${first}, ${why}, or a later day`;
    return [fault('effectiveDate', 'implausible_date', message)];
  }
  if (effectiveDate <= last) return [];
  return [
    fault('effectiveDate', 'implausible_date', `expected ${last}, a year from now, or before`),
  ];
}

function implausibleRates(
  record: { readonly [name in (typeof RATES)[number]]?: string | undefined },
  place = '',
): readonly RecordFault[] {
  return RATES.flatMap((field) => {
    const rate = parseRate(record[field] ?? '0') ?? 0n;
    if (rate <= RATE_PLAUSIBLE && rate >= -RATE_PLAUSIBLE) return [];
    const percent = Number((rate * 100n) / RATE_PLAUSIBLE);
    const message = `expected a fraction of 1 at most, such as 0.05 for 5 %: this is ${percent} %`;
    return [fault(`${place}${field}`, 'implausible_rate', message)];
  });
}
