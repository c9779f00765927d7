import { statusIndex } from '@cls/shared/access/status-list';
import type { VerifiedToken, VerifyToken } from '@cls/shared/access/verify-token';
import { INTROSPECT_PERMISSION, scopeOf } from '@cls/shared/access-token';
import { Refusal } from '@cls/shared/http/refusal';
import { decodeJwt, type JWTPayload } from 'jose';
import type { Context, Middleware } from 'koa';
import type { AuditLog } from '../../audit/audit-log.ts';
import { mayRevoke } from '../../library/configuration.ts';
import { type Client, errors, type KoaContextWithOIDC } from '../../library/oidc.ts';
import type { TokenStatusRecords } from '../../token-status/token-status.ts';
import { oauthError, writeOAuthError } from '../../web/oauth-error.ts';
import { refusalReason } from '../token/refusal-reason.ts';

export interface SignedTokensDeps {
  readonly issuer: string;
  readonly scopeBase: string;
  /** For each API that tokens are for. */
  readonly verifiers: readonly VerifyToken[];
  readonly tokens: Pick<TokenStatusRecords, 'revokeOne' | 'revocationOf'>;
  readonly audit: Pick<AuditLog, 'record'>;
}

/** A token of ours that lives and is not revoked. */
interface LivingToken {
  readonly claims: JWTPayload;
  readonly verified: VerifiedToken;
  /** Undefined for a token from before there was a list. */
  readonly index: number | undefined;
}

/**
 * RFC 7009 and RFC 7662 for access tokens. The library keeps none of them and answers
 * `unsupported_token_type`, once it has authenticated the client.
 */
export function signedTokens(deps: SignedTokensDeps): Middleware {
  return async (ctx, next) => {
    await next();
    const { oidc } = ctx as KoaContextWithOIDC;
    const { client } = oidc ?? {};
    if (client === undefined || !isUnsupported(ctx.body)) return;
    delete ctx.state['refused']; // That was the library's answer.
    const text = String(oidc.params?.['token']);
    const token = await livingToken(deps, text);
    if (oidc.route === 'revocation') await revoke(deps, ctx as KoaContextWithOIDC, client, token);
    else introspect(deps, ctx, client, token);
  };
}

function isUnsupported(body: unknown): boolean {
  return (body as { error?: unknown } | undefined)?.error === 'unsupported_token_type';
}

async function livingToken(
  { issuer, verifiers, tokens }: SignedTokensDeps,
  text: string,
): Promise<LivingToken | undefined> {
  for (const verify of verifiers) {
    try {
      const verified = await verify(text);
      const index = verified.status && statusIndex(issuer, verified.status);
      if (index !== undefined && (await tokens.revocationOf(index))) return undefined;
      return { claims: decodeJwt(text), verified, index };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // Of another API, or of none.
    }
  }
  return undefined;
}

/** @throws nothing for a token that is none: RFC 7009 §2.2 answers 200. */
async function revoke(
  { tokens, audit }: SignedTokensDeps,
  ctx: KoaContextWithOIDC,
  client: Client,
  token: LivingToken | undefined,
): Promise<void> {
  const { caller, expiresAtS } = token?.verified ?? {};
  try {
    if (caller !== undefined && expiresAtS !== undefined && mayRevoke(ctx, client, caller)) {
      if (token?.index === undefined) throw new errors.UnsupportedTokenType(WITHOUT_INDEX);
      const { subject, clientId } = caller;
      // First: a token that is revoked already gets 200 and nothing is done. An application's token opens userinfo too.
      await (
        await ctx.oidc.provider.AccessToken.find(String(ctx.oidc.params?.['token']))
      )?.destroy();
      await tokens.revokeOne(token.index, { subject, clientId }, expiresAtS);
      audit.record({ type: 'token.revoked', subject, clientId, address: ctx.ip });
    }
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error;
    ctx.state['refused'] = refusalReason(error);
    const { statusCode, error: code, error_description } = error;
    writeOAuthError(ctx, oauthError(statusCode, code, error_description));
    return;
  }
  ctx.status = 200;
  ctx.body = '';
}

const WITHOUT_INDEX = 'the token was made before tokens could be revoked; it ends within a day';

/** A client hears of its own tokens; one with the permission of every token. */
function introspect(
  { scopeBase }: SignedTokensDeps,
  ctx: Context,
  client: Client,
  token: LivingToken | undefined,
): void {
  const ofAll = client.scope?.split(' ').includes(scopeOf(scopeBase, INTROSPECT_PERMISSION));
  const isOwn =
    client.clientAuthMethod !== 'none' && token?.verified.caller.clientId === client.clientId;
  ctx.status = 200;
  ctx.body =
    token !== undefined && (ofAll || isOwn)
      ? { ...token.claims, active: true, token_type: typeOf(token.verified) }
      : { active: false };
}

/** RFC 9449 §6.2. */
function typeOf({ binding }: VerifiedToken): string {
  return binding.jkt === undefined ? 'Bearer' : 'DPoP';
}
