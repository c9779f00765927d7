import type { Database } from '@cls/shared/sql/database';
import type { RetirementDecision, RetirementRecords } from './retirement.ts';
import { instant } from './sql-notices.ts';

const COLUMNS = `version_id AS version, ${instant('retires_at')} AS "retiresAt",
  ${instant('effective_at')} AS "effectiveAt", decision, ${instant('decided_at')} AS "decidedAt",
  decided_by AS "decidedBy", reason, untold`;

export function sqlRetirements(database: Database): RetirementRecords {
  return {
    list: () =>
      database.query<RetirementDecision>(
        `SELECT ${COLUMNS} FROM version_retirement ORDER BY retires_at, version_id`,
      ),
    async decide({ version, retiresAt, effectiveAt, ...made }) {
      await database.query(
        `INSERT INTO version_retirement (version_id, retires_at, effective_at, decision, decided_at,
           decided_by, reason, untold)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
        [
          ...[version, retiresAt, effectiveAt, made.decision, made.decidedAt],
          ...[made.decidedBy, made.reason, made.untold],
        ],
      );
      const [stands] = await database.query<RetirementDecision>(
        `SELECT ${COLUMNS} FROM version_retirement WHERE version_id = $1 AND retires_at = $2`,
        [version, retiresAt],
      );
      if (stands === undefined) throw new Error('the decision was not kept');
      return stands;
    },
  };
}
