import { Refusal } from '@cls/shared/http/refusal';
import type { BusinessDate } from '../../ledger/business-date.ts';
import type { BalanceStore, ReportingRate } from './balance-store.ts';

/** Another currency in which amounts are shown besides their own. */
export interface Reporting {
  readonly currency: string;
  /** Day of the rates; the balances' own date when undefined. */
  readonly date: BusinessDate | undefined;
}

export type ReportingRates = ReadonlyMap<string, ReportingRate>;

/** The newest rate on or before the day, for each currency. @throws {Refusal} `fx_rate_missing` */
export async function reportingRates(
  store: BalanceStore,
  { currency: to, date }: Reporting,
  currencies: readonly string[],
  { asOf, lastNumber }: { readonly asOf: BusinessDate; readonly lastNumber: bigint },
): Promise<ReportingRates> {
  const day = date ?? asOf;
  const from = [...new Set(currencies)].filter((currency) => currency !== to);
  const found = await store.fxRates(from, to, day, lastNumber);
  const missing = from.filter((currency) => !found.has(currency));
  if (missing.length > 0) throw rateMissing(missing, to, day);
  return new Map([...found, [to, { rate: '1', date: day, source: '' }]]);
}

function rateMissing(from: readonly string[], to: string, day: string): Refusal {
  return new Refusal({
    status: 422,
    code: 'fx_rate_missing',
    title: 'No exchange rate',
    detail: `There is no rate on or before ${day} from ${from.join(', ')} to ${to}.`,
    errors: [
      {
        parameter: 'reportingCurrency',
        code: 'fx_rate_missing',
        message: 'expected a currency with rates from those of the answer',
        received: to,
      },
    ],
  });
}
