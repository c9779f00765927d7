import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** An authenticator in software: one ES256 passkey, as a browser would hand it to a page. */
export interface SoftPasskey {
  readonly id: string;
  create(options: object, changes?: Changes): string;
  get(options: object, changes?: Changes): string;
}

/** What a test makes wrong. */
export interface Changes {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  readonly rawId?: string;
  readonly signedBy?: KeyObject;
}

const b64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

export function softPasskey(origin: string, accountId: string, synced = true): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = b64(credentialId);
  const rpIdOf = (changes: Changes) => changes.rpId ?? new URL(origin).hostname;
  const clientData = (type: string, options: object, changes: Changes) =>
    JSON.stringify({
      type: changes.type ?? type,
      challenge: changes.challenge ?? (options as { challenge: string }).challenge,
      origin: changes.origin ?? origin,
      crossOrigin: false,
    });
  const authenticatorData = (changes: Changes, attested: boolean) => {
    const flags =
      (changes.userPresent === false ? 0 : 0x01) |
      (changes.userVerified === false ? 0 : 0x04) |
      (synced ? 0x18 : 0) |
      (attested ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(changes.counter ?? 0);
    return Buffer.concat([sha256(rpIdOf(changes)), Buffer.from([flags]), counter]);
  };
  const credential = (response: object, changes: Changes) =>
    JSON.stringify({
      id,
      rawId: changes.rawId ?? id,
      type: 'public-key',
      clientExtensionResults: {},
      response,
    });
  return {
    id,
    create(options, changes = {}) {
      const length = Buffer.from([0, credentialId.length]);
      const authData = Buffer.concat([
        authenticatorData(changes, true),
        Buffer.alloc(16), // AAGUID
        ...[length, credentialId, coseKey(publicKey)],
      ]);
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])],
        ...[text('authData'), bytes(authData)],
      ]);
      const clientDataJSON = clientData('webauthn.create', options, changes);
      const response = {
        clientDataJSON: b64(clientDataJSON),
        attestationObject: b64(attestationObject),
        transports: ['internal'],
      };
      return credential(response, changes);
    },
    get(options, changes = {}) {
      const clientDataJSON = clientData('webauthn.get', options, changes);
      const authData = authenticatorData(changes, false);
      const signed = Buffer.concat([authData, sha256(clientDataJSON)]);
      const response = {
        clientDataJSON: b64(clientDataJSON),
        authenticatorData: b64(authData),
        signature: b64(sign('sha256', signed, changes.signedBy ?? privateKey)),
        userHandle: b64(changes.userHandle ?? accountId),
      };
      return credential(response, changes);
    },
  };
}

/** COSE_Key (RFC 9052 §7): {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, 'base64url')),
  ]);
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}

/** CBOR byte string of up to 65,535 bytes. */
function bytes(value: Buffer): Buffer {
  const { length } = value;
  const head = length < 256 ? [0x58, length] : [0x59, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
}
