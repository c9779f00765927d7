/** Where the endpoints of the protocol are, by the library's names for them. */
export const ROUTES = {
  token: '/oauth/token',
  jwks: '/.well-known/jwks.json',
  authorization: '/oauth/authorize',
  pushed_authorization_request: '/oauth/par',
  userinfo: '/oauth/userinfo',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  end_session: '/oauth/logout',
  device_authorization: '/oauth/device',
  code_verification: '/device',
} as const;

/** The issuer's metadata (OpenID Connect Discovery §4, RFC 8414 §3). */
export const OPENID_METADATA_PATH = '/.well-known/openid-configuration';
export const OAUTH_METADATA_PATH = '/.well-known/oauth-authorization-server';

/** The contract of the token endpoint, revocation and introspection in OpenAPI. */
export const TOKEN_CONTRACT_PATH = '/oauth/openapi.json';

/** What people see when they have signed out. */
export const SIGNED_OUT_PATH = `${ROUTES.end_session}/success`;

/** Leads to the explorer, where the operator has named one; else to the account pages. */
export const START_PATH = '/';

/** The pages on which people look after their own account. */
export const ACCOUNT_PATH = '/account';
export const ACCOUNT_PLACE_PATHS = {
  overview: ACCOUNT_PATH,
  password: `${ACCOUNT_PATH}/password`,
  factors: `${ACCOUNT_PATH}/factors`,
  sessions: `${ACCOUNT_PATH}/sessions`,
  applications: `${ACCOUNT_PATH}/applications`,
  integrations: `${ACCOUNT_PATH}/integrations`,
  log: `${ACCOUNT_PATH}/log`,
} as const;
/** Takes a form, which signs the person out at once. */
export const ACCOUNT_SIGN_OUT_PATH = `${ACCOUNT_PATH}/sign-out`;
/** Where people come back to when they have signed in for the account pages. */
export const ACCOUNT_SIGNED_IN_PATH = `${ACCOUNT_PATH}/signed-in`;

/** Logos of applications, by their names: among the service's own files. */
export const LOGOS_PATH = '/assets/';

/** Setting a password by a link that was sent. */
export const RESET_PATH = '/password/reset';
export const NEW_PASSWORD_PATH = '/password/new';
export const PASSWORD_SET_PATH = '/password/set';
export const INVITATION_PATH = '/invitation';
