import type {
  ContractRecord,
  DealRecord,
  FacilityRecord,
  FxRateRecord,
  PartyRecord,
  PositionRecord,
} from '../journal-file/record.ts';
import { type Column, keyOf } from './insert-rows.ts';

const text = <R>(name: string, value: (record: R) => string | undefined): Column<R> => ({
  name,
  type: 'text',
  value: (record) => value(record) ?? null,
});
const day = <R>(name: string, value: (record: R) => string | undefined): Column<R> => ({
  ...text(name, value),
  type: 'date',
});
const ref = <R>(
  name: string,
  table: string,
  value: (record: R) => string | undefined,
): Column<R> => ({ ...text(name, value), sql: keyOf(table, name) });
/** What a record inherits from its facility. */
const inherited = <R>(name: string, column: string, value: (record: R) => string): Column<R> => ({
  ...text(name, value),
  sql: `(SELECT ${column} FROM facility WHERE id = g.${name})`,
});

export const PARTY: readonly Column<PartyRecord>[] = [
  text('id', ({ id }) => id),
  text('name', ({ name }) => name),
  text('legal_name', ({ legalName }) => legalName),
  text('lei', ({ lei }) => lei),
  text('country', ({ country }) => country),
];
export const DEAL: readonly Column<DealRecord>[] = [
  text('id', ({ id }) => id),
  text('name', ({ name }) => name),
  text('deal_number', ({ dealNumber }) => dealNumber),
  ref('borrower_key', 'party', ({ borrower }) => borrower),
  ref('agent_key', 'party', ({ agent }) => agent),
  ref('guarantor_key', 'party', ({ guarantor }) => guarantor),
  text('country', ({ country }) => country),
  text('status', ({ status }) => status),
  day('closing_date', ({ closingDate }) => closingDate),
];
export const FACILITY: readonly Column<FacilityRecord>[] = [
  text('id', ({ id }) => id),
  ref('deal_key', 'deal', ({ deal }) => deal),
  text('name', ({ name }) => name),
  text('type', ({ type }) => type),
  text('currency', ({ currency }) => currency),
  text('day_count', ({ dayCount }) => dayCount),
  text('status', ({ status }) => status),
  day('effective_date', ({ effectiveDate }) => effectiveDate),
  day('maturity_date', ({ maturityDate }) => maturityDate),
  day('availability_end_date', ({ availabilityEndDate }) => availabilityEndDate),
  {
    name: 'pik_uses_commitment',
    type: 'boolean',
    value: ({ pikUsesCommitment }) => pikUsesCommitment,
  },
  ref('sublimit_of_key', 'facility', ({ sublimitOf }) => sublimitOf),
];
export const CONTRACT: readonly Column<ContractRecord>[] = [
  text('id', ({ id }) => id),
  ref('facility_key', 'facility', ({ facility }) => facility),
  inherited('deal_key', 'deal_key', ({ facility }) => facility),
  inherited('currency', 'currency', ({ facility }) => facility),
  text('contract_number', ({ contractNumber }) => contractNumber),
  text('status', ({ status }) => status),
  day('effective_date', ({ effectiveDate }) => effectiveDate),
  day('maturity_date', ({ maturityDate }) => maturityDate),
  { ...text('all_in_rate', ({ allInRate }) => allInRate), type: 'numeric' },
];
export const POSITION: readonly Column<PositionRecord>[] = [
  text('id', ({ id }) => id),
  ref('facility_key', 'facility', ({ facility }) => facility),
  inherited('deal_key', 'deal_key', ({ facility }) => facility),
  ref('lender_key', 'party', ({ lender }) => lender),
  text('kind', ({ kind }) => kind),
];
export const FX_RATE: readonly Column<FxRateRecord>[] = [
  day('rate_date', ({ date }) => date),
  text('from_currency', ({ from }) => from),
  text('to_currency', ({ to }) => to),
  { ...text('rate', ({ rate }) => rate), type: 'numeric' },
  text('source', ({ source }) => source),
];
export const EXTERNAL_ID: readonly Column<{ id: string; source: string; value: string }>[] = [
  text('source', ({ source }) => source),
  text('value', ({ value }) => value),
  text('entity_id', ({ id }) => id),
];
