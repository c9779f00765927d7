import { CUSTOMER_ID } from '@cls/shared/access-token';
import type { Database, SqlValue } from '@cls/shared/sql/database';
import type {
  BalanceFilter,
  BalanceItem,
  BalanceStore,
  CurrencyTotal,
  LedgerState,
  LenderShare,
  Level,
  ReaderAccess,
  Snapshot,
} from '../balances/balance-store.ts';
import { BALANCE_COMPONENTS, type Balance, COMPONENTS } from '../ledger/balance.ts';
import type { BusinessDate } from '../ledger/business-date.ts';
import { LEDGER_CHANNEL } from './ledger-channel.ts';

/** Balances in SQL, read under row-level security, one statement per page. */
export function sqlBalanceStore(database: Database): BalanceStore {
  return {
    async page(access, request) {
      const rows = await readAs<PageRow>(database, access, PAGE[request.level], [
        ...filterParameters(request.filter, request.snapshot),
        request.afterKey,
        request.limit + 1,
      ]);
      return toItems(rows);
    },
    async totals(access, { level, filter, snapshot }) {
      const parameters = filterParameters(filter, snapshot);
      const rows = await readAs<TotalRow>(database, access, TOTALS[level], parameters);
      return rows.map(({ currency, count, ...balance }) => ({
        currency,
        count: Number(count),
        balance: balance as CurrencyTotal['balance'],
      }));
    },
    async ledgerState(today) {
      const [row] = await database.query<{
        seq: bigint;
        first: BusinessDate | null;
        last: BusinessDate | null;
      }>(
        `SELECT (SELECT coalesce(max(seq), 0) FROM journal) AS seq,
           (SELECT min(effective_date) FROM journal WHERE effective_date <= $1) AS first,
           (SELECT max(effective_date) FROM journal WHERE effective_date <= $1) AS last`,
        [today],
      );
      return {
        seq: row?.seq ?? 0n,
        firstDate: row?.first ?? undefined,
        lastDate: row?.last ?? undefined,
      } satisfies LedgerState;
    },
    ready: async () => {
      await readAs(database, { fullControl: true }, 'SELECT 1 FROM deal LIMIT 1', []);
    },
    onChange: async (listener) => {
      await database.listen(LEDGER_CHANNEL, () => listener('changed'), listener);
    },
  };
}

/**
 * One statement as the reader role: it sees what the policies of migration 0002 let through for
 * this access. Settings are part of BEGIN, so they cost no round trip.
 */
function readAs<Row>(
  database: Database,
  access: ReaderAccess,
  sql: string,
  parameters: readonly SqlValue[],
): Promise<Row[]> {
  return database.transaction((transaction) => transaction.query<Row>(sql, parameters), {
    isolation: 'repeatable read',
    readOnly: true,
    setup: setupFor(access),
  });
}

function setupFor(access: ReaderAccess): string {
  const role = 'SET LOCAL ROLE cls_reader;';
  if ('fullControl' in access) return `${role}SET LOCAL cls.full_control = 'on';`;
  // Quoted into SQL text: nothing but what a customer id may hold gets here.
  if (!CUSTOMER_ID.test(access.customer)) throw new Error('not a customer id');
  return `${role}SET LOCAL cls.full_control = 'off';SET LOCAL cls.customer = '${access.customer}';`;
}

function filterParameters(filter: BalanceFilter, { asOf, ledgerSeq }: Snapshot): SqlValue[] {
  const orNull = (values: readonly string[]) => (values.length === 0 ? null : values);
  return [
    asOf,
    ledgerSeq,
    filter.includeZero,
    orNull(filter.dealIds),
    orNull(filter.facilityIds),
    orNull(filter.borrowerIds),
    orNull(filter.currencies),
    orNull(filter.countries),
  ];
}

/** The newest balance of line `l` at the snapshot: one index look-up, however long the history. */
const NEWEST = `
  SELECT * FROM balance
  WHERE line_key = l.key AND effective_date <= $1 AND known_seq <= $2
  ORDER BY effective_date DESC, known_seq DESC LIMIT 1`;

/** What is nothing to see when all of it is zero. Original and cancelled commitments remain. */
const LIVE_COMPONENTS = BALANCE_COMPONENTS.filter(
  (name) => name !== 'original_commitment' && name !== 'cancelled_commitment',
);
const NOT_ZERO = `(${LIVE_COMPONENTS.map((name) => `b.${name} <> 0`).join(' OR ')})`;

/** How each level's items are found, and which balance lines are an item's. */
const LEVELS: Readonly<Record<Level, { items: string; lines: string; contract: string }>> = {
  facility: {
    items: 'facility i JOIN facility f ON f.key = i.key',
    lines: 'l.facility_key = i.key',
    contract: 'LEFT JOIN loan_contract c ON false',
  },
  contract: {
    items: 'loan_contract i JOIN facility f ON f.key = i.facility_key',
    lines: 'l.contract_key = i.key',
    contract: 'JOIN loan_contract c ON c.key = i.key',
  },
};

const FILTER = `
  d.booked_on <= $1 AND d.booked_seq <= $2
  AND ($4::text[] IS NULL OR d.id = ANY($4))
  AND ($5::text[] IS NULL OR f.id = ANY($5))
  AND ($6::text[] IS NULL OR d.borrower_key IN (SELECT key FROM party WHERE id = ANY($6)))
  AND ($7::text[] IS NULL OR i.currency = ANY($7))
  AND ($8::text[] IS NULL OR d.country = ANY($8))`;

