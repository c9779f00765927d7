import type { Client, Provider } from 'oidc-provider';

/** Methods of the library's clients that its types leave out. */
interface Informed {
  backchannelLogout(accountId: string, sid: string): Promise<void>;
  includeSid(): boolean;
}

/**
 * Puts `sid` into the ID tokens of every application (Back-Channel Logout 1.0 §2.1). The library does so
 * only for applications with a back-channel logout URI; the others could not show, when they ask for a
 * sign-out, which session their token is from.
 */
export function nameSessions(provider: Provider): void {
  (provider.Client.prototype as Client & Informed).includeSid = () => true;
}

/**
 * Tells an application that one of its sessions is over (OpenID Connect Back-Channel Logout 1.0 §2.5).
 * Does nothing for one that registered no URI for it.
 *
 * @param sid the application's name of the session.
 * @throws when the application does not answer with 200 or 204.
 */
export async function sendLogoutToken(
  client: Client,
  accountId: string,
  sid: string,
): Promise<void> {
  if (client.backchannelLogoutUri === undefined) return;
  await (client as Client & Informed).backchannelLogout(accountId, sid);
}
