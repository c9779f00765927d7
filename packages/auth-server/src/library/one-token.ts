import type { StatusReference } from '@cls/shared/access/status-list';
import { decodeJwt } from 'jose';
import { type Adapter, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { OPENID_SCOPES } from '../clients/application.ts';
import { revocationOfToken, type TokenStatusRecords } from '../token-status/token-status.ts';
import {
  type AccessToken,
  keepForUserinfo,
  replaceTokenSave,
} from './reliances/access-token-save.ts';
import { adjustRefreshScope } from './reliances/refresh-token-find.ts';

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
  replaceTokenSave(provider, async (token, write, ctx) => {
    const found = grantedScope(token, ctx);
    if (found === undefined) return write();
    if (found.granted === '') throw new errors.InvalidScope(NOTHING_GRANTED, found.asked);
    // In the token the API reads its own scopes alone (RFC 9068 §2.2.3). Where the person has none of
    // them, those that remain tell the API so.
    if (!token.scope || token.aud === undefined) token.scope = found.granted;
    const text = await write();
    token.scope = found.granted; // In the answer.
    if (token.aud !== undefined && token.scopes.has('openid')) {
      await keepForUserinfo(token, text, decodeJwt(text));
    }
    return text;
  });
}

const NOTHING_GRANTED = 'the person has none of the scopes that were asked for';

/** All that was granted to a person's application, in the order asked for; undefined for others. */
function grantedScope(
  token: AccessToken,
  ctx: Partial<KoaContextWithOIDC>,
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

export interface RevokedTokenSettings {
  readonly issuer: string;
  readonly tokenStatus: Pick<TokenStatusRecords, 'revocationOf'>;
}

/** Of access tokens: one may be revoked whose grant goes on, such as when its client's secret is revoked. */
export function refuseRevoked(
  adapter: Adapter,
  { issuer, tokenStatus }: RevokedTokenSettings,
): Adapter {
  const isRevoked = async (text: string) => {
    const { status } = decodeJwt<{ status?: { status_list: StatusReference } }>(text);
    return (await revocationOfToken(tokenStatus, issuer, status?.status_list)) !== undefined;
  };
  return {
    ...adapter,
    async find(text) {
      const found = await adapter.find(text);
      const signed = found !== undefined && text.split('.').length === 3;
      return signed && (await isRevoked(text)) ? undefined : found;
    },
  };
}

/**
 * Clients send the scope that they asked for again when they refresh. What sign-in ignores is ignored
 * then too: a scope that does not exist here, and `offline_access`, which counts at sign-in alone. A
 * scope that exists and that the sign-in did not grant is refused (RFC 6749 §6).
 */
export function ignoreSameScopes(provider: Provider, scopes: readonly string[]): void {
  const counts = (scope: string) => scopes.includes(scope) && scope !== 'offline_access';
  adjustRefreshScope(provider, (asked) => asked.split(' ').filter(counts).join(' ') || undefined);
}
