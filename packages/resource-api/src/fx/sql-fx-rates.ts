import type { Database } from '@cls/shared/sql/database';
import type { FxRates, KnownFxRate } from './fx-rates.ts';

const COLUMNS = `rate_date AS date, from_currency AS "from", to_currency AS "to",
  trim_scale(rate)::text AS rate, source, known_at::text AS "knownAt"`;

export function sqlFxRates(database: Database): FxRates {
  return {
    async add({ date, from, to, rate, source }) {
      const [made] = await database.query<KnownFxRate>(
        `INSERT INTO fx_rate (rate_date, from_currency, to_currency, rate, source)
         VALUES ($1, $2, $3, $4, $5) RETURNING ${COLUMNS}`,
        [date, from, to, rate, source],
      );
      if (made === undefined) throw new Error('the rate was not kept');
      return made;
    },
    list: ({ from, to, limit }) =>
      database.query<KnownFxRate>(
        `SELECT ${COLUMNS} FROM fx_rate
         WHERE ($1::text IS NULL OR from_currency = $1) AND ($2::text IS NULL OR to_currency = $2)
         ORDER BY rate_date DESC, number DESC LIMIT $3`,
        [from ?? null, to ?? null, limit],
      ),
  };
}
