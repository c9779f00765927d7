import type { Database, Sql } from '@cls/shared/sql/database';
import type { BusinessDate } from '../ledger/business-date.ts';
import { lockJournal } from '../posting/post-journals.ts';
import type { PeriodDecision, PeriodRecords } from './period-records.ts';

// A decision that closes nothing is kept as a date before all others.
const COLUMNS = `number, CASE WHEN isfinite(through) THEN through END AS through, reason,
  decided_at::text AS "decidedAt"`;

/** The date through which the books are closed; undefined where no period was ever closed. */
export async function closedThrough(sql: Sql): Promise<BusinessDate | undefined> {
  const [last] = await sql.query<{ through: BusinessDate }>(
    'SELECT through FROM period_close ORDER BY number DESC LIMIT 1',
  );
  return last?.through;
}

export function sqlPeriods(database: Database): PeriodRecords {
  return {
    list: () =>
      database.query<PeriodDecision>(`SELECT ${COLUMNS} FROM period_close ORDER BY number DESC`),
    decide: (reason, decide) =>
      database.transaction(async (transaction) => {
        await lockJournal(transaction);
        const [last] = await transaction.query<PeriodDecision>(
          `SELECT ${COLUMNS} FROM period_close ORDER BY number DESC LIMIT 1`,
        );
        const [made] = await transaction.query<PeriodDecision>(
          `INSERT INTO period_close (through, reason) VALUES (coalesce($1::date, '-infinity'), $2)
           RETURNING ${COLUMNS}`,
          [decide(last?.through ?? null), reason],
        );
        if (made === undefined) throw new Error('the decision was not kept');
        return made;
      }),
  };
}
