import { configuration, type EnvironmentReader } from '@cls/shared/environment';
import type { Secret } from '@cls/shared/secret';
import { readServiceEnvironment, type ServiceEnvironment } from '@cls/shared/service-environment';

export interface AuthServerConfig extends ServiceEnvironment {
  /** Seals signing keys and TOTP secrets at rest; undefined on a developer's machine only. */
  readonly keyEncryptionKey: Secret | undefined;
  /** Signs the provider's cookies; undefined on a developer's machine only. */
  readonly cookieKey: Secret | undefined;
  /** Size of signing keys made from now on, in bits. */
  readonly signingKeyBits: 2048 | 3072 | 4096;
  /** Lifetime of a person's access token, in seconds. */
  readonly accountTokenTtlS: number;
  readonly mfaPolicy: MfaPolicy;
  /** How many Redis replicas must have a write that consumes something; 0 waits for none. */
  readonly redisWaitReplicas: number;
}

/** `enrolled` asks for a second factor where one is enrolled; `required` refuses without one. */
export type MfaPolicy = 'enrolled' | 'required';

const KEY_BITS = { '2048': 2048, '3072': 3072, '4096': 4096 } as const;
const KEY_256 = {
  expected: '32 bytes in base64url (43 characters)',
  pattern: /^[A-Za-z0-9_-]{43}$/,
} as const;

/** `parseConfig` throws {ConfigurationError}; `describeConfig` is for docs/configuration.md. */
export const { parseConfig, describeConfig } = configuration(readConfig);

function readConfig(read: EnvironmentReader): AuthServerConfig {
  const shared = readServiceEnvironment(read, 'auth-server', 'AUTH', 8081);
  const keyEncryptionKey = read.optionalSecret('KEY_ENCRYPTION_KEY', {
    about: 'seals signing keys and TOTP secrets at rest; required in production',
    ...KEY_256,
  });
  const cookieKey = read.optionalSecret('COOKIE_KEY', {
    about: 'signs cookies; required in production',
    ...KEY_256,
  });
  if (shared.production) {
    if (keyEncryptionKey === undefined)
      read.fault('KEY_ENCRYPTION_KEY', 'is required in production');
    if (cookieKey === undefined) read.fault('COOKIE_KEY', 'is required in production');
  }
  return {
    ...shared,
    keyEncryptionKey,
    cookieKey,
    signingKeyBits:
      KEY_BITS[
        read.choice('SIGNING_KEY_BITS', ['2048', '3072', '4096'], {
          about: 'size of the RSA signing keys made from now on',
          fallback: '2048',
        })
      ],
    accountTokenTtlS: read.integer('ACCOUNT_TOKEN_TTL', {
      about: 'seconds that a person’s access token lives',
      min: 60,
      max: 86_400,
      fallback: 3_600,
    }),
    mfaPolicy: read.choice('MFA_POLICY', ['enrolled', 'required'], {
      about: '`required` refuses accounts without a second factor',
      fallback: 'enrolled',
    }),
    redisWaitReplicas: read.integer('REDIS_WAIT_REPLICAS', {
      about: 'replicas that must confirm a consumed code or token before it counts',
      min: 0,
      max: 5,
      fallback: 0,
    }),
  };
}
