import type { IdentifiedRecord } from '../record.ts';
import { present } from './read-journals.ts';

const EXTERNAL_IDS = (id: string) =>
  `coalesce((SELECT jsonb_agg(jsonb_build_object('source', x.source, 'value', x.value)
     ORDER BY x.source COLLATE "C", x.value COLLATE "C") FROM external_id x WHERE x.entity_id = ${id}), '[]')`;
const BOOKED_ON = 'CASE WHEN NOT p.follows_journals THEN p.booked_on END AS "bookedOn"';
const REF = (table: string, key: string) => `(SELECT id FROM ${table} WHERE key = ${key})`;

/** Records `p` with the names that they have in a journal file. */
export const SUBJECTS: readonly {
  readonly object: string;
  readonly prefix: string;
  readonly sql: string;
}[] = [
  {
    object: 'party',
    prefix: 'pty',
    sql: `SELECT p.key, p.id, p.name, p.legal_name AS "legalName", p.lei, p.country,
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM party p`,
  },
  {
    object: 'deal',
    prefix: 'deal',
    sql: `SELECT p.key, p.id, p.name, p.deal_number AS "dealNumber",
      ${REF('party', 'p.borrower_key')} AS borrower, ${REF('party', 'p.agent_key')} AS agent,
      ${REF('party', 'p.guarantor_key')} AS guarantor, p.country, p.status,
      p.closing_date AS "closingDate", ${BOOKED_ON},
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM deal p`,
  },
  {
    object: 'facility',
    prefix: 'fac',
    sql: `SELECT p.key, p.id, ${REF('deal', 'p.deal_key')} AS deal, p.name, p.type, p.currency,
      p.day_count AS "dayCount", p.status, p.effective_date AS "effectiveDate",
      p.maturity_date AS "maturityDate", p.availability_end_date AS "availabilityEndDate",
      p.pik_uses_commitment AS "pikUsesCommitment",
      ${REF('facility', 'p.sublimit_of_key')} AS "sublimitOf", ${BOOKED_ON},
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM facility p`,
  },
  {
    object: 'contract',
    prefix: 'ctr',
    sql: `SELECT p.key, p.id, ${REF('facility', 'p.facility_key')} AS facility,
      p.contract_number AS "contractNumber", p.status, p.effective_date AS "effectiveDate",
      p.maturity_date AS "maturityDate", p.all_in_rate::text AS "allInRate",
      ${REF('loan_contract', 'p.rolled_from_key')} AS "rolledFrom", ${BOOKED_ON},
      ${EXTERNAL_IDS('p.id')} AS "externalIds" FROM loan_contract p`,
  },
  {
    object: 'position',
    prefix: 'pos',
    sql: `SELECT p.key, p.id, ${REF('facility', 'p.facility_key')} AS facility,
      ${REF('party', 'p.lender_key')} AS lender, p.kind,
      ${REF('lender_position', 'p.parent_key')} AS parent, ${BOOKED_ON}
      FROM lender_position p`,
  },
];

export type SubjectRow = { readonly key: bigint; readonly id: string } & Record<string, unknown>;

export function subjectOf(object: string, { key: _, ...row }: SubjectRow): IdentifiedRecord {
  return present({ object, ...row });
}
