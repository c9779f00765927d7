import { scopeOf } from '../access-token.ts';
import { reasonOf } from '../reason.ts';
import { fetchOf } from './check-key-set.ts';
import { type Finding, findingsOf } from './finding.ts';

/** What a service expects of the issuer, as its settings say it. */
export interface IssuerExpectation {
  readonly issuer: string;
  readonly audience: string;
  readonly scopeBase: string;
}

/** OpenID Connect Discovery 1.0 and RFC 8414. */
export interface IssuerMetadata {
  readonly issuer?: unknown;
  readonly jwks_uri?: unknown;
  readonly token_endpoint?: unknown;
  readonly scopes_supported?: unknown;
  /** RFC 9728 §4: the identifiers of the APIs that tokens are for. */
  readonly protected_resources?: unknown;
}

/**
 * Asks the issuer's discovery whether this service is configured as auth-server is: with another
 * issuer, audience or scope base the service starts, and refuses every token.
 *
 * @param base where auth-server is reached; the issuer, or an address inside of the installation.
 * @param mayBeDown whether it may not run yet.
 */
export async function checkIssuer(
  base: string,
  expected: IssuerExpectation,
  mayBeDown = false,
): Promise<{ readonly findings: readonly Finding[]; readonly metadata?: IssuerMetadata }> {
  const { ok, warning, failed } = findingsOf('issuer');
  const url = `${base}/.well-known/openid-configuration`;
  const away = mayBeDown ? warning : failed;
  const todo = `open ${url} from this machine: check ISSUER, the ingress, and NODE_EXTRA_CA_CERTS for a CA of your own`;
  let metadata: IssuerMetadata;
  try {
    const { response } = await fetchOf(url);
    metadata = Object(await response.json().catch(() => ({})));
    if (response.status !== 200) {
      return { findings: [away('metadata', `${url} answers ${response.status}`, todo)] };
    }
  } catch (error) {
    return { findings: [away('metadata', `${url}: ${reasonOf(error)}`, todo)] };
  }
  const { issuer, audience, scopeBase } = expected;
  if (metadata.issuer !== issuer) {
    const found = `${url} names the issuer ${shown(metadata.issuer)}, and ISSUER is ${issuer}`;
    const same = 'set ISSUER as auth-server has it, byte for byte';
    return { findings: [failed('metadata', found, same)] };
  }
  const compared = [
    ['audience', 'AUDIENCE', audience, metadata.protected_resources],
    ['scopes', 'SCOPE_BASE', scopeOf(scopeBase, 'cls-deal.view'), metadata.scopes_supported],
  ] as const;
  const findings = compared.flatMap(([check, setting, ours, theirs]) => {
    if (!Array.isArray(theirs)) return [];
    const found = `auth-server issues tokens for ${theirs.map(shown).join(', ')}, and not for ${ours}`;
    return [
      theirs.includes(ours)
        ? ok(check, ours)
        : failed(check, found, `set ${setting} as auth-server has it`),
    ];
  });
  return { findings: [ok('metadata', issuer), ...findings], metadata };
}

/**
 * Asks the token endpoint whether it knows a client: a code that nobody gave out is refused as such
 * (`invalid_grant`) to a client that has proven who it is.
 */
export async function checkClient(
  tokenEndpoint: string,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  settings: string,
): Promise<Finding> {
  const { ok, warning, failed } = findingsOf('issuer');
  const encoded = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const code = 'a-code-that-nobody-gave-out';
  try {
    const { response } = await fetchOf(tokenEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(encoded).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: 'x:y' }),
    });
    const answer: { readonly error?: unknown } = Object(await response.json().catch(() => ({})));
    if (answer.error === 'invalid_grant' || answer.error === 'invalid_request') {
      return ok('client', `${clientId} is known, and its secret is right`);
    }
    if (answer.error === 'invalid_client') {
      const todo = `set ${settings}: cls-auth applications list shows the id, and applications add-secret makes a secret`;
      return failed('client', `auth-server refuses ${clientId} with this secret`, todo);
    }
    const found = `${tokenEndpoint} answers ${response.status} ${shown(answer.error)}`;
    return warning('client', found, 'look at the log of auth-server');
  } catch (error) {
    const todo = `check that this machine reaches ${tokenEndpoint}`;
    return failed('client', `${tokenEndpoint}: ${reasonOf(error)}`, todo);
  }
}

const SHOWN_MAX_CHARS = 200;

function shown(value: unknown): string {
  return `${typeof value === 'object' ? JSON.stringify(value) : value}`.slice(0, SHOWN_MAX_CHARS);
}
