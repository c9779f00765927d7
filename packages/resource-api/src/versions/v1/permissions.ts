import {
  INTEGRATIONS_PERMISSION,
  POST_PERMISSION,
  READ_PERMISSIONS,
} from '@cls/shared/access-token';

/** Any one of these opens every path of v1 that reads balances. */
export const V1_PERMISSIONS = READ_PERMISSIONS;

/** Opens imports and their profiles, and nothing else. */
export const V1_POST_PERMISSIONS = [POST_PERMISSION] as const;

/** Needed as well to post journal files: they name any deal of the book, and their check tells of it. */
export const V1_JOURNALS_PERMISSIONS = ['external-api.fullcontrol'] as const;

/** Opens the use of the API by the caller's own customer, and nothing else. */
export const V1_USAGE_PERMISSIONS = [INTEGRATIONS_PERMISSION] as const;

/**
 * What a permission shows: a part of the contract, so a change of it is a new version. The
 * database's row-level security and grants enforce it (docs/reference/api.md, "Who sees what").
 */
export const V1_DATA_RULES = {
  'cls-deal.view': {
    deals: 'granted_to_customer',
    amounts: {
      agent: ['global', 'every_lender'],
      lender: ['global', 'own_share'],
      borrower: ['global'],
    },
  },
  'external-api.fullcontrol': {
    deals: 'all',
    amounts: { any: ['global', 'every_lender'] },
  },
} as const satisfies Readonly<Record<(typeof V1_PERMISSIONS)[number], unknown>>;

/**
 * What the permission of imports shows: no deal by itself. A report names loans of the posted file, and those
 * of its source that the file leaves out, with their balances.
 */
export const V1_POST_DATA_RULES = {
  'cls-ledger.post': { deals: 'none', amounts: {} },
} as const satisfies Readonly<Record<(typeof V1_POST_PERMISSIONS)[number], unknown>>;

/** What the permission of usage shows: counts of requests, and nothing of the book. */
export const V1_USAGE_DATA_RULES = {
  'cls-customer.administer': { deals: 'none', amounts: {}, usage: 'own_customer' },
} as const satisfies Readonly<Record<(typeof V1_USAGE_PERMISSIONS)[number], unknown>>;
