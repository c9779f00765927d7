import type { Client } from 'oidc-provider';

/** The library's types leave it out. */
interface Informed {
  backchannelLogout(accountId: string, sid: string): Promise<void>;
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
