import type { ImportJob } from '../../import/jobs/import-job.ts';
import type { RegisteredProfile } from '../../import/jobs/import-profiles.ts';

/** A job as callers see it. */
export function presentImport(job: ImportJob) {
  const { id, status, parameters, fileSha256, sizeBytes } = job;
  const { kind, apply, profile = null } = parameters;
  const { postedBy, createdAt, startedAt, endedAt, importId, report } = job;
  return {
    ...{ object: 'import', id, status, kind, apply, profile, sha256: fileSha256, sizeBytes },
    ...{ postedBy, createdAt, startedAt, endedAt, importId, report },
  };
}

export function presentProfile({ name, changedAt, profile }: RegisteredProfile) {
  return { object: 'importProfile', name, changedAt, profile };
}
