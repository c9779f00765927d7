/** Where the endpoints of the protocol are, by the library's names for them. */
export const ROUTES = {
  token: '/oauth/token',
  jwks: '/.well-known/jwks.json',
  authorization: '/oauth/authorize',
  pushed_authorization_request: '/oauth/par',
  userinfo: '/oauth/userinfo',
  revocation: '/oauth/revoke',
  end_session: '/oauth/logout',
  device_authorization: '/oauth/device',
  code_verification: '/device',
} as const;

/** The pages on which people look after their own account. */
export const ACCOUNT_PATH = '/account';
/** Where people come back to when they have signed in for the account pages. */
export const ACCOUNT_SIGNED_IN_PATH = `${ACCOUNT_PATH}/signed-in`;

/** The administrators' API answers on all of these itself, 404 and 405 as its problem documents. */
export function isAdminPath(path: string): boolean {
  return path === '/admin' || path.startsWith('/admin/');
}
