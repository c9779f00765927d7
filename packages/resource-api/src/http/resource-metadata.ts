import { DPOP_ALGS } from '@cls/shared/access/token-refusals';
import { PERSON_PERMISSIONS, scopeOf } from '@cls/shared/access-token';
import { Refusal } from '@cls/shared/http/refusal';
import type { Middleware } from 'koa';
import { methodNotAllowed } from './method-not-allowed.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const CHALLENGE = 'WWW-Authenticate';

interface Resource {
  /** What tokens for the API have in `aud`; the document is found below its origin where it is a URL. */
  readonly audience: string;
  readonly issuer: string;
  readonly scopeBase: string;
  readonly mtlsBaseUrl: string | undefined;
}

/**
 * Protected resource metadata (RFC 9728): says where tokens for the API come from. It is at the root and
 * at the path that follows from the audience (§3.1).
 */
export function resourceMetadata(resource: Resource): Middleware {
  const { audience, issuer, scopeBase, mtlsBaseUrl } = resource;
  const paths = [WELL_KNOWN, pathOf(audience)];
  const body = JSON.stringify({
    resource: audience,
    authorization_servers: [issuer],
    scopes_supported: PERSON_PERMISSIONS.map((permission) => scopeOf(scopeBase, permission)),
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: DPOP_ALGS,
    tls_client_certificate_bound_access_tokens: mtlsBaseUrl !== undefined,
    resource_documentation: `${issuer}/docs`,
  });
  return (ctx, next) => {
    if (!paths.includes(ctx.path)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed();
    ctx.set('Access-Control-Allow-Origin', '*'); // It is public, and clients in pages ask for it first.
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.type = 'application/json';
    ctx.body = body;
    return undefined;
  };
}

/** Names the document in a refusal's challenge (RFC 9728 §5.1). */
export function challengeWithMetadata(
  refusal: Refusal,
  { audience }: Pick<Resource, 'audience'>,
): Refusal {
  const { details } = refusal;
  const { [CHALLENGE]: challenge, ...others } = details.headers ?? {};
  const path = pathOf(audience);
  if (path === undefined || challenge === undefined) return refusal;
  const mark = challenge.includes('=') ? ',' : '';
  const named = `${challenge}${mark} resource_metadata="${new URL(path, audience).href}"`;
  return new Refusal({ ...details, headers: { ...others, [CHALLENGE]: named } });
}

/** Undefined for an audience that is no address, such as a URN. */
function pathOf(audience: string): string | undefined {
  const { protocol, pathname } = new URL(audience);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return WELL_KNOWN + pathname.replace(/\/$/, '');
}
