/** The NOTIFY channel of migration 0001; payloads: `callers`, `keys`. */
export const CHANGE_CHANNEL = 'cls_auth_change';
