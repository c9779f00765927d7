import * as client from 'openid-client';
import { subjectOf } from './upstream-claims.ts';
import {
  type UpstreamClient,
  UpstreamFailed,
  type UpstreamIdentity,
  type UpstreamProvider,
} from './upstream-provider.ts';

/** How long a provider's metadata is kept, in milliseconds. */
const DISCOVERY_TTL_MS = 600_000;
const DISCOVERIES_MAX = 500;

/**
 * `openid-client` as the relying party. The ID token's signature is verified too, although it
 * comes from the token endpoint itself.
 *
 * @param allowHttp for providers on a developer's machine.
 * @param timeoutS how long a provider may take for one answer.
 */
export function openidClient(allowHttp: boolean, timeoutS: number): UpstreamClient {
  const known = new Map<string, { at: number; config: Promise<client.Configuration> }>();
  const configurationOf = (provider: UpstreamProvider): Promise<client.Configuration> => {
    const { issuer, clientId, clientSecret } = provider;
    const key = JSON.stringify([issuer, clientId, clientSecret.expose()]);
    const found = known.get(key);
    if (found !== undefined && Date.now() - found.at < DISCOVERY_TTL_MS) return found.config;
    const config = client.discovery(
      new URL(issuer),
      clientId,
      undefined,
      secretAuthentication(clientSecret.expose()),
      {
        timeout: timeoutS,
        execute: [
          client.enableNonRepudiationChecks,
          ...(allowHttp ? [client.allowInsecureRequests] : []),
        ],
      },
    );
    if (known.size >= DISCOVERIES_MAX) known.clear();
    known.set(key, { at: Date.now(), config });
    config.catch(() => known.delete(key)); // Asked for again at the next sign-in.
    return config;
  };
  return {
    newKeys: () => ({
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    }),
    authorizationUrl: (provider, redirectUri, { state, nonce, codeVerifier }, asked) =>
      orFailed('upstream_unreachable', async () =>
        client.buildAuthorizationUrl(await configurationOf(provider), {
          redirect_uri: redirectUri,
          scope: 'openid email',
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          login_hint: asked.loginHint,
          // With max_age it must say when it was (OpenID Connect Core §3.1.2.1, auth_time).
          ...(asked.again ? { prompt: 'login', max_age: '0' } : {}),
        }),
      ),
    identify: (provider, callback, { state, nonce, codeVerifier }) =>
      orFailed('upstream_refused', async () => {
        const config = await configurationOf(provider);
        const tokens = await client.authorizationCodeGrant(config, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('no ID token');
        const identity = { subject: subjectOf(claims), claims };
        return withUserinfo(config, provider, tokens.access_token, identity);
      }),
  };
}

/** Basic, which every provider must take (RFC 6749 §2.3.1), unless it says that it takes post alone. */
function secretAuthentication(secret: string): client.ClientAuth {
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  return (server, ...request) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (taken.includes('client_secret_basic') ? basic : post)(server, ...request);
  };
}

/** Many providers keep the e-mail address out of the ID token (OpenID Connect Core §5.4). */
async function withUserinfo(
  config: client.Configuration,
  { emailClaim, emailVerifiedClaim }: UpstreamProvider,
  accessToken: string,
  { subject, claims }: UpstreamIdentity,
): Promise<UpstreamIdentity> {
  const complete = emailClaim in claims && emailVerifiedClaim in claims;
  if (complete || config.serverMetadata().userinfo_endpoint === undefined) {
    return { subject, claims };
  }
  const userinfo = await client.fetchUserInfo(config, accessToken, subject);
  // Address and proof of one place: the proof of one address must not be taken for another's.
  const { [emailClaim]: email, [emailVerifiedClaim]: verified } = userinfo;
  return { subject, claims: { ...claims, [emailClaim]: email, [emailVerifiedClaim]: verified } };
}

async function orFailed<T>(reason: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UpstreamFailed) throw error;
    throw new UpstreamFailed(reason, detailOf(error));
  }
}

/** Names and messages alone: further properties of the library's errors hold what was received. */
function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, error: refusal } = error as { code?: unknown; error?: unknown };
  const parts = [error.name, code, refusal, error.message];
  const named = parts.filter((part) => typeof part === 'string').join(' ');
  return error.cause instanceof Error ? `${named}: ${error.cause.message}` : named;
}
