import { aesGcmSealer } from '@cls/shared/seal';
import type { Secret } from '@cls/shared/secret';
import type { Database, Transaction } from '@cls/shared/sql/database';
import {
  exportStore,
  importStore,
  type Row,
  type StoreKind,
} from '@cls/shared/transfer/store-file';
import { beginAuditChain } from '../audit/sql-audit-chain.ts';
import { recoveryKey, recoveryKeyOf } from '../crypto/recovery-key.ts';
import { SEALED } from '../crypto/seal.ts';
import { beginTokenIndex } from '../token-status/sql-token-status.ts';
import type { Installation } from './installation.ts';

const KIND: StoreKind = {
  service: 'cls-auth',
  leftOut: [
    // Sessions, codes and tokens, in Redis or here, and what ends them: people sign in again.
    'protocol_state',
    'revoked_grant',
    'ended_account',
    'signed_in_session',
    'application_grant',
    'remembered_device',
    // A link that was used opens nothing without its row.
    'used_account_link',
    // Applications were told by the installation that ended the session, or hear nothing more of it.
    'logout_notice',
    // What the other installation did by itself.
    'task_run',
  ],
  // The chain begins with a row, and so does the count of tokens.
  seeded: ['audit_link', 'token_index'],
  harmless: [
    '0030-validated-checks.sql',
    '0031-audit-chain.sql',
    '0032-client-secrets.sql',
    '0033-token-status.sql',
    '0034-security-contact.sql',
    '0035-client-proof.sql',
    '0036-applications-of-customers.sql',
  ],
};

type SealedTable = keyof typeof SEALED;

/** @param keyEncryptionKey of this side, and the one before it: the file does not depend on them. */
export function sqlInstallation(
  database: Database,
  keyEncryptionKey: Secret,
  previous?: Secret,
): Installation {
  const sealer = aesGcmSealer(keyEncryptionKey, undefined, previous);
  /** Of codes of 60 bits: nobody knows which of the two hashed one. */
  const recoveryKeys = {
    recoveryKey: keyEncryptionKey,
    ...(previous === undefined ? {} : { previousRecoveryKey: previous }),
  };
  /** Changes the one sealed value of a row that has one. */
  const changeSealed = (table: string, row: Row, change: typeof sealer.seal): Row => {
    if (!(table in SEALED)) return row;
    const { column, owner, context } = SEALED[table as SealedTable];
    const sealed = row[column] ?? null;
    return sealed === null ? row : { ...row, [column]: change(sealed, context(row[owner] ?? '')) };
  };
  return {
    export: (write) =>
      exportStore(database, KIND, write, {
        async extra(transaction) {
          const codes = await transaction.query('SELECT FROM recovery_code LIMIT 1');
          const stored = await transaction.query<{ id: string }>(
            'SELECT id FROM recovery_code_key',
          );
          const missing = Object.entries(recoveryKeys)
            .map(([name, key]) => ({ name, ...recoveryKeyOf(key) }))
            .filter(({ id }) => codes.length > 0 && !stored.some((one) => one.id === id));
          return Object.fromEntries(
            missing.map(({ name, bytes }) => [name, bytes.toString('base64url')]),
          );
        },
        change: (table, row) => changeSealed(table, row, sealer.unseal),
      }),
    import: (lines) =>
      importStore(database, KIND, lines, {
        async begin(transaction, extra) {
          for (const name of ['recoveryKey', 'previousRecoveryKey']) {
            const bytes = extra[name];
            if (bytes !== undefined) await addRecoveryKey(transaction, bytes, sealer.seal);
          }
          return (table, row) => changeSealed(table, row, sealer.seal);
        },
        // A file of 0.5.0 brings none.
        async check(transaction) {
          await beginAuditChain(transaction);
          await beginTokenIndex(transaction);
        },
      }),
  };
}

async function addRecoveryKey(
  transaction: Transaction,
  bytes: string,
  seal: (text: string, context: string) => string,
): Promise<void> {
  const { id } = recoveryKey(Buffer.from(bytes, 'base64url'));
  const sealed = seal(bytes, SEALED.recovery_code_key.context(id));
  await transaction.query('INSERT INTO recovery_code_key (id, sealed_key) VALUES ($1, $2)', [
    id,
    sealed,
  ]);
}
