import type { Transaction } from '@cls/shared/sql/database';
import { COMPONENTS, type StatedBalance, ZERO_BALANCE } from '../../../ledger/balance.ts';
import type { BalanceItem, Level, PageEnd, Snapshot } from '../../ask/balance-store.ts';
import {
  BY_LOOKUP,
  byLevel,
  FACILITY_NAME,
  hadFrom,
  LEVEL_SQL,
  type LevelSql,
  lenderSums,
  partyName,
  TERM_SEQS_OF_DEAL,
  termsJoins,
} from '../../ask/sql/balance-levels.ts';
import { BY_INDEX, lastQuery, type Statement } from '../../ask/sql/statement.ts';

/** A row of `FOUND_PAGE`: an item with its global balance, or one lender's balance of that item. */
interface PageRow {
  /** Null in the rows of lenders. */
  readonly item: readonly unknown[] | null;
  readonly lender_id: string | null;
  readonly lender_name: string | null;
  /** Null where nothing was ever posted. */
  readonly last_effective_date: string | null;
  readonly last_seq: bigint;
  readonly amounts: string;
  readonly overdrawn: boolean;
  readonly overpaid: boolean;
  readonly owes: boolean;
}

/** An expression for each member. Integers of the database are texts in JSON. */
type FieldsOf<Part> = { readonly [Name in keyof NonNullable<Part>]: string };
type Part = 'deal' | 'facility' | 'contract' | 'position' | 'borrower';

/** A date or rate that terms may take away: that of the newest terms, where there are any. */
const ofTerms = (terms: string, key: string, record: string, name: string) =>
  `CASE WHEN ${terms}.${key} IS NULL THEN ${record}.${name} ELSE ${terms}.${name} END`;

/** The parts of an item, by the joins of `FOUND_PAGE`. Those of a finer level are null. */
const PARTS: { readonly [Name in Part]: FieldsOf<BalanceItem[Name]> } = {
  deal: {
    id: 'd.id',
    name: 'coalesce(dd.name, d.name)',
    dealNumber: 'd.deal_number',
    status: 'coalesce(dt.status, d.status)',
  },
  facility: {
    id: 'f.id',
    name: FACILITY_NAME,
    type: 'f.type',
    sublimitOf: '(SELECT id FROM facility g WHERE g.key = f.sublimit_of_key)',
    maturityDate: ofTerms('ft', 'facility_key', 'f', 'maturity_date'),
    availabilityEndDate: ofTerms('ft', 'facility_key', 'f', 'availability_end_date'),
    status: 'coalesce(ft.status, f.status)',
  },
  contract: {
    id: 'i.id',
    contractNumber: 'i.contract_number',
    status: 'coalesce(ct.status, i.status)',
    maturityDate: ofTerms('ct', 'contract_key', 'i', 'maturity_date'),
    allInRate: `(${ofTerms('ct', 'contract_key', 'i', 'all_in_rate')})::text`,
  },
  position: { id: 'i.id', kind: 'i.kind', lenderId: 'holder.id' },
  borrower: {
    id: 'borrower.id',
    name: 'borrower.name',
    country: 'coalesce(dd.country, d.country)',
  },
};

/** Facts of the item itself. */
type ItemFacts = Pick<BalanceItem, Part | 'currency' | 'roles' | 'accrues'> & {
  readonly key: string;
  readonly sortValue: string | null;
  readonly termsSeq: string;
  readonly bookedSeq: string;
};
const factsAt = ({ record, recordAlias }: LevelSql): FieldsOf<Omit<ItemFacts, Part>> => ({
  key: 'page.key::text',
  sortValue: 'page.sort_value',
  currency: 'f.currency',
  // Full control has none.
  roles: `CASE WHEN current_setting('cls.full_control', true) = 'on' THEN '{}'::text[]
       ELSE (SELECT coalesce(array_agg(DISTINCT e.role), '{}') FROM entitlement e
         WHERE e.deal_key = d.key) END`,
  accrues: 'EXISTS (SELECT FROM rate_period r WHERE r.deal_key = d.key)',
  termsSeq: `(SELECT coalesce(max(greatest(t.known_seq, (SELECT max(s.known_seq) FROM journal_standing s
          WHERE s.seq = t.known_seq AND s.known_seq <= $2))), 0)
       FROM (${TERM_SEQS_OF_DEAL}) t)::text`,
  bookedSeq: `${hadFrom(record, recordAlias)}::text`,
});

/** The members of a row's array at a level, in their order: first the item's own facts, then its parts. */
const fieldsAt = (level: Level) => {
  const isAtLevel = (part: Part) => (part !== 'contract' && part !== 'position') || part === level;
  const parts = (Object.keys(PARTS) as Part[]).filter(isAtLevel);
  return [undefined, ...parts].map((part) => {
    const fields = part === undefined ? factsAt(LEVEL_SQL[level]) : PARTS[part];
    return { part, names: Object.keys(fields), sql: Object.values(fields) };
  });
};
const FIELDS = byLevel(fieldsAt);

