import type { Database } from '@cls/shared/sql/database';
import { revokeTokens } from '../token-status/sql-token-status.ts';
import type { CompromisedClients } from './compromised-clients.ts';
import { type AddSecret, tableOf } from './sql-client-secrets.ts';

/** `now()` is when the transaction began: another may have ended the secret while this one waited for the row. */
const STILL_LIVE = '(expires_at IS NULL OR expires_at > clock_timestamp())';

interface Client {
  readonly name: string;
  readonly customer: string | null;
}

export function sqlCompromisedClients(database: Database, add: AddSecret): CompromisedClients {
  return {
    answer: (clientId, { secretId, newSecret }, within) =>
      database.transaction(async (transaction) => {
        const table = tableOf(clientId);
        const customer = table === 'service_account' ? 'customer_id' : 'NULL';
        const [client] = await transaction.query<Client>(
          `SELECT name, ${customer} AS customer FROM ${table} WHERE id = $1 FOR UPDATE`,
          [clientId],
        );
        const live = await transaction.query<{ id: string }>(
          `SELECT id FROM ${table}_secret WHERE ${table}_id = $1 AND ${STILL_LIVE} ORDER BY created_at, id`,
          [clientId],
        );
        const [{ nowMs } = { nowMs: 0 }] = await transaction.query<{ nowMs: number }>(
          'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"',
        );
        const endedSecretIds = live.map(({ id }) => id);
        const hasEnded = secretId !== undefined && !endedSecretIds.includes(secretId);
        if (client === undefined || hasEnded) return undefined;
        await transaction.query(
          `UPDATE ${table}_secret SET expires_at = now() WHERE id = ANY($1::text[])`,
          [endedSecretIds],
        );
        await revokeTokens(transaction, { client: clientId }, 'compromised');
        const done = {
          ...{ clientId, clientName: client.name, customer: client.customer, endedSecretIds },
          tokensRevokedBefore: new Date(nowMs),
          ...(newSecret && { newSecret: await add(transaction, clientId) }),
        };
        await within(transaction, done);
        return done;
      }),
  };
}
