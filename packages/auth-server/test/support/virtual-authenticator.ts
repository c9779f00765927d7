import type { Page } from 'playwright-core';

/** What a laptop has built in: passkeys behind a fingerprint, by the DevTools protocol. */
export interface VirtualAuthenticator {
  /** Whether the finger is known from now on. */
  verify(known: boolean): Promise<void>;
  /** Whether prompts are answered from now on, by somebody at the machine. */
  attend(present: boolean): Promise<void>;
  /** How many passkeys it holds. */
  count(): Promise<number>;
}

export async function virtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async verify(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    async attend(enabled) {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
    async count() {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
      return credentials.length;
    },
  };
}
