import {
  ACCESS_TOKEN_ALG,
  ACCESS_TOKEN_TTL_MAX_S,
  PERMISSIONS,
  type Permission,
  scopeOf,
} from '@cls/shared/access-token';
import { type Client, errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider';
import { grantedAccount } from './granted-account.ts';

/** RFC 8707: the one resource that tokens are for, and what a caller may have of it. */
export interface ResourceServerSettings {
  readonly audience: string;
  readonly scopeBase: string;
  readonly accountTokenTtlS: number;
}

/**
 * The resource server for this request. A caller that asks for no scope gets all that it was
 * granted; one that asks for more is refused, because a token with silently fewer scopes fails
 * later and elsewhere.
 */
export function resourceServerFor(
  ctx: KoaContextWithOIDC,
  indicator: string,
  client: Client,
  settings: ResourceServerSettings,
): ResourceServer {
  const { audience, scopeBase, accountTokenTtlS } = settings;
  if (indicator !== audience) throw new errors.InvalidTarget();
  if (isApplication(client)) return forApplication(ctx, settings);
  const account = grantedAccount(ctx);
  const granted =
    account === undefined
      ? (client.scope?.split(' ') ?? [])
      : account.permissions.map((permission: Permission) => scopeOf(scopeBase, permission));
  const params = ctx.oidc.params ?? {};
  const asked = typeof params['scope'] === 'string' ? params['scope'].split(' ') : [];
  const excess = asked.filter((scope) => scope !== '' && !granted.includes(scope));
  if (excess.length > 0) {
    const description = 'a requested scope was not granted to this caller';
    throw new errors.InvalidScope(description, excess.join(' '));
  }
  if (asked.length === 0) params['scope'] = granted.join(' ');
  return {
    scope: granted.join(' '),
    audience,
    accessTokenFormat: 'jwt',
    accessTokenTTL: account === undefined ? ACCESS_TOKEN_TTL_MAX_S : accountTokenTtlS,
    jwt: { sign: { alg: ACCESS_TOKEN_ALG } },
  };
}

/** Whether people sign in into the client, with a browser or a second device. */
export function isApplication(client: Client): boolean {
  return typeof client['first_party'] === 'boolean';
}

/**
 * Before anybody has signed in every permission may be asked for; afterwards there are those that
 * the person has, whatever was asked for: the token's `scope` tells.
 */
function forApplication(
  ctx: KoaContextWithOIDC,
  { audience, scopeBase, accountTokenTtlS }: ResourceServerSettings,
): ResourceServer {
  const person = ctx.oidc.entities.Account as { permissions?: readonly Permission[] } | undefined;
  const permissions = person?.permissions ?? PERMISSIONS;
  return {
    scope: permissions.map((permission) => scopeOf(scopeBase, permission)).join(' '),
    audience,
    accessTokenFormat: 'jwt',
    accessTokenTTL: accountTokenTtlS,
    jwt: { sign: { alg: ACCESS_TOKEN_ALG } },
  };
}
