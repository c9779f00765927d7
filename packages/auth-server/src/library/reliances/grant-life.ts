import type { Grant } from 'oidc-provider';

/**
 * Lets a grant live longer. The library takes the life of a grant that is saved again from its
 * `exp`; its configuration is for new grants alone.
 */
export async function prolong(grant: Grant, seconds: number): Promise<void> {
  if (grant.exp === undefined) return;
  grant.exp += seconds;
  await grant.save();
}
