import type { Metrics } from '@cls/shared/metrics/metrics';
import type { AuditEvent, AuditLog } from './audit-log.ts';

/** Counts tokens and sign-ins where their events are taken: what has no event was not given. */
export function countedAudit(audit: AuditLog, metrics: Metrics): AuditLog {
  if (!metrics.measuring) return audit;
  const issued = metrics.counter({
    name: 'cls_tokens_issued_total',
    help: 'Tokens that were given out.',
    labels: { to: ['service_account', 'account'] },
  });
  const signedIn = metrics.counter({
    name: 'cls_sign_ins_total',
    help: 'People who signed in on a page.',
    labels: {},
  });
  const count = ({ type, subject }: AuditEvent): void => {
    if (type === 'token.issued') {
      // What an application gets is a person's.
      issued({ to: subject.startsWith('svc_') ? 'service_account' : 'account' });
    } else if (type === 'sign_in.succeeded') signedIn({});
  };
  return {
    ...audit,
    record(event) {
      audit.record(event);
      count(event);
    },
    async recordSafely(event) {
      await audit.recordSafely(event);
      count(event);
    },
  };
}
