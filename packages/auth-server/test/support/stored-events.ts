import { randomUUID } from 'node:crypto';
import type { Database } from '@cls/shared/sql/database';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import type { TestAuthServer } from './auth-server.ts';

interface StoredEvent {
  readonly id: bigint;
  readonly type: string;
  readonly subject: string;
  readonly clientId: string | null;
  readonly requestId: string | null;
}

/**
 * All that is recorded after an event, and the last event of all, a marker: events of one process are stored in
 * their order.
 */
export async function eventsAfter({ database, post }: TestAuthServer, id: bigint) {
  const marker = randomUUID();
  await post('grant_type=none', { 'x-request-id': marker });
  return eventually(async () => {
    const found = await database.query<StoredEvent>(
      `SELECT id, type, subject, client_id AS "clientId", request_id AS "requestId"
       FROM audit_event WHERE id > $1 ORDER BY id`,
      [id],
    );
    const last = found.at(-1);
    expect(last?.requestId).to.equal(marker);
    return { events: found.slice(0, -1), last: last?.id ?? 0n };
  });
}

/** All that the audit has, as text. */
export async function allEvents(database: Database): Promise<string> {
  const rows = await database.query<{ line: string }>(
    'SELECT row_to_json(e)::text AS line FROM audit_event e',
  );
  return rows.map(({ line }) => line).join('\n');
}
