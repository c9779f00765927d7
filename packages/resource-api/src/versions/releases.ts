import type { NoticePolicy } from '../lifecycle/registry.ts';
import type { Release } from '../lifecycle/release.ts';

/**
 * Every version of the API, oldest first: the only source of routes, headers, 410, contracts,
 * notices and documentation. docs/guides/add-a-version.md says how to add a version and how to end one.
 */
export const RELEASES: readonly Release[] = [
  {
    id: 'v1',
    releasedAt: '2026-11-20T00:00:00Z',
    promotesAt: '2026-11-20T00:00:00Z',
    contract: 'contracts/v1.json',
    changes: [],
  },
];

export const NOTICE_POLICY: NoticePolicy = { minNoticeDays: 365 };

/** Where customers read the policy. */
export const POLICY_PATH = '/docs/versioning';
