import type { Client, Provider, ResourceServer } from 'oidc-provider';
import type { ServiceAccount, ServiceAccountDirectory } from '../clients/service-account.ts';
import type { TokenBudget } from '../clients/token-budget.ts';
import type { ProveSecret } from './prove-secret.ts';
import {
  forServiceAccount,
  type ResourceServerSettings,
  resourceOfScopes,
} from './resource-server.ts';
import { provenSecrets } from './token-claims.ts';
import { TooManyTokens } from './too-many-tokens.ts';

/** What a service account sends for a token. */
export interface ServiceTokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Space separated; undefined asks for all that the account was granted. */
  readonly scope: string | undefined;
}

export interface ServiceToken {
  readonly answer: ServiceTokenAnswer;
  /** The id of the secret that was proven. */
  readonly secretId: string;
}

/** RFC 6749 §5.1, in the order in which the library writes it. */
interface ServiceTokenAnswer {
  readonly access_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly token_type: string;
}

/**
 * @returns undefined for a caller that is not proven.
 * @throws {errors.InvalidScope | errors.InvalidTarget} for a scope that was not granted.
 * @throws {TooManyTokens}
 */
export type IssueServiceToken = (request: ServiceTokenRequest) => Promise<ServiceToken | undefined>;

/** What stays the same from one token of a caller to the next. */
interface Caller {
  readonly client: Client;
  /** Of a request that names no scope. */
  everything?: Target;
}

interface Target {
  readonly info: ResourceServer;
  readonly resourceServer: InstanceType<Provider['ResourceServer']>;
}

/**
 * Issues what the library's own handler of client_credentials (its
 * actions/grants/client_credentials.js) would issue, by the same models: claims, format, key and
 * the event `client_credentials.issued` are theirs. While somebody listens to `grant.success`, which
 * shows the library's context, the library must answer.
 */
export function serviceTokens(
  provider: Provider,
  accounts: ServiceAccountDirectory,
  budget: Pick<TokenBudget, 'take' | 'giveBack'>,
  prove: ProveSecret,
  settings: ResourceServerSettings,
): IssueServiceToken {
  /** Each for as long as the directory has the same record. */
  const callers = new WeakMap<ServiceAccount, Caller>();
  const callerOf = async (account: ServiceAccount): Promise<Caller | undefined> => {
    const client = await provider.Client.find(account.id); // Undefined for a disabled account.
    if (client === undefined || !mayAsk(client)) return undefined;
    const caller = { client };
    callers.set(account, caller);
    return caller;
  };
  const newTarget = (client: Client, asked: readonly string[]): Target => {
    const indicator = resourceOfScopes(asked, settings);
    const info = forServiceAccount(indicator, client, asked, settings);
    return { info, resourceServer: new provider.ResourceServer(indicator, info) };
  };
  const targetOf = (caller: Caller, asked: readonly string[]): Target => {
    if (asked.length > 0) return newTarget(caller.client, asked);
    caller.everything ??= newTarget(caller.client, asked);
    return caller.everything;
  };
  return async ({ clientId, clientSecret, scope }) => {
    if (provider.listenerCount('grant.success') > 0) return undefined;
    const account = await accounts.find(clientId);
    const caller = account && (callers.get(account) ?? (await callerOf(account)));
    if (account === undefined || caller === undefined) return undefined;
    const { client } = caller;
    const secretId = await prove(client, clientSecret);
    if (secretId === undefined) return undefined;
    const asked = scope === undefined ? [] : [...new Set(scope.split(' '))];
    const { info, resourceServer } = targetOf(caller, asked);
    const over = budget.take(account);
    if (over !== undefined) throw new TooManyTokens(over);
    const token = new provider.ClientCredentials({
      client,
      resourceServer,
      scope: asked.join(' ') || info.scope,
      expiresIn: info.accessTokenTTL,
    });
    provenSecrets.set(token, secretId);
    const text = await token.save().catch((error: unknown) => {
      budget.giveBack(account.id);
      throw error;
    });
    const answer = {
      access_token: text,
      expires_in: token.expiration,
      scope: token.scope ?? '',
      token_type: token.tokenType,
    };
    return { answer, secretId };
  };
}

/** With a secret that does not run out by itself: ours have their times beside them. */
function mayAsk(client: Client): boolean {
  return (
    client.clientAuthMethod === 'client_secret_basic' &&
    client.clientSecretExpiresAt === undefined &&
    !client.dpopBoundAccessTokens &&
    !client.tlsClientCertificateBoundAccessTokens &&
    client.grantTypeAllowed('client_credentials')
  );
}
