import type { Database } from '@cls/shared/sql/database';
import type { ReadFilter, ReadRecord, ReadRecords } from './read-record.ts';

/** The members of records, as they are. */
const ADD = `INSERT INTO read_log (at, request_id, subject, client_id, account_type, customer_id,
    address, version, operation, path, question, status, item_count, complete)
  SELECT at, "requestId", subject, "clientId", "accountType", customer, address, version, operation,
    path, question, status, items, complete
  FROM json_to_recordset($1::json) AS record (at timestamptz, "requestId" text, subject text,
    "clientId" text, "accountType" text, customer text, address text, version text, operation text,
    path text, question text, status integer, items bigint, complete boolean)`;

/** The rows of one time are not taken apart, so the next ones begin after it. */
const LIST = `SELECT (extract(epoch FROM at) * 1000)::float8 AS at, request_id AS "requestId", subject,
    client_id AS "clientId", account_type AS "accountType", customer_id AS customer, address, version,
    operation, path, question, status, item_count::float8 AS items, complete
  FROM read_log
  WHERE at > $1::timestamptz AND at < $2::timestamptz
    AND ($3::text IS NULL OR client_id = $3) AND ($4::text IS NULL OR customer_id = $4)
    AND ($5::text IS NULL OR subject = $5)
    AND ($6::text IS NULL OR position($6 IN path || '?' || question) > 0)
  ORDER BY read_log.at FETCH FIRST $7 ROWS WITH TIES`;

type Row = Omit<ReadRecord, 'at' | 'items'> & { at: number; items: number | null };

export function sqlReadLog(database: Database): ReadRecords {
  return {
    async add(records) {
      await database.query(ADD, [JSON.stringify(records)], { prepared: true });
    },
    async *list(filter, atLeast) {
      let after = new Date(filter.since.getTime() - 1);
      for (;;) {
        const rows = await database.query<Row>(LIST, parametersOf(filter, after, atLeast));
        const found = rows.map(recordOf);
        const last = found.at(-1);
        if (last === undefined) return;
        yield found;
        if (found.length < atLeast) return;
        after = last.at;
      }
    },
    async sweep(keptDays) {
      await database.query('SELECT make_read_log_days()');
      if (keptDays > 0) await database.query('SELECT drop_read_log_days($1)', [keptDays]);
    },
  };
}

function recordOf({ at, items, ...rest }: Row): ReadRecord {
  return { at: new Date(at), ...rest, items: items ?? undefined };
}

function parametersOf(filter: ReadFilter, after: Date, atLeast: number) {
  const { client, customer, account, deal, until } = filter;
  return [
    after.toISOString(),
    until.toISOString(),
    ...[client, customer, account, deal].map((value) => value ?? null),
    atLeast,
  ];
}