const SUMS = COMPONENTS.map((name) => `coalesce(sum(b.${name}), 0)::int8 AS ${name}`).join(', ');

function pageStatement({ items, lines, contract }: (typeof LEVELS)[Level]): string {
  return `
    WITH page AS MATERIALIZED (
      SELECT i.key FROM ${items} JOIN deal d ON d.key = i.deal_key
      WHERE i.key > $9 AND ${FILTER} AND ($3 OR EXISTS (
        SELECT FROM balance_line l CROSS JOIN LATERAL (${NEWEST}) b
        WHERE ${lines} AND l.lender_key = 0 AND ${NOT_ZERO}))
      ORDER BY i.key LIMIT $10
    )
    SELECT i.key, i.currency,
      d.id AS deal_id, d.name AS deal_name, d.deal_number, d.status AS deal_status, d.country,
      f.id AS facility_id, f.name AS facility_name, f.type AS facility_type,
      f.maturity_date, f.status AS facility_status,
      c.id AS contract_id, c.contract_number, c.status AS contract_status,
      c.all_in_rate::text AS all_in_rate,
      borrower.id AS borrower_id, borrower.name AS borrower_name,
      lender.id AS lender_id, lender.name AS lender_name,
      (SELECT coalesce(array_agg(DISTINCT e.role), '{}') FROM entitlement e
       WHERE e.deal_key = d.key) AS roles,
      coalesce(max(b.effective_date), d.booked_on)::text AS last_effective_date,
      coalesce(max(b.known_seq), d.booked_seq) AS last_seq, ${SUMS}
    FROM ${items} JOIN page ON page.key = i.key
    JOIN deal d ON d.key = i.deal_key
    JOIN party borrower ON borrower.key = d.borrower_key
    ${contract}
    JOIN balance_line l ON ${lines}
    LEFT JOIN LATERAL (${NEWEST}) b ON true
    LEFT JOIN party lender ON lender.key = l.lender_key
    GROUP BY i.key, i.currency, d.key, f.key, c.key, borrower.key, lender.key
    ORDER BY i.key, lender.key NULLS FIRST`;
}

function totalsStatement({ items, lines }: (typeof LEVELS)[Level]): string {
  return `
    SELECT i.currency, count(DISTINCT i.key) AS count, ${SUMS}
    FROM ${items} JOIN deal d ON d.key = i.deal_key
    JOIN balance_line l ON ${lines} AND l.lender_key = 0
    LEFT JOIN LATERAL (${NEWEST}) b ON true
    WHERE ${FILTER} AND ($3 OR ${NOT_ZERO})
    GROUP BY i.currency ORDER BY i.currency`;
}

const PAGE = {
  facility: pageStatement(LEVELS.facility),
  contract: pageStatement(LEVELS.contract),
};
const TOTALS = {
  facility: totalsStatement(LEVELS.facility),
  contract: totalsStatement(LEVELS.contract),
};

type PageRow = Balance & {
  readonly key: bigint;
  readonly currency: string;
  readonly deal_id: string;
  readonly deal_name: string;
  readonly deal_number: string;
  readonly deal_status: string;
  readonly country: string;
  readonly facility_id: string;
  readonly facility_name: string;
  readonly facility_type: string;
  readonly maturity_date: string | null;
  readonly facility_status: string;
  readonly contract_id: string | null;
  readonly contract_number: string | null;
  readonly contract_status: string | null;
  readonly all_in_rate: string | null;
  readonly borrower_id: string;
  readonly borrower_name: string;
  readonly lender_id: string | null;
  readonly lender_name: string | null;
  readonly roles: readonly string[];
  readonly last_effective_date: string;
  readonly last_seq: bigint;
};
type TotalRow = Balance & { readonly currency: string; readonly count: bigint };

/** Rows come item by item, the global one first. */
function toItems(rows: readonly PageRow[]): readonly BalanceItem[] {
  const items: (BalanceItem & { lenders: LenderShare[] })[] = [];
  for (const row of rows) {
    if (row.lender_id === null) items.push({ ...toItem(row), lenders: [] });
    else {
      const lender = { id: row.lender_id, name: row.lender_name ?? '' };
      items.at(-1)?.lenders.push({ lender, balance: row });
    }
  }
  return items;
}

function toItem(row: PageRow): Omit<BalanceItem, 'lenders'> {
  return {
    key: row.key,
    deal: {
      id: row.deal_id,
      name: row.deal_name,
      dealNumber: row.deal_number,
      status: row.deal_status,
    },
    facility: {
      id: row.facility_id,
      name: row.facility_name,
      type: row.facility_type,
      maturityDate: row.maturity_date,
      status: row.facility_status,
    },
    contract:
      row.contract_id === null
        ? null
        : {
            id: row.contract_id,
            contractNumber: row.contract_number ?? '',
            status: row.contract_status ?? '',
            allInRate: row.all_in_rate,
          },
    borrower: { id: row.borrower_id, name: row.borrower_name, country: row.country },
    currency: row.currency,
    roles: row.roles,
    global: row,
    lastEffectiveDate: row.last_effective_date,
    lastSeq: row.last_seq,
  };
}