function factsOf(level: Level, values: readonly unknown[]): ItemFacts {
  const facts: Record<string, unknown> = { contract: null, position: null };
  let place = 0;
  for (const { part, names } of FIELDS[level]) {
    const told: Record<string, unknown> = part === undefined ? facts : {};
    for (const name of names) told[name] = values[place++];
    if (part !== undefined) facts[part] = told;
  }
  return facts as ItemFacts;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Item = Mutable<BalanceItem> & { lenders: BalanceItem['lenders'][number][] };

/** Rows come item by item, the global one first. */
function toItems(level: Level, rows: readonly PageRow[]): readonly BalanceItem[] {
  const items: Item[] = [];
  let item: Item | undefined;
  for (const row of rows) {
    if (row.item !== null) {
      item = toItem(level, row, row.item);
      items.push(item);
    } else if (item !== undefined) {
      const lender = { id: row.lender_id ?? '', name: row.lender_name ?? '' };
      item.lenders.push({ lender, balance: toBalance(row.amounts) });
      // Shares may stand open where the global amount is even.
      item.owes ||= row.owes;
      item.lenderOverdrawn ||= row.overdrawn;
      item.overpaid ||= row.overpaid;
      // A transfer between lenders has no global leg.
      if (row.last_seq > item.lastSeq) item.lastSeq = row.last_seq;
      if ((row.last_effective_date ?? '') > (item.lastEffectiveDate ?? '')) {
        item.lastEffectiveDate = row.last_effective_date;
      }
    }
  }
  return items;
}

function toItem(level: Level, row: PageRow, values: readonly unknown[]): Item {
  const { key, sortValue, termsSeq, bookedSeq, ...told } = factsOf(level, values);
  return {
    ...told,
    end: { sortValue, key: BigInt(key) },
    global: toBalance(row.amounts),
    lenders: [],
    lastEffectiveDate: row.last_effective_date,
    lastSeq: row.last_seq,
    termsSeq: BigInt(termsSeq),
    bookedSeq: BigInt(bookedSeq),
    owes: row.owes,
    overdrawn: row.overdrawn,
    lenderOverdrawn: false,
    overpaid: row.overpaid,
  };
}

const AMOUNT_NAMES = [...COMPONENTS, 'available', 'pik_drawn'] as const;

/** Reads `1,0,…`, the `amounts` of `lenderSums`. Most are zero, and need no integer of their own. */
export function toBalance(amounts: string): StatedBalance {
  const balance: Mutable<StatedBalance> = { ...ZERO_BALANCE };
  const texts = amounts.split(',');
  for (const [index, name] of AMOUNT_NAMES.entries()) {
    const text = texts[index] ?? '0';
    if (text !== '0') balance[name] = BigInt(text);
  }
  return balance;
}

const NEWEST_POSTING =
  'max(b.effective_date) AS last_effective_date, max(b.known_seq) AS last_seq, ';

/** A party with its name at the snapshot: looked up once for many items of a page. */
function namedParty(key: string): string {
  return `SELECT y.id, ${partyName('y')} AS name FROM party y WHERE y.key = ${key} ${BY_LOOKUP}`;
}

/**
 * Everything that a page tells of items that are found already, in their order: `$3` has their keys, `$4`
 * what they are sorted by. An item has a row for its global balance and one for each lender's; the first
 * one alone has the facts of the item, as a JSON array: the driver makes slow objects of rows with many
 * columns, and names would take longer to write than most values. Each join, used or not, takes time
 * whenever the statement starts, so a level has those that it needs.
 */
const FOUND_PAGE = byLevel((level) => {
  const fields = FIELDS[level].flatMap(({ sql }) => sql);
  const holder = level === 'position' ? 'LEFT JOIN party holder ON holder.key = i.lender_key' : '';
  return `
    WITH page AS MATERIALIZED (
      SELECT * FROM unnest($3::bigint[], $4::text[])
        WITH ORDINALITY AS found (key, sort_value, number)
    )
    SELECT CASE WHEN s.lender_key = 0 THEN json_build_array(
        ${fields.join(',\n        ')}) END AS item,
      lender.id AS lender_id, lender.name AS lender_name,
      s.last_effective_date::text AS last_effective_date, coalesce(s.last_seq, 0) AS last_seq,
      s.amounts, s.overdrawn, s.overpaid, s.owes
    FROM page JOIN (${LEVEL_SQL[level].items}) ON i.key = page.key
    ${holder}${termsJoins(level)}
    CROSS JOIN LATERAL (SELECT coalesce(dd.borrower_key, d.borrower_key) AS key ${BY_LOOKUP}) borrows
    CROSS JOIN LATERAL (${namedParty('borrows.key')}) borrower
    CROSS JOIN LATERAL (
      ${lenderSums(level, NEWEST_POSTING)}
    ) s
    LEFT JOIN LATERAL (${namedParty('s.lender_key')}) lender ON true
    ORDER BY page.number, s.lender_key`;
});

export function foundPageStatement(
  level: Level,
  { asOf, ledgerSeq }: Snapshot,
  found: readonly PageEnd[],
): Statement {
  const [keys, values] = [found.map(({ key }) => key), found.map(({ sortValue }) => sortValue)];
  return { sql: FOUND_PAGE[level], parameters: [asOf, ledgerSeq, keys, values] };
}

/** Reads items that are found already, in their order; the end of the transaction is sent with it. */
export async function readFound(
  transaction: Transaction,
  level: Level,
  snapshot: Snapshot,
  found: readonly PageEnd[],
): Promise<readonly BalanceItem[]> {
  const statement = foundPageStatement(level, snapshot, found);
  return toItems(level, await lastQuery<PageRow>(transaction, statement));
}

/** Balances of given items at a snapshot, by item and lender. */
export function balancesStatement(
  level: Level,
  keys: readonly bigint[],
  { asOf, ledgerSeq }: Snapshot,
): Statement {
  const { items } = LEVEL_SQL[level];
  const sql = `
    SELECT i.key, lender.id AS lender_id, lender.name AS lender_name, s.amounts
    FROM ${items}
    CROSS JOIN LATERAL (
      ${lenderSums(level)}
    ) s
    LEFT JOIN LATERAL (${namedParty('s.lender_key')}) lender ON true
    WHERE i.key = ANY($3)`;
  return { sql, parameters: [asOf, ledgerSeq, keys], planning: BY_INDEX, prepared: true };
}
