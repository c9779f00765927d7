import type { Context } from 'koa';
import type { KoaContextWithOIDC, Provider } from '../library/oidc.ts';
import { MFA_ACR } from '../library/sign-in-policy.ts';
import type { AccountPagesDeps, Visitor } from './account-page-context.ts';

type VisitorDeps = Pick<AccountPagesDeps, 'accounts' | 'mfaPolicy' | 'sessionAbsoluteS'>;

/**
 * Undefined unless the provider would let the same browser into an application without a question:
 * a live session, not too old, of an account that is enabled, with a second factor where the
 * policy demands one.
 */
export async function visitorOf(
  provider: Provider,
  { accounts, mfaPolicy, sessionAbsoluteS }: VisitorDeps,
  ctx: Context,
): Promise<Visitor | undefined> {
  const session = await provider.Session.get(ctx as unknown as KoaContextWithOIDC);
  const { accountId, loginTs: signedInAtS, acr, jti, uid, exp } = session;
  if (accountId === undefined || signedInAtS === undefined) return undefined;
  if (session.past(sessionAbsoluteS)) return undefined;
  const mfa = acr === MFA_ACR;
  if (mfaPolicy === 'required' && !mfa) return undefined;
  const account = await accounts.find(accountId);
  if (account === undefined || account.disabled) return undefined;
  const endsInS = (exp ?? 0) - Math.floor(Date.now() / 1000);
  return { account, session: { jti, uid }, signedInAtS, mfa, endsInS };
}
