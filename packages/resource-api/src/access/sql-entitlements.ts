import type { Database } from '@cls/shared/sql/database';
import type {
  DealSelection,
  EntitlementRecords,
  EntitlementRule,
  NewEntitlement,
} from './entitlement.ts';

const SELECT = `
  SELECT r.key::text AS rule, r.customer_id AS customer, r.role, lender.id AS lender,
    CASE WHEN r.all_deals THEN 'all' WHEN d.id IS NOT NULL THEN 'deal ' || d.id
         WHEN b.id IS NOT NULL THEN 'borrower ' || b.id ELSE 'country ' || r.country END
      AS selection,
    (SELECT count(*) FROM entitlement e WHERE e.rule_key = r.key)::int AS deals
  FROM entitlement_rule r
  LEFT JOIN party lender ON lender.key = r.lender_key
  LEFT JOIN deal d ON d.key = r.deal_key
  LEFT JOIN party b ON b.key = r.borrower_key`;

export function sqlEntitlements(database: Database): EntitlementRecords {
  return {
    list: (customer) =>
      database.query<EntitlementRule>(
        `${SELECT} WHERE $1::text IS NULL OR r.customer_id = $1 ORDER BY r.key`,
        [customer ?? null],
      ),
    async grant({ customer, role, lenderId, deals }: NewEntitlement) {
      const { deal, borrower, country, all } = columnsOf(deals);
      // Selecting from what must be there inserts nothing when it is not.
      const [made] = await database.query<{ key: bigint }>(
        `INSERT INTO entitlement_rule
           (customer_id, role, lender_key, all_deals, deal_key, borrower_key, country)
         SELECT $1, $2, coalesce(lender.key, 0), $4, d.key, b.key, $7
         FROM (SELECT 1) AS one
         LEFT JOIN party lender ON lender.id = $3
         LEFT JOIN deal d ON d.id = $5
         LEFT JOIN party b ON b.id = $6
         WHERE ($3::text IS NULL OR lender.key IS NOT NULL)
           AND ($5::text IS NULL OR d.key IS NOT NULL)
           AND ($6::text IS NULL OR b.key IS NOT NULL)
         RETURNING key`,
        [customer, role, lenderId ?? null, all, deal, borrower, country],
      );
      if (made === undefined) return undefined;
      const [rule] = await database.query<EntitlementRule>(`${SELECT} WHERE r.key = $1`, [
        made.key,
      ]);
      return rule;
    },
    async revoke(rule) {
      const gone = await database.query('DELETE FROM entitlement_rule WHERE key = $1 RETURNING 1', [
        rule,
      ]);
      return gone.length === 1;
    },
  };
}

function columnsOf(deals: DealSelection) {
  return {
    all: 'allDeals' in deals,
    deal: 'dealId' in deals ? deals.dealId : null,
    borrower: 'borrowerId' in deals ? deals.borrowerId : null,
    country: 'country' in deals ? deals.country : null,
  };
}
