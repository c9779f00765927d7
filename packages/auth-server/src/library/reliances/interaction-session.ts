import type { Provider } from 'oidc-provider';

/**
 * A person who is asked to sign in again may be signed out meanwhile: in another tab, by waiting
 * too long, or by linking the account, which ends its sessions. The library would treat the sign-in
 * as expired. It continues as if nobody had been signed in, when the interaction names no session.
 */
export async function leaveEndedSession(provider: Provider, uid: string): Promise<void> {
  const interaction = await provider.Interaction.find(uid);
  const session = interaction?.session;
  if (interaction?.prompt.name !== 'login' || session === undefined) return;
  if ((await provider.Session.findByUid(session.uid)) !== undefined) return;
  delete interaction.session;
  await interaction.persist();
}
