/**
 * The grant by which a person gets a token with e-mail and password, and a one-time code where a
 * second factor is enrolled. It stands where RFC 6749 §4.3 stood; docs/reasons/adr/0003 says why it is
 * here and how it is fenced in.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, epochSeconds } from '@cls/shared/clock';
import type { Account } from '../../accounts/account.ts';
import type { AccountRecords } from '../../accounts/account-records.ts';
import type { MfaPolicy } from '../../accounts/mfa-policy.ts';
import { ACCOUNT_GRANT } from '../../clients/grant-types.ts';
import { digest } from '../../crypto/digest.ts';
import { errors, type KoaContextWithOIDC } from '../../library/oidc.ts';
import { AlreadySpent } from '../../library/provider-adapter.ts';
import { contextOf } from '../../library/request-context.ts';
import { type ResourceServerSettings, resourceServerFor } from '../../library/resource-server.ts';
import { type Proof, type ProofDeps, proveCode, provePassword } from '../../sign-in/prove.ts';
import { answering } from '../../state/answering.ts';
import type { StateStore } from '../../state/state-store.ts';
import { addressSubject } from '../../throttle/guess.ts';
import type { Throttle, ThrottleSubject } from '../../throttle/throttle.ts';
import {
  CredentialsRefused,
  MfaEnrolmentRequired,
  MfaRequired,
  TooManyAttempts,
} from './token-error.ts';

export const ACCOUNT_GRANT_PARAMETERS = ['email', 'password', 'otp', 'mfa_token'];

export interface AccountGrantDeps extends ProofDeps {
  readonly records: Pick<AccountRecords, 'recordSignIn'>;
  readonly state: StateStore;
  readonly clock: Clock;
  readonly mfaPolicy: MfaPolicy;
  readonly resourceServer: ResourceServerSettings;
}

const WITH_CODE = ['pwd', 'otp', 'mfa'];
const MFA_TOKEN = 'MfaToken';
const MFA_TOKEN_TTL_S = 300;

interface Proven {
  readonly account: Account;
  readonly amr: readonly string[];
}

/** The library's grant handler. */
export function accountGrant(deps: AccountGrantDeps) {
  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    if (contextOf(ctx).cameAsJson !== true) throw new errors.UnsupportedGrantType();
    const { email, password, otp, mfa_token: mfaToken } = stringParams(ctx);
    const proven =
      mfaToken === undefined
        ? await withPassword(deps, addressSubject(ctx.ip), email ?? '', password ?? '', otp)
        : await withMfaToken(ctx, deps, mfaToken, otp ?? '');
    await issue(ctx, deps, proven);
  };
}

async function withPassword(
  deps: AccountGrantDeps,
  address: ThrottleSubject,
  email: string,
  password: string,
  otp: string | undefined,
): Promise<Proven> {
  const proof = await provePassword(deps, address, email, password, { otp });
  const account = provenAccount(proof);
  if ('codeAccepted' in proof) return { account, amr: WITH_CODE };
  if (!account.secondFactor) {
    if (deps.mfaPolicy === 'required') throw new MfaEnrolmentRequired();
    return { account, amr: ['pwd'] };
  }
  if (otp === undefined) throw new MfaRequired(await newMfaToken(deps.state, account));
  return withCode(deps, address, account, otp, randomUUID());
}

