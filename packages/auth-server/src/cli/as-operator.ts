import { toolActor } from '@cls/shared/cli/tool-actor';
import { systemClock } from '@cls/shared/clock';
import { developmentSecret } from '@cls/shared/development-secret';
import { createLog, type Log, silentLog } from '@cls/shared/log';
import { openMailSender } from '@cls/shared/mail/open-mail-sender';
import { reasonOf } from '@cls/shared/reason';
import { aesGcmSealer } from '@cls/shared/seal';
import { openDatabaseAsOperator, ownerLocation } from '@cls/shared/service/open-database';
import { readSchema } from '@cls/shared/sql/migrate';
import { sqlTaskRuns } from '@cls/shared/sql/task-runs';
import { targetFault } from '@cls/shared/webhook/webhook-target';
import { administerAccounts } from '../account-management/administer.ts';
import { erasePeople } from '../account-management/erase-person.ts';
import { invite } from '../account-management/invite.ts';
import { sqlErasure } from '../account-management/sql-erasure.ts';
import type { AuditEventType, AuditLog } from '../audit/audit-log.ts';
import { sqlAuditArchive } from '../audit/sql-audit-archive.ts';
import { sqlAuditChain } from '../audit/sql-audit-chain.ts';
import { sqlAuditLog } from '../audit/sql-audit-log.ts';
import { sqlCompromisedClients } from '../clients/sql-compromised-clients.ts';
import { composeRecords } from '../compose-stores.ts';
import { type AuthServerConfig, parseConfig } from '../config.ts';
import { sqlAfterRestore } from '../installation/sql-after-restore.ts';
import { sqlInstallation } from '../installation/sql-installation.ts';
import { sqlSigningKeyStore } from '../keys/sql-signing-keys.ts';
import { answerLeak } from '../leaks/answer-leak.ts';
import { mailQueue } from '../mail/mail-queue.ts';
import { auditAndNotify } from '../mail/security-notice.ts';
import { queueNotice } from '../notices/sql-customer-notices.ts';
import { sqlSecurityContacts } from '../notices/sql-security-contacts.ts';
import { MIGRATIONS } from '../server/migrations.ts';
import { accountAccess } from '../sessions/state-account-access.ts';
import { openStateStore } from '../state/open-state-store.ts';
import type { StateStore } from '../state/state-store.ts';
import { endingTokens } from '../token-status/ending-tokens.ts';
import { accountMailer } from '../views/email/account-mailer.ts';
import { auditBy } from './audit-by.ts';
import type { AsOperator, Operator } from './operator.ts';

