import { join } from 'node:path';
import { configuration, type EnvironmentReader } from '@cls/shared/environment';
import { readMailFrom, readSmtpUrl } from '@cls/shared/mail/read-mail-settings';
import type { Secret } from '@cls/shared/secret';
import {
  readDevelopmentFlag,
  readServiceEnvironment,
  readWebhooksToLoopback,
  type ServiceEnvironment,
} from '@cls/shared/service/service-environment';
import type { MfaPolicy } from './accounts/mfa-policy.ts';
import { type Brand, CONTRAST_MIN, contrastOf, PRODUCT } from './brand/brand.ts';

export interface AuthServerConfig extends ServiceEnvironment {
  /** Seals secrets at rest and keys hashes of them; undefined on a developer's machine only. */
  readonly keyEncryptionKey: Secret | undefined;
  /** Opens what `keyEncryptionKey` does not; set while one replaces the other. */
  readonly previousKeyEncryptionKey?: Secret | undefined;
  /** Signs the provider's cookies; undefined on a developer's machine only. */
  readonly cookieKey: Secret | undefined;
  /** Its cookies and forms are still accepted; set while `cookieKey` replaces it. */
  readonly previousCookieKey?: Secret | undefined;
  /** Seals who an erased account was; the tool alone uses it. Undefined: nobody can find out. */
  readonly auditIdentityKey?: Secret | undefined;
  /** Size of signing keys made from now on, in bits. */
  readonly signingKeyBits: 2048 | 3072 | 4096;
  /** Lifetime of a person's access token, in seconds. */
  readonly accountTokenTtlS: number;
  readonly mfaPolicy: MfaPolicy;
  /** A browser's sign-in ends after so many seconds without use, and after so many in any case. */
  readonly sessionIdleS: number;
  readonly sessionAbsoluteS: number;
  /**
   * A browser that a person asked to be remembered: how long it stays signed in, and is not asked
   * for the second factor again; 0: not offered.
   */
  readonly rememberDeviceS: number;
  readonly refreshTokenTtlS: number;
  /** Refresh tokens end so many seconds after the sign-in, however often they are rotated. */
  readonly refreshAbsoluteS: number;
  /** Seconds in which a refresh token that was just used gets the same answer again; 0: never. */
  readonly refreshGraceS: number;
  /** The mail server; undefined on a developer's machine, where messages become files. */
  readonly smtpUrl: Secret | undefined;
  /** Where messages are written when there is no mail server. */
  readonly mailOutbox: string;
  readonly mailFrom: string;
  /** The keys of secret scanners; undefined: their reports are not taken. */
  readonly secretScanningKeysUrl: string | undefined;
  /** Notices to customers may go to this machine: for development. */
  readonly webhooksToLoopback: boolean;
  /** What the operator makes of the pages. */
  readonly brand: Brand;
  /** Where people get help: an https or mailto URL. */
  readonly supportUrl: string | undefined;
  /** Where people see balances; undefined where there is no explorer. */
  readonly explorerUrl: string | undefined;
  /** The privacy policy, for people, and the documentation, for developers: https URLs. */
  readonly policyUrl: string | undefined;
  readonly documentationUrl: string | undefined;
  /** Days that events of the audit are kept; 0 for ever. */
  readonly auditRetentionDays: number;
  /** Age at which the signing key is replaced; 0: by the operator alone. */
  readonly keyRotationDays: number;
  /** Where audit events wait for the database; each process has a folder of its own in it. */
  readonly auditSpoolDir: string;
  /** Tokens a minute for one service account, and for all of a customer; 0: no limit. */
  readonly tokensPerMinute: number;
  readonly customerTokensPerMinute: number;
  /** Which audit events are on the disk, and not with the system alone, before the answer. */
  readonly auditFsync: 'all' | 'changes' | 'none';
  /** How many Redis replicas must have a write that consumes something; 0 waits for none. */
  readonly redisWaitReplicas: number;
  /** How long Redis may take for one command, in milliseconds. */
  readonly redisTimeoutMs: number;
  /** For developers: `jwks_uri` of a client may be on this machine. */
  readonly keySetsFromLoopback: boolean;
  /** How long an organisation's provider may take for one answer, in seconds. */
  readonly upstreamTimeoutS: number;
}

const KEY_BITS = { '2048': 2048, '3072': 3072, '4096': 4096 } as const;
/** What a key of this service looks like. */
export const KEY_256 = {
  expected: '32 bytes in base64url (43 characters)',
  pattern: /^[A-Za-z0-9_-]{43}$/,
} as const;

/** `parseConfig` throws {ConfigurationError}; `describeConfig` is for docs/reference/configuration.md. */
export const { parseConfig, describeConfig } = configuration(readConfig);

