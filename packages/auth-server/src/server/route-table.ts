/**
 * Every path that this service answers on: its methods, and the room whose router answers. What is
 * not listed is 404, though the library may know it; another method is 405.
 */
import { STATUS_LISTS_PATH } from '@cls/shared/access/status-list';
import { ACCOUNT_ROUTES } from '../account-pages/routes.ts';
import {
  ACCOUNT_SIGNED_IN_PATH,
  INVITATION_PATH,
  NEW_PASSWORD_PATH,
  OAUTH_METADATA_PATH,
  OPENID_METADATA_PATH,
  PASSWORD_SET_PATH,
  RESET_PATH,
  ROUTES,
  TOKEN_CONTRACT_PATH,
} from '../web/paths.ts';

export const ROOMS = [
  'token',
  'authorize',
  'interaction',
  'upstream',
  'device',
  'logout',
  'grants',
  'revocation',
  'statusLists',
  'discovery',
  'tokenContract',
  'accountPages',
  'passwordPages',
  'adminApi',
  'secretReports',
  'assets',
] as const;
export type Room = (typeof ROOMS)[number];

type Method = 'GET' | 'POST';

export interface Route {
  /** With `{name}` for a part that changes, as PARTS says. */
  readonly path: string;
  /** Absent: the room's router itself says what it answers to. */
  readonly methods?: readonly Method[];
  readonly room: Room;
  /** Which other origins' pages may read an answer: any, or those that the application allows. */
  readonly readableFrom?: 'any' | 'allowed';
}

const PARTS: Readonly<Record<string, string>> = {
  uid: '[\\w-]{10,64}',
  form: '[a-z-]{1,30}',
  factor: '(?:totp|passkey|codes)',
  domain: '[a-z0-9.-]{3,253}',
  asset: '[\\w.-]{1,100}',
  list: '\\d{1,10}',
  rest: '.*',
};

const GET = ['GET'] as const;
const POST = ['POST'] as const;
const BOTH = ['GET', 'POST'] as const;
/** An application in a browser asks for these itself. */
const SHARED = { readableFrom: 'allowed' } as const;
/** Discovery and the key set are for every page: see oauth/discovery/metadata.ts. */
const PUBLIC = { methods: GET, room: 'discovery', readableFrom: 'any' } as const;

export const ROUTE_TABLE: readonly Route[] = [
  { path: ROUTES.token, methods: POST, room: 'token', ...SHARED },
  { path: ROUTES.authorization, methods: BOTH, room: 'authorize' },
  { path: `${ROUTES.authorization}/{uid}`, methods: GET, room: 'authorize' },
  { path: ROUTES.pushed_authorization_request, methods: POST, room: 'authorize', ...SHARED },
  { path: '/interaction/{uid}', methods: GET, room: 'interaction' },
  { path: '/interaction/{uid}/{form}', methods: BOTH, room: 'interaction' },
  { path: '/interaction/{uid}/enrol/{factor}', methods: BOTH, room: 'interaction' },
  { path: '/upstream/{domain}', methods: GET, room: 'upstream' },
  { path: ROUTES.device_authorization, methods: POST, room: 'device' },
  { path: ROUTES.code_verification, methods: BOTH, room: 'device' },
  { path: `${ROUTES.code_verification}/allowed`, methods: GET, room: 'device' },
  { path: `${ROUTES.code_verification}/denied`, methods: GET, room: 'device' },
  { path: `${ROUTES.code_verification}/{uid}`, methods: GET, room: 'device' },
  { path: ROUTES.end_session, methods: BOTH, room: 'logout' },
  { path: `${ROUTES.end_session}/confirm`, methods: POST, room: 'logout' },
  { path: `${ROUTES.end_session}/success`, methods: GET, room: 'logout' },
  { path: ROUTES.userinfo, methods: BOTH, room: 'grants', ...SHARED },
  { path: ROUTES.revocation, methods: POST, room: 'revocation', ...SHARED },
  { path: ROUTES.introspection, methods: POST, room: 'revocation' },
  { path: `${STATUS_LISTS_PATH}/{list}`, methods: GET, room: 'statusLists', readableFrom: 'any' },
  { path: ROUTES.jwks, ...PUBLIC },
  { path: OPENID_METADATA_PATH, ...PUBLIC },
  { path: OAUTH_METADATA_PATH, ...PUBLIC },
  { path: TOKEN_CONTRACT_PATH, ...PUBLIC, room: 'tokenContract' },
  ...ACCOUNT_ROUTES.map((route) => ({ ...route, room: 'accountPages' as const })),
  { path: ACCOUNT_SIGNED_IN_PATH, methods: GET, room: 'accountPages' },
  { path: RESET_PATH, methods: BOTH, room: 'passwordPages' },
  { path: NEW_PASSWORD_PATH, methods: BOTH, room: 'passwordPages' },
  { path: PASSWORD_SET_PATH, methods: GET, room: 'passwordPages' },
  { path: INVITATION_PATH, methods: BOTH, room: 'passwordPages' },
  { path: '/admin', room: 'adminApi' },
  { path: '/admin/{rest}', room: 'adminApi' },
  { path: '/secret-scanning/reports', methods: POST, room: 'secretReports' },
  { path: '/assets/{asset}', methods: GET, room: 'assets' },
];

/** Every `route` that a request can have. */
export const ROUTE_PATTERNS = ROUTE_TABLE.map(({ path }) => path);

const EXACT = new Map(ROUTE_TABLE.map((route) => [route.path, route]));
const PATTERNS = ROUTE_TABLE.filter(({ path }) => path.includes('{')).map(
  (route) => [patternOf(route.path), route] as const,
);

export function routeOf(path: string): Route | undefined {
  return EXACT.get(path) ?? PATTERNS.find(([pattern]) => pattern.test(path))?.[1];
}

function patternOf(path: string): RegExp {
  const source = path.replace(/\{(\w+)\}/g, (_, name: string) => PARTS[name] ?? '');
  return new RegExp(`^${source}$`);
}
