import {
  ACCESS_TOKEN_ALG,
  ACCESS_TOKEN_TTL_MAX_S,
  ADMIN_PERMISSIONS,
  adminAudience,
  PERSON_PERMISSIONS,
  type Permission,
  type PersonPermission,
  scopeOf,
  tokenPermissions,
} from '@cls/shared/access-token';
import { type Client, errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider';
import type { Account } from '../accounts/account.ts';
import { setAskedScope } from './reliances/asked-scope.ts';
import { contextOf } from './request-context.ts';

/** RFC 8707: the resources that tokens are for, and what a caller may have of each. */
export interface ResourceServerSettings {
  /** Identifies the administrators' API, which is the issuer's own. */
  readonly issuer: string;
  /** The balances API. */
  readonly audience: string;
  readonly scopeBase: string;
  readonly accountTokenTtlS: number;
}

/**
 * The resource of a request that names none. Scopes of the administrators' API alone mean
 * that API; a request without a scope never does. An application that wants no permission gets a token for
 * userinfo alone.
 */
export function defaultResource(
  ctx: KoaContextWithOIDC,
  client: Client,
  settings: ResourceServerSettings,
): string | string[] {
  const asked = askedScopes(ctx);
  if (!isApplication(client)) return resourceOfScopes(asked, settings);
  const { audience, scopeBase } = settings;
  return asked.some((scope) => scope.startsWith(scopeBase)) ? audience : [];
}

/** The scopes that a request asks for; none where it names no scope. */
function askedScopes({ oidc }: KoaContextWithOIDC): readonly string[] {
  const { scope } = oidc.params ?? {};
  return typeof scope === 'string' ? scope.split(' ') : [];
}

/** The resource of a service account or person whose request names none. */
export function resourceOfScopes(
  asked: readonly string[],
  { issuer, audience, scopeBase }: ResourceServerSettings,
): string {
  const admin = ADMIN_PERMISSIONS.map((permission) => scopeOf(scopeBase, permission));
  const administers = asked.length > 0 && asked.every((scope) => admin.includes(scope));
  return administers ? adminAudience(issuer) : audience;
}

/**
 * The resource server for this request. A caller that asks for no scope gets all that it was
 * granted there; one that asks for more is refused, because a token with silently fewer scopes
 * fails later and elsewhere. A token is for one API: scopes of two are refused.
 */
export function resourceServerFor(
  ctx: KoaContextWithOIDC,
  indicator: string,
  client: Client,
  settings: ResourceServerSettings,
): ResourceServer {
  if (isApplication(client)) {
    if (indicator !== settings.audience) throw new errors.InvalidTarget();
    return forApplication(ctx, client, settings);
  }
  const asked = askedScopes(ctx);
  const { authentication } = contextOf(ctx);
  const resourceServer =
    authentication === undefined
      ? forServiceAccount(indicator, client, asked, settings)
      : forPerson(indicator, authentication, asked, settings);
  if (asked.length === 0) setAskedScope(ctx, resourceServer.scope);
  return resourceServer;
}

/** @throws {errors.InvalidScope | errors.InvalidTarget} */
export function forServiceAccount(
  indicator: string,
  client: Client,
  asked: readonly string[],
  settings: ResourceServerSettings,
): ResourceServer {
  const held = client.scope?.split(' ') ?? [];
  return granted(indicator, { held, asked, ttlS: ACCESS_TOKEN_TTL_MAX_S }, settings);
}

function forPerson(
  indicator: string,
  { account, amr }: { readonly account: Account; readonly amr: readonly string[] },
  asked: readonly string[],
  settings: ResourceServerSettings,
): ResourceServer {
  const held = tokenPermissions(account.permissions, amr.includes('mfa')).map((permission) =>
    scopeOf(settings.scopeBase, permission),
  );
  return granted(indicator, { held, asked, ttlS: settings.accountTokenTtlS }, settings);
}

interface Caller {
  /** The scopes that were granted to it, of all APIs. */
  readonly held: readonly string[];
  readonly asked: readonly string[];
  readonly ttlS: number;
}

function granted(
  indicator: string,
  { held, asked, ttlS }: Caller,
  settings: ResourceServerSettings,
): ResourceServer {
  const known = permissionsAt(indicator, settings);
  if (known === undefined) throw new errors.InvalidTarget();
  const here = known.map((permission) => scopeOf(settings.scopeBase, permission));
  const grantedHere = held.filter((scope) => here.includes(scope));
  refuseOthers(asked, held, grantedHere);
  return {
    scope: grantedHere.join(' '),
    audience: indicator,
    accessTokenFormat: 'jwt',
    accessTokenTTL: ttlS,
    jwt: { sign: { alg: ACCESS_TOKEN_ALG } },
  };
}

function permissionsAt(
  indicator: string,
  { issuer, audience }: ResourceServerSettings,
): readonly Permission[] | undefined {
  if (indicator === audience) return PERSON_PERMISSIONS;
  return indicator === adminAudience(issuer) ? ADMIN_PERMISSIONS : undefined;
}

/** @throws {errors.InvalidScope | errors.InvalidTarget} */
function refuseOthers(
  asked: readonly string[],
  held: readonly string[],
  granted: readonly string[],
): void {
  const excess = asked.filter((scope) => scope !== '' && !held.includes(scope));
  if (excess.length > 0) {
    const description = 'a requested scope was not granted to this caller';
    throw new errors.InvalidScope(description, excess.join(' '));
  }
  if (asked.some((scope) => scope !== '' && !granted.includes(scope))) {
    throw new errors.InvalidTarget(
      'a requested scope belongs to another API than the resource; request one API at a time',
    );
  }
  if (granted.length === 0) {
    throw new errors.InvalidTarget(
      'this caller has no scope of the resource; name a resource or scope that it was granted',
    );
  }
}

/**
 * A resource that a refresh token is not for (RFC 8707 §2.2). The library would notice when it has
 * consumed the token: an application that is mistaken would lose all that it has.
 *
 * @throws {errors.InvalidTarget}
 */
export function refuseOtherResources({ oidc }: KoaContextWithOIDC): void {
  const { resource: asked = [] } = oidc.params ?? {};
  const granted = [oidc.entities.RefreshToken?.resource ?? []].flat();
  if ([asked].flat().some((one) => !granted.includes(String(one))))
    throw new errors.InvalidTarget();
}

/** Whether people sign in into the client, with a browser or a second device. */
function isApplication(client: Client): boolean {
  return typeof client['first_party'] === 'boolean';
}

/**
 * Before the sign-in, the application may ask for every scope that it is registered for. Afterwards
 * it gets those that the person has too; the token's `scope` lists them.
 */
function forApplication(
  ctx: KoaContextWithOIDC,
  client: Client,
  { audience, scopeBase, accountTokenTtlS }: ResourceServerSettings,
): ResourceServer {
  const person = ctx.oidc.entities.Account as
    | { permissions?: readonly PersonPermission[] }
    | undefined;
  const registered = client.scope?.split(' ') ?? [];
  const permissions = person?.permissions ?? PERSON_PERMISSIONS;
  return {
    scope: permissions
      .map((permission) => scopeOf(scopeBase, permission))
      .filter((scope) => registered.includes(scope))
      .join(' '),
    audience,
    accessTokenFormat: 'jwt',
    accessTokenTTL: accountTokenTtlS,
    jwt: { sign: { alg: ACCESS_TOKEN_ALG } },
  };
}