function readConfig(read: EnvironmentReader): AuthServerConfig {
  const shared = readServiceEnvironment(read, 'auth-server', 'AUTH', 8081);
  const brand = readBrand(read);
  const keyEncryptionKey = read.optionalSecret('KEY_ENCRYPTION_KEY', {
    about: 'seals signing keys, TOTP secrets and upstream client secrets; required in production',
    ...KEY_256,
  });
  const previousKeyEncryptionKey = read.optionalSecret('PREVIOUS_KEY_ENCRYPTION_KEY', {
    about:
      'former `KEY_ENCRYPTION_KEY`: what it sealed still opens, and is sealed anew in the background',
    ...KEY_256,
  });
  const cookieKey = read.optionalSecret('COOKIE_KEY', {
    about: 'signs cookies; required in production',
    ...KEY_256,
  });
  const previousCookieKey = read.optionalSecret('PREVIOUS_COOKIE_KEY', {
    about: 'former `COOKIE_KEY`: its cookies and forms still work',
    ...KEY_256,
  });
  const auditIdentityKey = read.optionalSecret('AUDIT_IDENTITY_KEY', {
    about:
      'seals the identity of erased people for `cls-auth audit resolve`; only the tool needs it; without it nobody can find out who an erased account was',
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
    previousKeyEncryptionKey,
    cookieKey,
    previousCookieKey,
    auditIdentityKey,
    signingKeyBits:
      KEY_BITS[
        read.choice('SIGNING_KEY_BITS', ['2048', '3072', '4096'], {
          about: 'size of new RSA signing keys',
          fallback: '2048',
        })
      ],
    accountTokenTtlS: read.integer('ACCOUNT_TOKEN_TTL', {
      about: 'lifetime of a person’s access token, in seconds',
      min: 60,
      max: 86_400,
      fallback: 3_600,
    }),
    tokensPerMinute: read.integer('TOKENS_PER_MINUTE', {
      about: 'tokens a minute for one service account, on average over five minutes; 0: no limit',
      min: 0,
      max: 1_000_000,
      fallback: 60,
    }),
    customerTokensPerMinute: read.integer('CUSTOMER_TOKENS_PER_MINUTE', {
      about: 'the same for all service accounts of a customer together',
      min: 0,
      max: 1_000_000,
      fallback: 600,
    }),
    mfaPolicy: read.choice('MFA_POLICY', ['enrolled', 'required'], {
      about:
        '`required`: people without a second factor must enrol one in the browser; until then the token endpoint refuses them',
      fallback: 'enrolled',
    }),
    sessionIdleS: read.integer('SESSION_IDLE_S', {
      about: 'seconds without use until a browser’s session ends',
      min: 60,
      max: 2_592_000,
      fallback: 3_600,
    }),
    sessionAbsoluteS: read.integer('SESSION_ABSOLUTE_S', {
      about: 'seconds until a browser’s session ends in any case',
      min: 300,
      max: 2_592_000,
      fallback: 43_200,
    }),
    rememberDeviceS: read.integer('REMEMBER_DEVICE_S', {
      about:
        'seconds that “Remember this device” lasts: the browser stays signed in without another second factor; 0: not offered',
      min: 0,
      max: 7_776_000,
      fallback: 2_592_000,
    }),
    refreshTokenTtlS: read.integer('REFRESH_TOKEN_TTL', {
      about: 'lifetime of an unused refresh token, in seconds',
      min: 300,
      max: 7_776_000,
      fallback: 1_209_600,
    }),
    refreshAbsoluteS: read.integer('REFRESH_ABSOLUTE_S', {
      about: 'seconds after the sign-in when its refresh tokens end, used or not',
      min: 300,
      max: 31_536_000,
      fallback: 2_592_000,
    }),
    refreshGraceS: read.integer('REFRESH_GRACE_S', {
      about:
        'seconds in which a used refresh token gets the same answer again, in case it was lost; 0: never',
      min: 0,
      max: 60,
      fallback: 10,
    }),
    ...readMail(read, shared, brand),
    secretScanningKeysUrl: readScanningKeysUrl(read, shared),
    webhooksToLoopback: readWebhooksToLoopback(read, shared.production),
    brand,
    supportUrl: read.optionalLink('SUPPORT_URL', ['https', 'mailto'], {
      about: 'where people get help; shown on pages and in messages',
    }),
    explorerUrl: read.optionalBaseUrl('EXPLORER_URL', {
      about: 'where people see balances; `/`, invitations and the account pages lead there',
    }),
    policyUrl: read.optionalLink('POLICY_URL', ['https'], {
      about: 'privacy policy: linked on every page, and `op_policy_uri` of discovery',
    }),
    documentationUrl: read.optionalLink('DOCUMENTATION_URL', ['https'], {
      about: 'developers’ documentation: `service_documentation` of discovery',
    }),
    auditRetentionDays: read.integer('AUDIT_RETENTION_DAYS', {
      about: 'days that audit events and people’s security logs are kept; 0: for ever',
      min: 0,
      max: 36_500,
      fallback: 400,
    }),
    keyRotationDays: read.integer('KEY_ROTATION_DAYS', {
      about:
        'age in days at which the signing key is replaced, step by step; 0: by the operator alone',
      min: 0,
      max: 3_650,
      fallback: 90,
    }),
    auditSpoolDir:
      read.optionalText('AUDIT_SPOOL_DIR', {
        about:
          'directory where audit events wait for the database; it must outlive the process; processes of one machine may share it',
        fallbackText: '`audit-spool` in the service’s data directory',
      }) ?? join(shared.dataDir, 'audit-spool'),
    // The embedded database does not survive a crash of the machine either.
    auditFsync:
      shared.database.kind === 'embedded'
        ? 'none'
        : read.choice('AUDIT_FSYNC', ['changes', 'all'], {
            about:
              'which audit events are on disk before the answer goes out, and so survive a crash of the machine: with `changes`, all but those of tokens, which survive a crash of the process and are in the database within a second; with `all`, those of tokens too, so each token waits for the disk',
            fallback: 'changes',
          }),
    redisWaitReplicas: read.integer('REDIS_WAIT_REPLICAS', {
      about: 'replicas that must confirm a consumed code or token',
      min: 0,
      max: 5,
      fallback: 0,
    }),
    redisTimeoutMs: read.integer('REDIS_TIMEOUT_MS', {
      about: 'milliseconds for one Redis command; then the request gets 503',
      min: 50,
      max: 60_000,
      fallback: 500,
    }),
    keySetsFromLoopback: readDevelopmentFlag(
      read,
      'JWKS_URI_TO_LOOPBACK',
      shared.production,
      'the key set that a client publishes (`jwks_uri`) may be on this machine',
    ),
    upstreamTimeoutS: read.integer('UPSTREAM_TIMEOUT_S', {
      about: 'seconds for one answer of an organisation’s OpenID provider; then the sign-in fails',
      min: 1,
      max: 60,
      fallback: 5,
    }),
  };
}

/** https; a developer's may be on this machine. */
function readScanningKeysUrl(
  read: EnvironmentReader,
  { production }: ServiceEnvironment,
): string | undefined {
  const url = read.optionalText('SECRET_SCANNING_KEYS_URL', {
    about:
      'public keys of the secret scanner whose reports are taken at `/secret-scanning/reports`; for GitHub `https://api.github.com/meta/public_keys/secret_scanning`; not set: no reports',
  });
  if (url === undefined) return undefined;
  const { protocol, hostname } = new URL(URL.canParse(url) ? url : 'none:');
  const isLocal = !production && protocol === 'http:' && hostname === '127.0.0.1';
  if (protocol !== 'https:' && !isLocal) {
    read.fault('SECRET_SCANNING_KEYS_URL', 'expected an https URL');
  }
  return url;
}

/** Faults name what to do; a colour that people cannot read is refused. */
function readBrand(read: EnvironmentReader): Brand {
  const name = read.text('BRAND_NAME', {
    about: 'name of the service on pages, in messages and in authenticator apps',
    fallback: PRODUCT,
  });
  if (!/^[^<>@"\p{Cc}]{1,40}$/u.test(name)) {
    read.fault('BRAND_NAME', 'expected 1 to 40 characters, none of them < > @ or "');
  }
  const colour = read.optionalText('BRAND_COLOUR', {
    about: 'colour of buttons and links, `#rrggbb`; too light a colour is refused',
    fallbackText: 'the blue of CLS',
  });
  if (colour !== undefined && !/^#[0-9a-f]{6}$/i.test(colour)) {
    read.fault('BRAND_COLOUR', 'expected a colour such as #1d4f91');
  } else if (colour !== undefined && contrastOf(colour) < CONTRAST_MIN) {
    const found = contrastOf(colour).toFixed(2);
    read.fault(
      'BRAND_COLOUR',
      `too light: its contrast with the pages is ${found}, and at least ${CONTRAST_MIN} is needed; take a darker one`,
    );
  }
  const logo = read.optionalText('BRAND_LOGO', {
    about: 'logo file, .svg or .png, at most 64 KiB',
    fallbackText: 'the sign of CLS',
  });
  return { name, colour, logo };
}

function readMail(
  read: EnvironmentReader,
  { production, dataDir, issuer }: ServiceEnvironment,
  brand: Brand,
) {
  const smtpUrl = readSmtpUrl(read, 'mail server for messages to people');
  const outbox = read.optionalText('MAIL_OUTBOX', {
    about: 'directory for messages, instead of `SMTP_URL`; production needs one of the two',
    fallbackText: '`outbox` in the service’s data directory',
  });
  if (production && smtpUrl === undefined && outbox === undefined) {
    read.fault('SMTP_URL', 'is required in production (or set MAIL_OUTBOX)');
  }
  return {
    smtpUrl,
    mailOutbox: outbox ?? join(dataDir, 'outbox'),
    mailFrom: readMailFrom(read, {
      fallback: `${brand.name} <no-reply@${new URL(issuer).hostname}>`,
      fallbackText: '`BRAND_NAME` + ` <no-reply@` + the host of `ISSUER` + `>`',
    }),
  };
}