async function withMfaToken(
  ctx: KoaContextWithOIDC,
  deps: AccountGrantDeps,
  mfaToken: string,
  otp: string,
): Promise<Proven> {
  const { accounts, state } = deps;
  const address = addressSubject(ctx.ip);
  const key = digest(mfaToken);
  const entry = await state.find(MFA_TOKEN, key);
  const unspent = entry?.consumedAtS === undefined || entry.spent?.answer !== undefined;
  const accountId = unspent ? entry?.payload['accountId'] : undefined;
  const account = typeof accountId === 'string' ? await accounts.find(accountId) : undefined;
  // The request has no e-mail under which a refusal could be recorded.
  if (account !== undefined) contextOf(ctx).triedAccountId = account.id;
  if (account === undefined || account.disabled || !account.secondFactor) {
    await admit(deps.throttle, [address]);
    throw new CredentialsRefused('mfa_token_not_good');
  }
  const spendable = { kind: MFA_TOKEN, key, secret: mfaToken };
  if (entry?.consumedAtS !== undefined) {
    const authTimeS = epochSeconds(deps.clock);
    contextOf(ctx).authentication = { account, amr: WITH_CODE, authTimeS };
    throw new AlreadySpent(spendable);
  }
  const proven = await withCode(deps, address, account, otp, mfaToken);
  const request = answering();
  if (request === undefined) throw new Error('the account grant outside of a request');
  request.spendable = spendable;
  return proven;
}

async function withCode(
  deps: AccountGrantDeps,
  address: ThrottleSubject,
  account: Account,
  otp: string,
  attempt: string,
): Promise<Proven> {
  provenAccount(await proveCode(deps, address, account, otp, attempt));
  return { account, amr: WITH_CODE };
}

/** @throws {OIDCProviderError} for everything but a proof. */
function provenAccount(proof: Proof): Account {
  if ('waitS' in proof) throw new TooManyAttempts(proof.waitS, proof.first);
  if ('refused' in proof) throw new CredentialsRefused(proof.refused);
  return proof.account;
}

async function admit(throttle: Throttle, subjects: readonly ThrottleSubject[]): Promise<void> {
  const admission = await throttle.admit(subjects);
  if (!admission.admitted) throw new TooManyAttempts(admission.retryAfterS, admission.first);
}

async function newMfaToken(state: StateStore, account: Account): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const payload = { accountId: account.id };
  // A password that was replaced meanwhile proves nothing any more.
  const ends = { account: digest(account.id), ttlS: MFA_TOKEN_TTL_S };
  await state.put({ kind: MFA_TOKEN, key: digest(token), payload, ...ends });
  return token;
}

async function issue(
  ctx: KoaContextWithOIDC,
  { accounts, clock, records, knownAddresses, resourceServer: settings }: AccountGrantDeps,
  { account, amr }: Proven,
): Promise<void> {
  contextOf(ctx).authentication = { account, amr, authTimeS: epochSeconds(clock) };
  const { provider, client } = ctx.oidc;
  if (client === undefined) throw new Error('the account grant without its client');
  const info = resourceServerFor(ctx, settings.audience, client, settings);
  const resourceServer = new provider.ResourceServer(settings.audience, info);
  const token = new provider.AccessToken({
    accountId: account.id,
    client,
    grantId: '', // A JWT is not stored, so there is no grant to revoke it by.
    gty: ACCOUNT_GRANT,
    scope: resourceServer.scope,
  });
  token.resourceServer = resourceServer;
  const accessToken = await token.save();
  // What ends the person's access from now on revokes the token. What did so since the proof missed it.
  const present = await accounts.find(account.id);
  if (accessOf(present) !== accessOf(account)) throw new CredentialsRefused('changed_meanwhile');
  await records.recordSignIn(account.id);
  await knownAddresses.remember(account.id, addressSubject(ctx.ip));
  ctx.body = {
    access_token: accessToken,
    scope: resourceServer.scope,
    expires_in: token.expiration,
    token_type: 'Bearer',
  };
}

/** Changes with all that ends the tokens of a person who goes on. */
function accessOf(account: Account | undefined): string {
  const { passwordVersion, factorsVersion, permissions } = account ?? {};
  return JSON.stringify([passwordVersion, factorsVersion, permissions]);
}

function stringParams(ctx: KoaContextWithOIDC): Readonly<Record<string, string | undefined>> {
  return (ctx.oidc.params ?? {}) as Record<string, string | undefined>;
}
