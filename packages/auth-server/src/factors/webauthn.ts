import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { WebAuthn } from './passkey.ts';

type Registration = Parameters<typeof verifyRegistrationResponse>[0]['response'];
type Authentication = Parameters<typeof verifyAuthenticationResponse>[0]['response'];
type Transport = NonNullable<Registration['response']['transports']>[number];

/** How long the browser waits for the person, in milliseconds. */
const TIMEOUT_MS = 300_000;

/**
 * WebAuthn for pages of `issuer`: its host is the relying party, and its origin alone may ask. No
 * attestation is asked for, because no kind of authenticator is preferred.
 */
export function webAuthn(issuer: string, relyingPartyName: string): WebAuthn {
  const { origin, hostname } = new URL(issuer);
  const expected = { expectedOrigin: origin, expectedRPID: hostname };
  return {
    creationOptions: (account, existing) =>
      generateRegistrationOptions({
        rpName: relyingPartyName,
        rpID: hostname,
        userID: new TextEncoder().encode(account.id),
        userName: account.email,
        userDisplayName: account.email,
        timeout: TIMEOUT_MS,
        attestationType: 'none',
        excludeCredentials: existing.map(({ credentialId: id }) => ({ id })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      }),
    requestOptions: (allowed) =>
      generateAuthenticationOptions({
        rpID: hostname,
        timeout: TIMEOUT_MS,
        userVerification: allowed === undefined ? 'required' : 'preferred',
        ...(allowed && {
          allowCredentials: allowed.map(({ credentialId: id, transports }) => ({
            id,
            transports: transports as Transport[],
          })),
        }),
      }),
    async verifyCreation(credential, challenge) {
      const verified = await refusedAsUndefined(() =>
        verifyRegistrationResponse({
          response: credential as Registration,
          expectedChallenge: challenge,
          ...expected,
          requireUserVerification: false,
        }),
      );
      const info = verified?.registrationInfo;
      if (!verified?.verified || info === undefined) return undefined;
      return {
        credentialId: info.credential.id,
        publicKey: Buffer.from(info.credential.publicKey).toString('base64url'),
        counter: info.credential.counter,
        transports: info.credential.transports ?? [],
        synced: info.credentialDeviceType === 'multiDevice',
        userVerified: info.userVerified,
      };
    },
    async verifyAssertion(credential, challenge, passkey) {
      const verified = await refusedAsUndefined(() =>
        verifyAuthenticationResponse({
          response: credential as Authentication,
          expectedChallenge: challenge,
          ...expected,
          credential: {
            id: passkey.credentialId,
            publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
            counter: passkey.counter,
          },
          requireUserVerification: false,
        }),
      );
      if (!verified?.verified) return undefined;
      const { newCounter, userVerified } = verified.authenticationInfo;
      return { counter: newCounter, userVerified };
    },
  };
}

/** The library throws for each fault of a credential. It is not an error of this service. */
async function refusedAsUndefined<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
