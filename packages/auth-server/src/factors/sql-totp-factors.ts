import type { Clock } from '@cls/shared/clock';
import { newId } from '@cls/shared/new-id';
import type { Sealer } from '@cls/shared/seal';
import type { Database, Transaction } from '@cls/shared/sql/database';
import { digest } from '../crypto/digest.ts';
import { SEALED } from '../crypto/seal.ts';
import type { InsertedFactor, NewFactor } from './factor.ts';
import { DEFAULT_TOTP_NAME, type TotpFactorRecords, UNSETTLED_S } from './second-factor.ts';
import { insertFactor } from './sql-factors.ts';
import { matchTotpStep } from './totp.ts';

const context = SEALED.totp_factor.context;

interface Row {
  readonly factor_id: string;
  readonly sealed_secret: string;
}

/** TOTP factors in SQL, their secrets sealed. */
export function sqlTotpFactors(
  database: Database,
  sealer: Sealer,
  clock: Clock,
): TotpFactorRecords {
  const add = async (
    transaction: Transaction,
    accountId: string,
    planned: NewFactor,
    secret: string,
    provenStep: bigint,
  ): Promise<InsertedFactor> => {
    const { isNew, ...inserted } = await insertFactor(transaction, accountId, 'totp', planned);
    if (!isNew) return inserted;
    await transaction.query(
      `INSERT INTO totp_factor (factor_id, account_id, sealed_secret, last_step)
       VALUES ($1, $2, $3, $4)`,
      [planned.id, accountId, sealer.seal(secret, context(accountId)), provenStep],
    );
    return inserted;
  };
  return {
    add: (accountId, factor, secret, provenStep) =>
      database.transaction((transaction) =>
        add(transaction, accountId, factor, secret, provenStep),
      ),
    async enrol(accountId, secret) {
      await database.transaction(async (transaction) => {
        await removeTotp(transaction, accountId);
        const factor = { id: newId('fac'), name: DEFAULT_TOTP_NAME, codeHashes: [] };
        await add(transaction, accountId, factor, secret, 0n);
      });
    },
    remove: (accountId) =>
      database.transaction((transaction) => removeTotp(transaction, accountId)),
    async accept(accountId, code, attempt) {
      const factors = await database.query<Row>(
        'SELECT factor_id, sealed_secret FROM totp_factor WHERE account_id = $1',
        [accountId],
      );
      const now = clock.now();
      let used = false;
      for (const { factor_id: id, sealed_secret: sealed } of factors) {
        const step = matchTotpStep(sealer.unseal(sealed, context(accountId)), code, now);
        if (step === undefined) continue;
        // The comparison and the write are one statement: of two equal codes one comes second.
        const accepted = await database.query(
          `WITH spent AS (
             UPDATE totp_factor
             SET last_step = $2, claimed_by = $4, claimed_at = clock_timestamp()
             WHERE factor_id = $1 AND (last_step < $2 OR (last_step = $2 AND (claimed_by = $4
               OR claimed_at < clock_timestamp() - make_interval(secs => ${UNSETTLED_S}))))
             RETURNING factor_id)
           UPDATE factor SET last_used_at = $3 FROM spent WHERE id = factor_id RETURNING 1`,
          [id, step, now.toISOString(), digest(attempt)],
        );
        if (accepted.length === 1) return 'accepted';
        used = true;
      }
      return used ? 'used' : 'wrong';
    },
    async settle(accountId, attempt) {
      await database.query(
        `UPDATE totp_factor SET claimed_by = NULL, claimed_at = NULL
         WHERE account_id = $1 AND claimed_by = $2`,
        [accountId, digest(attempt)],
      );
    },
  };
}

async function removeTotp(transaction: Transaction, accountId: string): Promise<boolean> {
  const removed = await transaction.query(
    `DELETE FROM factor WHERE account_id = $1 AND kind = 'totp' RETURNING 1`,
    [accountId],
  );
  await transaction.query(
    `DELETE FROM recovery_code WHERE account_id = $1
       AND NOT EXISTS (SELECT FROM factor WHERE account_id = $1)`,
    [accountId],
  );
  return removed.length > 0;
}
