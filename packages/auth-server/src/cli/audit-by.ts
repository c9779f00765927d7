import type { AuditEvent, AuditEventType, AuditLog } from '../audit/audit-log.ts';

/** An audit whose events all name the actor. @param onRecord gets the type of each event that was taken. */
export function auditBy(
  actor: string,
  audit: AuditLog,
  onRecord: (type: AuditEventType) => void,
): AuditLog {
  const named = (event: AuditEvent): AuditEvent => ({ ...event, actor });
  return {
    record(event) {
      audit.record(named(event));
      onRecord(event.type);
    },
    recordSafely: (event) => audit.recordSafely(named(event)),
    synced: () => audit.synced(),
    catchUp: () => audit.catchUp(),
    flush: () => audit.flush(),
  };
}
