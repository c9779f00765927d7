import { API_PERMISSIONS } from '@cls/shared/access-token';

/** Any one of these opens every path of v1. */
export const V1_PERMISSIONS = API_PERMISSIONS;

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
