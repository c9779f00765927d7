import type { Database, Transaction } from '@cls/shared/sql/database';
import { TOTP_PERIOD_S } from '../factors/totp.ts';
import type { StateStore } from '../state/state-store.ts';
import { revokeAllTokens } from '../token-status/sql-token-status.ts';
import type { AfterRestore } from './after-restore.ts';

/** @param openState Redis, or the same database. */
export function sqlAfterRestore(
  database: Database,
  openState: () => Promise<Pick<StateStore, 'clear'>>,
): AfterRestore {
  return {
    async forget({ keepRecoveryCodes }) {
      // First: where what follows fails, nobody is signed in, and the command is run again.
      await (await openState()).clear();
      return database.transaction(async (transaction) => {
        const remove = (table: string) => count(transaction, `DELETE FROM ${table}`);
        await revokeAllTokens(transaction);
        await remove('logout_notice');
        await remove('used_account_link');
        return {
          applicationGrants: await remove('application_grant'),
          sessions: await remove('signed_in_session'),
          rememberedDevices: await remove('remembered_device'),
          consents: await remove('consent'),
          links: await remove('account_link'),
          recoveryCodes: keepRecoveryCodes ? 0 : await remove('recovery_code'),
          authenticatorApps: await count(transaction, SHOWN_CODES_ARE_SPENT),
        };
      });
    },
  };
}

/** Also the next code, which a phone that is ahead shows already. */
const SHOWN_CODES_ARE_SPENT = `
  UPDATE totp_factor SET claimed_by = NULL, claimed_at = NULL,
    last_step = greatest(last_step,
      floor(extract(epoch FROM clock_timestamp()) / ${TOTP_PERIOD_S})::bigint + 1)`;

async function count(transaction: Transaction, statement: string): Promise<number> {
  const [row] = await transaction.query<{ rows: number }>(
    `WITH changed AS (${statement} RETURNING 1) SELECT count(*)::int AS rows FROM changed`,
  );
  return row?.rows ?? 0;
}
