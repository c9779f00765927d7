import { groupBy } from '@cls/shared/group-by';
import type { Sql } from '@cls/shared/sql/database';
import { BY_LOOKUP, NOW, sinceOf, stands } from '../../questions/ask/sql/balance-levels.ts';
import type { StatementFile } from '../book.ts';
import type {
  KnownCommitment,
  KnownDeal,
  KnownDrawing,
  KnownFacility,
  KnownPrincipal,
} from '../plan/known-deal.ts';
import type { Legs } from '../statement/legs.ts';

export async function knownDeals(
  sql: Sql,
  { profile: { source }, asOf }: StatementFile,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, KnownDeal>> {
  const records = await sql.query<RecordRow>(RECORDS, [source, asOf, numbers]);
  if (records.length === 0) return new Map();
  const keys = [...new Set(records.map(({ dealKey }) => dealKey))];
  const amounts = await sql.query<AmountRow>(AMOUNTS, [keys, asOf]);
  const lines = groupBy(amounts, ({ facilityKey, contractKey }) => `${facilityKey} ${contractKey}`);
  const positions = await sql.query<Position & { facilityKey: bigint }>(
    `SELECT p.facility_key AS "facilityKey", y.id AS lender, p.kind
     FROM lender_position p JOIN party y ON y.key = p.lender_key WHERE p.deal_key = ANY($1)`,
    [keys],
  );
  const lenders = groupBy(positions, ({ facilityKey }) => facilityKey);
  const deals = groupBy(records, ({ number }) => number);
  return new Map([...deals].map(([number, rows]) => [number, dealOf(rows, lines, lenders)]));
}

/** A drawing with its facility and deal; a facility without drawings has nulls, and so has a deal without facilities. */
interface RecordRow {
  readonly number: string;
  readonly dealKey: bigint;
  readonly facilityKey: bigint | null;
  readonly contractKey: bigint | null;
  readonly present: boolean;
  readonly deal: Omit<KnownDeal, 'facilities' | 'present'>;
  readonly facility: Omit<KnownFacility, 'lenders' | 'participants' | 'commitment' | 'drawings'>;
  readonly drawing: Omit<KnownDrawing, 'money'>;
}

type Amount = keyof KnownCommitment | keyof KnownPrincipal;
interface AmountRow extends Readonly<Record<Amount, bigint>> {
  readonly facilityKey: bigint;
  readonly contractKey: bigint;
  readonly lender: string;
}

const COMMITMENT = ['original', 'cancelled', 'unfunded'] as const;
const PRINCIPAL = [
  ...(['disbursed', 'repaid', 'transferred', 'due'] as const),
  ...(['billed', 'exchangeAdjustment'] as const),
];

type Lines = ReadonlyMap<string, readonly AmountRow[]>;
type Position = { readonly lender: string; readonly kind: string };
type Lenders = ReadonlyMap<bigint | null, readonly Position[]>;

function dealOf(rows: readonly RecordRow[], lines: Lines, lenders: Lenders): KnownDeal {
  const [first] = rows as [RecordRow];
  const some = rows.filter(({ facilityKey }) => facilityKey !== null);
  const facilities = groupBy(some, ({ facilityKey }) => facilityKey);
  return {
    ...first.deal,
    present: first.present,
    facilities: [...facilities].map(([key, drawings]): KnownFacility => {
      const [{ facility }] = drawings as [RecordRow];
      const holders = lenders.get(key) ?? [];
      const commitment = legsOf(lines.get(`${key} 0`), COMMITMENT);
      const participants = holders.filter(
        ({ lender, kind }) => kind === 'participation' && !commitment.original.has(lender),
      );
      return {
        ...facility,
        present: first.present && facility.present,
        lenders: holders.map(({ lender }) => lender),
        participants: participants.map(({ lender }) => lender),
        commitment,
        drawings: drawings
          .filter(({ contractKey }) => contractKey !== null)
          .map(({ drawing, contractKey }) => ({
            ...drawing,
            present: first.present && drawing.present,
            money: legsOf(lines.get(`${key} ${contractKey}`), PRINCIPAL),
          })),
      };
    }),
  };
}

function legsOf<Name extends Amount>(lines: readonly AmountRow[] = [], names: readonly Name[]) {
  const legs = (name: Name): Legs =>
    new Map(lines.flatMap((line) => (line[name] === 0n ? [] : [[line.lender, line[name]]])));
  return Object.fromEntries(names.map((name) => [name, legs(name)])) as Record<Name, Legs>;
}

/** A party by its key: its name at the date, and what statements of the source call it. */
const PARTY = (
  key: string,
) => `(SELECT jsonb_build_object('id', y.id, 'name', party_name(y.key, $2),
    'country', y.country, 'refs', coalesce((SELECT jsonb_agg(r.value)
      FROM (SELECT * FROM external_id WHERE entity_id = y.id ${BY_LOOKUP}) r
      WHERE r.source = $1), '[]'))
  FROM party y WHERE y.key = ${key})`;

/** What is true of a record at the date, as far as it is known. */
const newest = (table: string, which: string) => `LEFT JOIN LATERAL (SELECT * FROM ${table} t
    WHERE ${which} AND t.effective_date <= $2 AND ${stands('t.known_seq', NOW)}
    ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1)`;

/** Records follow their deal, also where the import that booked them was taken back. */
const present = (record: string, terms: string, ofLine: string) => `(${terms} IS NOT NULL
    OR NOT EXISTS (SELECT FROM journal j JOIN import_batch i ON i.key = j.import_key
      WHERE j.seq = ${record}.booked_seq AND i.reverted_at IS NOT NULL)
    OR EXISTS (SELECT FROM balance_line l JOIN posting p ON p.line_key = l.key
      JOIN journal j ON j.seq = p.journal_seq
      WHERE ${ofLine} AND p.effective_date <= $2 AND j.reverses_seq IS NULL
        AND ${stands('j.seq', NOW)}))`;

const RECORDS = `
  SELECT x.value AS number, d.key AS "dealKey", f.key AS "facilityKey", c.key AS "contractKey",
    ${sinceOf('deal', 'd', NOW)} <= $2 AS present,
    jsonb_build_object('id', d.id, 'status', coalesce(dt.status, d.status),
      'name', coalesce(dd.name, d.name), 'country', coalesce(dd.country, d.country),
      'borrower', ${PARTY('coalesce(dd.borrower_key, d.borrower_key)')},
      'agent', ${PARTY('d.agent_key')},
      'guarantor', ${PARTY('CASE WHEN dd.deal_key IS NULL THEN d.guarantor_key ELSE dd.guarantor_key END')}
    ) AS deal,
    jsonb_build_object('id', f.id,
      'present', ${present('f', 'ft.facility_key', 'l.facility_key = f.key')}, 'name', coalesce(fd.name, f.name), 'type', f.type,
      'currency', f.currency, 'status', coalesce(ft.status, f.status),
      'maturityDate', CASE WHEN ft.facility_key IS NULL THEN f.maturity_date ELSE ft.maturity_date END,
      'ref', (SELECT min(r.value) FROM external_id r WHERE r.entity_id = f.id AND r.source = $1)
    ) AS facility,
    jsonb_build_object('id', c.id, 'number', c.contract_number,
      'present', ${present('c', 'ct.contract_key', 'l.facility_key = f.key AND l.contract_key = c.key')},
      'status', coalesce(ct.status, c.status),
      'maturityDate', CASE WHEN ct.contract_key IS NULL THEN c.maturity_date ELSE ct.maturity_date END,
      'allInRate', (CASE WHEN ct.contract_key IS NULL THEN c.all_in_rate ELSE ct.all_in_rate END)::text
    ) AS drawing
  FROM external_id x
  JOIN deal d ON d.id = x.entity_id
  LEFT JOIN facility f ON f.deal_key = d.key
  LEFT JOIN loan_contract c ON c.facility_key = f.key
  ${newest('deal_terms', 't.deal_key = d.key')} dt ON true
  ${newest('facility_terms', 't.facility_key = f.key')} ft ON true
  ${newest('contract_terms', 't.contract_key = c.key')} ct ON true
  ${newest('deal_details', 't.deal_key = d.key')} dd ON true
  ${newest('facility_details', 't.facility_key = f.key')} fd ON true
  WHERE x.source = $1 AND x.value = ANY($3)
  ORDER BY d.key, f.key, c.key`;

/** The newest balance of each lender's line at the date. */
const AMOUNTS = `
  SELECT l.facility_key AS "facilityKey", l.contract_key AS "contractKey", y.id AS lender,
    b.original_commitment AS original, b.cancelled_commitment AS cancelled, b.unfunded,
    b.advances AS disbursed, b.transfers AS transferred,
    -(b.scheduled_repayments + b.voluntary_prepayments + b.mandatory_prepayments) AS repaid,
    b.principal_cash + b.principal_pik AS due, b.principal_due AS billed, b.fx_revaluation AS "exchangeAdjustment"
  FROM balance_line l
  JOIN party y ON y.key = l.lender_key
  CROSS JOIN LATERAL (
    SELECT * FROM balance b WHERE b.line_key = l.key AND b.effective_date <= $2
    ORDER BY b.effective_date DESC, b.known_seq DESC LIMIT 1
  ) b
  WHERE l.deal_key = ANY($1)
  ORDER BY l.key`;
