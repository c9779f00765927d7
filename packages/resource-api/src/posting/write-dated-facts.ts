import type { Transaction } from '@cls/shared/sql/database';
import type {
  DetailsRecord,
  JournalRecord,
  RateRecord,
  SettlementRecord,
  TermsRecord,
} from '../journal-file/record.ts';
import { type Column, insertRows, keyOf } from './insert-rows.ts';

type PostedJournal = Pick<
  JournalRecord,
  'effectiveDate' | 'terms' | 'details' | 'rates' | 'settlements'
> & {
  readonly seq: bigint;
};

interface Dated {
  readonly effectiveDate: string;
  readonly seq: bigint;
}

/** Terms, names, rates and settled accruals that became known with journals which are posted already. */
export async function writeDatedFacts(
  transaction: Transaction,
  journals: readonly PostedJournal[],
): Promise<void> {
  const terms = journals.flatMap(({ terms: changes, effectiveDate, seq }) =>
    changes.map((change) => ({ change, effectiveDate, seq })),
  );
  for (const [kind, { table, columns }] of Object.entries(TERMS)) {
    const some = terms.filter(({ change }) => kind in change);
    await insertRows(transaction, table, columns, some);
  }
  const details = journals.flatMap(({ details: changes = [], effectiveDate, seq }) =>
    changes.map((change) => ({ change, effectiveDate, seq })),
  );
  for (const [kind, { table, columns }] of Object.entries(DETAILS)) {
    const some = details.filter(({ change }) => kind in change);
    await insertRows(transaction, table, columns, some);
  }
  const rates = journals.flatMap(({ rates: steps, effectiveDate, seq }) =>
    steps.map((step) => ({ ...step, effectiveDate, seq })),
  );
  await insertRows(transaction, 'rate_period', RATE, rates);
  const settlements = journals.flatMap(({ settlements: settled, effectiveDate, seq }) =>
    settled.map((one) => ({ ...one, effectiveDate, seq })),
  );
  await insertRows(transaction, 'accrual_settlement', SETTLEMENT, settlements);
}

const knownSeq: Column<Dated> = { name: 'known_seq', type: 'bigint', value: ({ seq }) => seq };
const effectiveDate: Column<Dated> = {
  name: 'effective_date',
  type: 'date',
  value: ({ effectiveDate: day }) => day,
};

interface DatedTerms extends Dated {
  readonly change: TermsRecord | DetailsRecord;
}
const term = (name: string, field: string, type = 'text'): Column<DatedTerms> => ({
  name,
  type,
  value: ({ change }) => (change as Record<string, string | undefined>)[field] ?? null,
});
const subject = (name: string, field: string, table: string): Column<DatedTerms> => ({
  ...term(name, field),
  sql: keyOf(table, name),
});
const dealOf = (field: string, table: string): Column<DatedTerms> => ({
  ...term('deal_key', field),
  sql: `(SELECT deal_key FROM ${table} WHERE id = g.deal_key)`,
});

const TERMS: Readonly<Record<string, { table: string; columns: readonly Column<DatedTerms>[] }>> = {
  deal: {
    table: 'deal_terms',
    columns: [
      subject('deal_key', 'deal', 'deal'),
      effectiveDate,
      knownSeq,
      term('status', 'status'),
    ],
  },
  facility: {
    table: 'facility_terms',
    columns: [
      subject('facility_key', 'facility', 'facility'),
      dealOf('facility', 'facility'),
      effectiveDate,
      knownSeq,
      term('status', 'status'),
      term('maturity_date', 'maturityDate', 'date'),
      term('availability_end_date', 'availabilityEndDate', 'date'),
    ],
  },
  contract: {
    table: 'contract_terms',
    columns: [
      subject('contract_key', 'contract', 'loan_contract'),
      dealOf('contract', 'loan_contract'),
      effectiveDate,
      knownSeq,
      term('status', 'status'),
      term('maturity_date', 'maturityDate', 'date'),
      term('all_in_rate', 'allInRate', 'numeric'),
    ],
  },
};

const DETAILS: typeof TERMS = {
  deal: {
    table: 'deal_details',
    columns: [
      subject('deal_key', 'deal', 'deal'),
      effectiveDate,
      knownSeq,
      term('name', 'name'),
      subject('borrower_key', 'borrower', 'party'),
      subject('guarantor_key', 'guarantor', 'party'),
      term('country', 'country'),
    ],
  },
  facility: {
    table: 'facility_details',
    columns: [
      subject('facility_key', 'facility', 'facility'),
      dealOf('facility', 'facility'),
      effectiveDate,
      knownSeq,
      term('name', 'name'),
    ],
  },
  party: {
    table: 'party_details',
    columns: [
      subject('party_key', 'party', 'party'),
      effectiveDate,
      knownSeq,
      term('name', 'name'),
    ],
  },
};

interface AccrualSubject extends Dated {
  readonly facility: string;
  readonly contract?: string | undefined;
  readonly component: string;
}
const ACCRUAL_SUBJECT: readonly Column<AccrualSubject>[] = [
  {
    name: 'facility_key',
    type: 'text',
    value: ({ facility }) => facility,
    sql: keyOf('facility', 'facility_key'),
  },
  {
    name: 'contract_key',
    type: 'text',
    value: ({ contract }) => contract ?? null,
    sql: `coalesce(${keyOf('loan_contract', 'contract_key')}, 0)`,
  },
  {
    name: 'deal_key',
    type: 'text',
    value: ({ facility }) => facility,
    sql: '(SELECT deal_key FROM facility WHERE id = g.deal_key)',
  },
  {
    name: 'component',
    type: 'text',
    value: ({ component }) => component,
    sql: 'g.component::accrual_component',
  },
  knownSeq,
];
const fraction = (
  name: string,
  value: (step: RateRecord) => string | undefined,
): Column<RateRecord & Dated> => ({ name, type: 'numeric', value: (step) => value(step) ?? null });
const RATE: readonly Column<RateRecord & Dated>[] = [
  ...ACCRUAL_SUBJECT,
  { name: 'start_date', type: 'date', value: ({ startDate }) => startDate },
  fraction('all_in_rate', ({ allInRate }) => allInRate),
  { name: 'base_rate_index', type: 'text', value: ({ baseRateIndex }) => baseRateIndex ?? null },
  fraction('base_rate', ({ baseRate }) => baseRate),
  fraction('spread', ({ spread }) => spread),
  fraction('csa', ({ csa }) => csa),
];
const SETTLEMENT: readonly Column<SettlementRecord & Dated>[] = [
  ...ACCRUAL_SUBJECT,
  effectiveDate,
  { name: 'settled_through', type: 'date', value: ({ settledThrough }) => settledThrough },
];
