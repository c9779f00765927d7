import type { Clock } from '@cls/shared/clock';
import { type Actor, causedBy } from '../audit/actor.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type {
  Compromised,
  CompromisedClients,
  CompromisedOptions,
} from '../clients/compromised-clients.ts';
import type { Channel, QueueNotice, SecretCompromised } from '../notices/customer-notice.ts';

export interface AnswerLeakDeps {
  readonly compromisedClients: CompromisedClients;
  readonly queueNotice: QueueNotice;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
}

export interface LeakReport
  extends CompromisedOptions,
    Pick<SecretCompromised, 'reportedBy' | 'foundAt'> {
  readonly actor?: Actor;
}

export interface AnsweredLeak extends Compromised {
  /** How the customer is told. */
  readonly notified: readonly Channel[];
}

/** @returns undefined where the secret had ended already, or the client is not there. */
export type AnswerLeak = (
  clientId: string,
  report: LeakReport,
) => Promise<AnsweredLeak | undefined>;

export function answerLeak(deps: AnswerLeakDeps): AnswerLeak {
  const { compromisedClients, queueNotice, audit, clock } = deps;
  return async (clientId, { reportedBy, foundAt, actor = {}, ...options }) => {
    let notified: readonly Channel[] = [];
    const done = await compromisedClients.answer(clientId, options, async (sql, result) => {
      const { clientName, customer, endedSecretIds, newSecret, tokensRevokedBefore } = result;
      if (customer === null) return;
      const notice: SecretCompromised = {
        ...{ serviceAccount: clientId, name: clientName, secretIds: endedSecretIds, reportedBy },
        ...(newSecret && { newSecretId: newSecret.id }),
        tokensRevokedBefore: tokensRevokedBefore.toISOString(),
        ...(foundAt !== undefined && { foundAt }),
      };
      notified = await queueNotice(sql, customer, 'secret.compromised', notice, clock.now());
    });
    if (done === undefined) return undefined;
    audit.record({
      type: done.customer === null ? 'application.compromised' : 'service_account.compromised',
      subject: clientId,
      reason: reportedBy,
      about: done.endedSecretIds.join(' '),
      ...causedBy(actor),
    });
    return { ...done, notified };
  };
}