/** Opens the records (through a running service where one holds them), and closes them again. */
export const asOperator: AsOperator = async (work, { mayCreate = false, owner = false } = {}) => {
  const config = parseConfig(process.env);
  const log = createLog('cls-auth', 'silent');
  const schema = readSchema(MIGRATIONS);
  const database = await openDatabaseAsOperator(
    owner ? ownerLocation(config.database) : config.database,
    'cls-auth',
    log,
    schema,
    mayCreate,
  );
  let state: Promise<StateStore> | undefined;
  /** Types of the events that the command has recorded so far: what it has changed. */
  const recorded: AuditEventType[] = [];
  let audit: AuditLog | undefined;
  try {
    const keyEncryptionKey =
      config.keyEncryptionKey ?? developmentSecret(config.dataDir, 'key-encryption-key');
    const { previousKeyEncryptionKey } = config;
    const actor = toolActor(process.env);
    const settings = { directory: config.auditSpoolDir, fsync: config.auditFsync };
    const errors = createLog('cls-auth', 'error');
    const ownLog = await sqlAuditLog(database, systemClock, errors, settings);
    audit = auditBy(actor, ownLog, (type) => recorded.push(type));
    const queue = mailQueue(await openMailSender(config), complaints);
    const notices = { audit, mail: accountMailer(config, queue) };
    const stores = composeRecords({ ...config, database, clock: systemClock, keyEncryptionKey });
    const { sealer, records, tokenStatus, sessionStore } = stores;
    const { clientSecrets: secrets, upstreamProviders: providers } = stores;
    // Opened when it is needed: most commands have nothing to do with what is signed in.
    const openState = () => {
      state ??= openStateStore(config, database, log).then((store) =>
        endingTokens(store, tokenStatus),
      );
      return state;
    };
    const lazyState: Parameters<typeof accountAccess>[0] = {
      find: async (...entry) => (await openState()).find(...entry),
      findBy: async (...entry) => (await openState()).findBy(...entry),
      revokeGrant: async (grant) => (await openState()).revokeGrant(grant),
      endAccount: async (...account) => (await openState()).endAccount(...account),
    };
    const signedIn = accountAccess(lazyState, sessionStore, tokenStatus);
    const orSay = (ending: Promise<void>) =>
      ending.catch((cause) => {
        throw sessionsNotEnded(recorded, cause);
      });
    const access: Operator['access'] = {
      endAll: (...account) => orSay(signedIn.endAll(...account)),
      endLeft: (account) => orSay(signedIn.endLeft(account)),
      endApplicationOfAll: (id) => orSay(signedIn.endApplicationOfAll(id)),
    };
    const erasure = sqlErasure(database, { sealer: identitySealer(config), actor });
    const erase = { erasure, records, access, audit };
    const working = work({
      ...stores,
      issuer: config.issuer,
      product: config.brand.name,
      production: config.production,
      outbox: config.smtpUrl === undefined ? config.mailOutbox : undefined,
      auditDays: config.auditRetentionDays,
      securityContacts: sqlSecurityContacts(database, sealer),
      webhookFault: (url) => targetFault(url, { allowLoopback: config.webhooksToLoopback }),
      secrets,
      revocationOf: tokenStatus.revocationOf,
      answerLeak: answerLeak({
        compromisedClients: sqlCompromisedClients(database, secrets.add),
        ...{ queueNotice, audit, clock: systemClock },
      }),
      accounts: records,
      invite: invite({ ...notices, ...stores, providers }),
      access,
      administer: administerAccounts({ ...notices, ...stores, access }),
      erasure,
      erasePeople: (people) => erasePeople(erase, people),
      auditArchive: sqlAuditArchive(database, actor),
      auditChain: sqlAuditChain(database),
      upstream: providers,
      keys: sqlSigningKeyStore(database, sealer, config.signingKeyBits),
      installation: sqlInstallation(database, keyEncryptionKey, previousKeyEncryptionKey),
      afterRestore: sqlAfterRestore(database, openState),
      taskRuns: sqlTaskRuns(database),
      audit,
      tell: (type, account, about) => auditAndNotify(notices, type, account, {}, about),
    });
    // The owners of what was changed get their messages, also where the command fails afterwards.
    return await working.finally(() => queue.drain());
  } finally {
    await audit?.flush();
    await (await state?.catch(() => undefined))?.close();
    await database.close();
  }
};

/**
 * Says what was changed all the same, so that nobody takes the command for undone. No `CommandRefused`: the command
 * may have printed its result.
 */
function sessionsNotEnded(recorded: readonly AuditEventType[], cause: unknown): Error {
  const failure = `sessions could not be ended: ${reasonOf(cause)}`;
  if (recorded.length === 0) return new Error(failure, { cause });
  const meanwhile = recorded.some((type) => type.endsWith('.disabled'))
    ? 'what is disabled is refused in the meantime'
    : 'sessions that are open stay valid until then';
  const changes = [...new Set(recorded)].join(', ');
  const todo = `run the command again when it can be reached: ${meanwhile}`;
  return new Error(`changed, and in the audit (${changes}), but ${failure}; ${todo}`, { cause });
}

/** Apart from KEY_ENCRYPTION_KEY: the services run without it. */
function identitySealer({ auditIdentityKey }: AuthServerConfig) {
  return auditIdentityKey && aesGcmSealer(auditIdentityKey, 'AUDIT_IDENTITY_KEY');
}

/** Messages that could not be sent are reported on stderr, not in the command's answer. */
const complaints: Log = {
  ...silentLog,
  error: (fields, message) => {
    const { to } = fields as { to?: string };
    process.stderr.write(`${message}${to === undefined ? '' : ` (to ${to})`}\n`);
  },
};
