import type { Clock } from '@cls/shared/clock';
import type { Database } from '@cls/shared/sql/database';
import type { Sealer } from '../keys/seal.ts';
import type { TotpFactorRecords } from '../mfa/second-factor.ts';
import { matchTotpStep } from '../mfa/totp.ts';

/** TOTP factors in SQL, their secrets sealed. */
export function sqlTotpFactors(
  database: Database,
  sealer: Sealer,
  clock: Clock,
): TotpFactorRecords {
  return {
    async enrol(accountId, secret) {
      await database.query(
        `INSERT INTO totp_factor (account_id, sealed_secret) VALUES ($1, $2)
         ON CONFLICT (account_id) DO UPDATE
         SET sealed_secret = excluded.sealed_secret, last_step = 0, created_at = now()`,
        [accountId, sealer.seal(secret, context(accountId))],
      );
    },
    async remove(accountId) {
      await database.query('DELETE FROM totp_factor WHERE account_id = $1', [accountId]);
    },
    async verify(accountId, code) {
      const [factor] = await database.query<{ sealed_secret: string }>(
        'SELECT sealed_secret FROM totp_factor WHERE account_id = $1',
        [accountId],
      );
      if (factor === undefined) return false;
      const secret = sealer.unseal(factor.sealed_secret, context(accountId));
      const step = matchTotpStep(secret, code, clock.now());
      if (step === undefined) return false;
      // The comparison and the write are one statement: of two equal codes one comes second.
      const accepted = await database.query(
        'UPDATE totp_factor SET last_step = $2 WHERE account_id = $1 AND last_step < $2 RETURNING 1',
        [accountId, step],
      );
      return accepted.length === 1;
    },
  };
}

function context(accountId: string): string {
  return `totp_factor:${accountId}`;
}
