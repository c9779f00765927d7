/**
 * Signing in through the organisation's own provider (OpenID Connect Core §3.1). The provider is
 * chosen by the domain of an e-mail address.
 *
 * Each provider has a redirect URI of its own, so that an answer of one is not taken for another's
 * (RFC 9700 §4.4.2.1). The state is good once, for ten minutes, with the same `binding` (the
 * interaction's id).
 */
import type { Log } from '@cls/shared/log';
import { type Account, canonicalEmail } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import { oneTimeState } from '../state/one-time-state.ts';
import type { StateStore } from '../state/state-store.ts';
import type { CustomerRecords } from './customer.ts';
import { domainOfEmail } from './email-domain.ts';
import { type LinkDeps, linkedAccount } from './linked-account.ts';
import {
  type AuthorizationKeys,
  type UpstreamClient,
  UpstreamFailed,
  type UpstreamIdentity,
  type UpstreamRecords,
} from './upstream-provider.ts';

export interface OfferedProvider {
  readonly organisation: string;
  readonly host: string;
}

export interface UpstreamSignIn {
  /** For the sign-in page: the provider for this address, if its domain has one. */
  offered(email: string): Promise<OfferedProvider | undefined>;
  /**
   * @param again whether a proof is wanted that is newer than this.
   * @returns where the browser goes (303), and the `state` that it comes back with; or why not.
   */
  begin(
    email: string,
    binding: string,
    again: boolean,
  ): Promise<Away | { readonly problem: BeginProblem }>;
  /** @param domain from the address `/upstream/<domain>` @param query as the browser brought it. */
  finish(
    domain: string,
    query: URLSearchParams,
    binding: string,
    actor: Actor,
  ): Promise<UpstreamProof | FinishRefusal>;
}

export interface Away {
  readonly href: string;
  readonly state: string;
}

export interface UpstreamProof {
  readonly account: Account;
  readonly amr: readonly string[];
  /** Whole seconds since the epoch. */
  readonly provenAtS: number;
}

export type BeginProblem =
  | { readonly field: 'email'; readonly code: 'email_required' | 'organisation_unknown' }
  | { readonly code: 'upstream_failed' };

export interface FinishRefusal {
  /**
   * `expired`: no such sign-in was begun here, or it was finished. `upstream_identity`: the provider
   * did not name one person. `account_unusable`: it named somebody who has no (enabled) account at
   * this customer. `begin_again`: an earlier try has used up what the provider gave, and failed.
   */
  readonly refused:
    | 'expired'
    | 'upstream_failed'
    | 'upstream_identity'
    | 'account_unusable'
    | 'begin_again';
  /** For the audit; short and free of what was sent. */
  readonly reason: string;
}

export interface UpstreamSignInDeps extends LinkDeps {
  readonly issuer: string;
  readonly client: UpstreamClient;
  readonly providers: UpstreamRecords;
  readonly customers: CustomerRecords;
  readonly state: StateStore;
  readonly log: Log;
}

const TTL_S = 600;
/** Longer than any proof counts as fresh, and short beside the life of a session. */
const STALE_S = 600;
/** How far a provider's clock may be behind. */
const SKEW_S = 60;

interface Begun extends AuthorizationKeys {
  /** Whole seconds since the epoch; absent where any proof will do. */
  readonly provenSinceS?: number;
  readonly domain: string;
  readonly issuer: string;
  readonly binding: string;
}

/**
 * For a request that failed and is sent again: the provider's code is good once, and what it brought
 * is kept. Empty while the provider is asked.
 */
interface Asked {
  readonly identity?: UpstreamIdentity;
  /** The person was linked to no account before. */
  readonly isNew?: boolean;
}

