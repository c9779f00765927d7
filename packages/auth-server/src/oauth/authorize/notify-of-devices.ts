import type { Middleware } from 'koa';
import type { AccountDirectory } from '../../accounts/account.ts';
import type { AccountApplications } from '../../sessions/account-applications.ts';
import { actorOf } from '../../web/browser.ts';

export interface NotifyOfDevicesDeps {
  readonly accounts: AccountDirectory;
  readonly accountApplications: Pick<AccountApplications, 'deviceConnected'>;
}

/**
 * Tells the owner of an account that a second device was connected to it. A person who is signed in
 * enters only a code there, and somebody else may have sent them that code.
 */
export function notifyOfDevices(deps: NotifyOfDevicesDeps): Middleware {
  return async (ctx, next) => {
    await next();
    const { oidc } = ctx;
    const { DeviceCode: code } = oidc?.entities ?? {};
    // A request without a session comes from the device itself, which fetches its tokens.
    if (oidc?.session?.accountId === undefined || code?.clientId === undefined) return;
    if (code.grantId === undefined || code.error !== undefined) return; // Not allowed (yet).
    const account = await deps.accounts.find(oidc.session.accountId);
    if (account === undefined) return;
    await deps.accountApplications.deviceConnected(account, code.clientId, actorOf(ctx));
  };
}
