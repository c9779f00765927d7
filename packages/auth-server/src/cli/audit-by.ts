import type { AuditEvent, AuditLog } from '../audit/audit-log.ts';

/** An audit whose events all name the actor. */
export function auditBy(actor: string, audit: AuditLog): AuditLog {
  const named = (event: AuditEvent): AuditEvent => ({ ...event, actor });
  return {
    record: (event) => audit.record(named(event)),
    recordSafely: (event) => audit.recordSafely(named(event)),
    synced: () => audit.synced(),
    catchUp: () => audit.catchUp(),
    flush: () => audit.flush(),
  };
}
