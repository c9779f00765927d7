import { decodeJwt } from 'jose';
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { OPENID_SCOPES } from './client-metadata.ts';

type AccessToken = InstanceType<Provider['AccessToken']>;

/**
 * One sign-in gives one access token, for the API and for userinfo. To the library a token is for one
 * of the two: it drops `openid` and `email` from the scope of a token for the API, and refuses that
 * token at userinfo because of its audience.
 *
 * `aud` and `scope` in the token stay the API's alone, so what the API demands of a token does not get
 * weaker; `scope` in the answer names everything that was granted. The token is kept under its own
 * text, as the library keeps tokens for userinfo: userinfo answers until the token expires or its grant
 * ends, and any other text, however signed, is not found.
 */
export function answerAtUserinfo(provider: Provider): void {
  const { prototype } = provider.AccessToken;
  const { save } = prototype;
  prototype.save = async function keep(this: AccessToken) {
    const found = grantedScope(this, Provider.ctx);
    if (found === undefined) return save.call(this);
    if (found.granted === '') throw new errors.InvalidScope(NOTHING_GRANTED, found.asked);
    // In the token the API reads its own scopes alone (RFC 9068 §2.2.3). Where the person has none of
    // them, those that remain tell the API so.
    if (!this.scope || this.aud === undefined) this.scope = found.granted;
    const value = await save.call(this);
    this.scope = found.granted; // In the answer.
    if (this.aud !== undefined && this.scopes.has('openid')) await keepForUserinfo(this, value);
    return value;
  };
}

const NOTHING_GRANTED = 'the person has none of the scopes that were asked for';

/** All that was granted to a person's application, in the order asked for; undefined for others. */
function grantedScope(
  token: AccessToken,
  ctx: Partial<KoaContextWithOIDC> = {},
): { asked: string; granted: string } | undefined {
  const { client, entities, params } = ctx.oidc ?? {};
  const { AuthorizationCode, DeviceCode, RefreshToken, Grant } = entities ?? {};
  const source = AuthorizationCode ?? DeviceCode ?? RefreshToken;
  if (source === undefined || Grant === undefined) return undefined;
  const narrowed = source === RefreshToken ? params?.['scope'] : undefined;
  const asked = String(narrowed ?? source.scope ?? '');
  const registered = client?.scope?.split(' ') ?? [];
  // Permissions are among the scopes of the grant too, those included that the person lacks.
  const allowed = Grant.getOIDCScope().split(' ').filter(isOpenId);
  const granted = new Set([...allowed, ...(token.aud === undefined ? [] : token.scopes)]);
  const isGranted = (scope: string) => granted.has(scope) && registered.includes(scope);
  return { asked, granted: asked.split(' ').filter(isGranted).join(' ') };
}

function isOpenId(scope: string): boolean {
  return (OPENID_SCOPES as readonly string[]).includes(scope);
}

async function keepForUserinfo(token: AccessToken, value: string): Promise<void> {
  const { kind, clientId, accountId, grantId, gty, scope, sid, sessionUid } = token;
  const { iat, exp } = decodeJwt(value);
  const kept = { kind, clientId, accountId, grantId, gty, scope, sid, sessionUid, iat, exp };
  await token.adapter.upsert(
    value,
    kept as Parameters<typeof token.adapter.upsert>[1],
    token.expiration,
  );
}

/**
 * Clients send the scope that they asked for again when they refresh. What sign-in ignores is ignored
 * then too: a scope that does not exist here, and `offline_access`, which counts at sign-in alone. A
 * scope that exists and that the sign-in did not grant is refused (RFC 6749 §6).
 */
export function ignoreSameScopes(provider: Provider, scopes: readonly string[]): void {
  const Tokens = provider.RefreshToken;
  const { find } = Tokens;
  Tokens.find = async function findAndIgnore(
    this: typeof Tokens,
    ...args: Parameters<typeof find>
  ) {
    const params = Provider.ctx?.oidc?.params;
    const asked = params?.['scope'];
    if (params !== undefined && typeof asked === 'string') {
      const counts = (scope: string) => scopes.includes(scope) && scope !== 'offline_access';
      const counting = asked.split(' ').filter(counts);
      if (counting.length > 0) params['scope'] = counting.join(' ');
    }
    return find.apply(this, args);
  } as typeof find;
}
