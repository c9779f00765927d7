import type { AuditLog } from '../audit/audit-log.ts';
import type { SigningKeyListing, SigningKeyStore } from './signing-key.ts';

/** A step of a rotation that was done, with the key that it was done to. */
export interface RotationStep {
  readonly type: 'key.staged' | 'key.promoted' | 'key.removed';
  readonly kid: string;
}

/** What was done, and the keys as they are now: `dueAt` says when there is more to do. */
export interface Rotated {
  readonly done: readonly RotationStep[];
  readonly keys: readonly SigningKeyListing[];
}

/**
 * Does what is due of a rotation: withdraws keys whose last tokens have expired, lets a staged key sign
 * that verifiers know, and stages one where none is on its way. Several processes may do it at once: each
 * step is refused where another has done it. After a crash the next call goes on.
 *
 * @param isOld whether the key that signs is to be replaced.
 */
export async function rotate(
  keys: SigningKeyStore,
  audit: Pick<AuditLog, 'record'>,
  isOld: (signing: SigningKeyListing) => boolean,
): Promise<Rotated> {
  const done: RotationStep[] = [];
  const tell = (type: RotationStep['type'], kid: string) => {
    audit.record({ type, subject: kid });
    done.push({ type, kid });
  };
  const before = await keys.list();
  for (const { kid, state } of before) {
    if (state !== 'retiring') continue;
    const step = await keys.remove(kid, { early: false });
    if (!('refused' in step)) tell('key.removed', kid);
  }
  if (before.some(({ state }) => state === 'staged')) {
    const step = await keys.promote({ early: false });
    if (!('refused' in step)) tell('key.promoted', step.key.kid);
  } else if (before.some((key) => key.state === 'active' && isOld(key))) {
    const step = await keys.stage();
    if (!('refused' in step)) tell('key.staged', step.key.kid);
  }
  return { done, keys: await keys.list() };
}
