import { parseStrictObject } from '@cls/shared/strict-json';

/** A credential as the browser gave it (WebAuthn level 3, §5.1): what must be known to verify it. */
export interface Credential {
  /** base64url. */
  readonly id: string;
  readonly challenge: string;
  /** The account id that the authenticator keeps with a discoverable passkey. */
  readonly userHandle?: string;
  /** All of it, for the library that verifies. */
  readonly json: object;
}

const LENGTH_MAX = 32_768;

/** Undefined when the text is no credential, or one that is too large to be. */
export function parseCredential(text: string): Credential | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const json = parseStrictObject(Buffer.from(text));
  const { id, response } = (json ?? {}) as { id?: unknown; response?: unknown };
  if (json === undefined || typeof id !== 'string') return undefined;
  const { clientDataJSON, userHandle } = Object(response) as Record<string, unknown>;
  if (typeof clientDataJSON !== 'string') return undefined;
  const clientData = parseStrictObject(Buffer.from(clientDataJSON, 'base64url'));
  const challenge = clientData?.['challenge'];
  if (typeof challenge !== 'string' || !/^[A-Za-z0-9_-]{20,100}$/.test(challenge)) return undefined;
  const handle = typeof userHandle === 'string' && userHandle !== '' ? userHandle : undefined;
  return {
    id,
    challenge,
    json,
    ...(handle && { userHandle: Buffer.from(handle, 'base64url').toString('utf8') }),
  };
}
