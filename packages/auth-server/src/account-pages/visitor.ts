import type { Context } from 'koa';
import type { KoaContextWithOIDC, Provider } from '../library/oidc.ts';
import { isTooOld } from '../library/session-lifetime.ts';
import { MFA_ACR, meetsPolicy } from '../library/sign-in-policy.ts';
import type { AccountPagesDeps, Visitor } from './account-page-context.ts';

type VisitorDeps = Pick<AccountPagesDeps, 'accounts' | 'mfaPolicy' | 'sessions'>;

/**
 * Undefined unless the provider would let the same browser into an application without a question:
 * a live session, not too old, of an account that is enabled, with a second factor where the
 * policy demands one.
 */
export async function visitorOf(
  provider: Provider,
  { accounts, mfaPolicy, sessions }: VisitorDeps,
  ctx: Context,
): Promise<Visitor | undefined> {
  const session = await provider.Session.get(ctx as KoaContextWithOIDC);
  const { accountId, loginTs: signedInAtS, acr, jti, uid, exp } = session;
  if (accountId === undefined || signedInAtS === undefined) return undefined;
  if (isTooOld(sessions, session)) return undefined;
  if (!meetsPolicy(acr, mfaPolicy)) return undefined;
  const account = await accounts.find(accountId);
  if (account === undefined || account.disabled) return undefined;
  const endsInS = (exp ?? 0) - Math.floor(Date.now() / 1000);
  return { account, session: { jti, uid }, signedInAtS, mfa: acr === MFA_ACR, endsInS };
}