export function upstreamSignIn(deps: UpstreamSignInDeps): UpstreamSignIn {
  const { client, customers, issuer } = deps;
  const begun = oneTimeState<Begun>(deps.state, 'UpstreamSignIn');
  const asked = oneTimeState<Asked>(deps.state, 'UpstreamIdentity');
  const tell = (domain: string, { message, detail }: UpstreamFailed) =>
    deps.log.warn({ domain, reason: message, detail }, 'an upstream provider failed');
  const redirectUri = (domain: string) => `${issuer}/upstream/${domain}`;
  const usable = async (domain: string | undefined) => {
    const provider = domain === undefined ? undefined : await deps.providers.find(domain);
    const customer = provider && (await customers.find(provider.customer));
    if (provider === undefined || customer === undefined || customer.disabled) return undefined;
    return { provider, organisation: customer.name };
  };
  return {
    async offered(email) {
      const found = await usable(domainOfEmail(canonicalEmail(email)));
      if (found === undefined) return undefined;
      const { host } = new URL(found.provider.issuer);
      return { organisation: found.organisation, host };
    },
    async begin(typed, binding, again) {
      const email = canonicalEmail(typed.slice(0, 1_000));
      if (email === '') return { problem: { field: 'email', code: 'email_required' } };
      const found = await usable(domainOfEmail(email));
      if (found === undefined) return { problem: { field: 'email', code: 'organisation_unknown' } };
      const { domain, issuer: upstream } = found.provider;
      const keys = client.newKeys();
      try {
        const uri = redirectUri(domain);
        const how = { loginHint: email, again };
        const url = await client.authorizationUrl(found.provider, uri, keys, how);
        const since = again ? { provenSinceS: Math.floor(Date.now() / 1000) - SKEW_S } : {};
        await begun.put(
          keys.state,
          { ...keys, domain, issuer: upstream, binding, ...since },
          TTL_S,
        );
        return { href: url.href, state: keys.state };
      } catch (error) {
        if (!(error instanceof UpstreamFailed)) throw error;
        tell(domain, error);
        return { problem: { code: 'upstream_failed' } };
      }
    },
    async finish(domain, query, binding, actor) {
      const state = query.getAll('state');
      const known = state.length === 1 ? await begun.look(state[0] ?? '') : undefined;
      if (known?.binding !== binding || known.domain !== domain) {
        return { refused: 'expired', reason: 'upstream_state_unknown' };
      }
      if ((await begun.take(known.state)) === undefined) {
        return { refused: 'expired', reason: 'upstream_state_used' };
      }
      const found = await usable(domain);
      if (found?.provider.issuer !== known.issuer) {
        return { refused: 'upstream_failed', reason: 'upstream_changed' };
      }
      const before = await asked.look(known.state);
      if (before !== undefined && before.identity === undefined) {
        return { refused: 'begin_again', reason: 'upstream_code_used' };
      }
      let { identity, isNew } = before ?? {};
      if (identity === undefined) {
        await asked.put(known.state, {}, TTL_S);
        const callback = new URL(`${redirectUri(domain)}?${query}`);
        try {
          identity = await client.identify(found.provider, callback, known);
        } catch (error) {
          if (!(error instanceof UpstreamFailed)) throw error;
          tell(domain, error);
          return { refused: refusalOf(error.message), reason: error.message };
        }
        const { issuer: of } = known;
        isNew = (await deps.upstreamLinks.accountOf(of, identity.subject)) === undefined;
        await asked.put(known.state, { identity, isNew }, TTL_S);
      }
      if (!isProvenSince(identity, known.provenSinceS)) {
        return { refused: 'upstream_failed', reason: 'upstream_proof_not_new' };
      }
      const signIn = { identity, isNew: isNew === true, state: known.state };
      const account = await linkedAccount(deps, found.provider, found.organisation, signIn, actor);
      return 'unusable' in account
        ? { refused: refusalOf(account.unusable, 'account_unusable'), reason: account.unusable }
        : { account, amr: amrOf(identity), provenAtS: provenAtS(identity) };
    },
  };
}

/** Reasons that lie in how the provider names the person. */
const OF_IDENTITY = ['upstream_subject_invalid', 'upstream_email_invalid'];

function refusalOf<R extends string>(
  reason: string,
  other: R | 'upstream_failed' = 'upstream_failed',
) {
  return OF_IDENTITY.includes(reason) ? 'upstream_identity' : other;
}

/** A provider that does not say when cannot show that it has asked the person anew. */
function isProvenSince({ claims }: UpstreamIdentity, sinceS: number | undefined): boolean {
  const { auth_time: at } = claims;
  return sinceS === undefined || (typeof at === 'number' && at >= sinceS);
}

/**
 * Being signed in at the provider is no fresh proof here. How long ago it was is not told to the
 * last second: a session that begins now does not end because the provider's is old.
 */
function provenAtS({ claims }: UpstreamIdentity): number {
  const { auth_time: at } = claims;
  const nowS = Math.floor(Date.now() / 1000);
  return Math.min(nowS, Math.max(typeof at === 'number' ? at : 0, nowS - STALE_S));
}

/** RFC 8176 §2; what else a provider says means nothing here. */
const AMR_VALUES = new Set(
  'face fpt geo hwk iris kba mca mfa otp pin pop pwd rba retina sc sms swk tel user vbm wia'.split(
    ' ',
  ),
);

/** How the organisation says that the person was proven; `mfa` among it is a second factor. */
function amrOf({ claims }: UpstreamIdentity): string[] {
  const { amr } = claims;
  const values = Array.isArray(amr) ? amr.filter((value) => AMR_VALUES.has(value)) : [];
  return [...new Set(values)];
}
