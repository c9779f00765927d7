/** The shapes of answers (present.ts), for the contract. */
import { PERSON_PERMISSIONS, SERVICE_PERMISSIONS } from '@cls/shared/access-token';
import { z } from 'zod';
import { PROOF_METHODS } from '../clients/client-proof.ts';

/** Those that have a name in the contract. */
export const NAMED = z.registry<{ id: string }>();

const text = z.string();
const textOrNull = text.nullable();
const time = z.string().meta({ format: 'date-time' });
const timeOrNull = time.nullable();
const lastUse = { lastUsedAt: timeOrNull, lastUsedFrom: textOrNull };

const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    page: z.object({
      limit: z.int().min(1).max(100),
      hasMore: z.boolean(),
      nextCursor: textOrNull,
    }),
  });

export const ACCOUNT = z
  .object({
    ...{ object: z.literal('account'), id: text, email: text, name: text.optional() },
    ...{ customer: text, permissions: z.array(z.enum(PERSON_PERMISSIONS)), disabled: z.boolean() },
    ...{ secondFactor: z.boolean(), pending: z.boolean(), lastSignedInAt: timeOrNull },
  })
  .register(NAMED, { id: 'Account' });
export const ACCOUNTS = listOf(ACCOUNT).register(NAMED, { id: 'AccountList' });

export const INVITATION = z
  .object({ object: z.literal('invitation'), account: ACCOUNT, expiresAt: timeOrNull })
  .register(NAMED, { id: 'Invitation' });

const EVENT = z
  .object({
    ...{ object: z.literal('event'), id: text, at: time, type: text, clientId: textOrNull },
    ...{ address: textOrNull, browser: textOrNull, system: textOrNull },
    ...{ reason: textOrNull, about: textOrNull },
  })
  .register(NAMED, { id: 'Event' });
export const EVENTS = listOf(EVENT).register(NAMED, { id: 'EventList' });

const APPLICATION = z
  .object({
    ...{ object: z.literal('application'), id: text, name: text, customer: text },
    ...{ scopes: z.array(text), redirectUris: z.array(text), confidential: z.boolean() },
    ...{ disabled: z.boolean(), clientUri: textOrNull, initiateLoginUri: textOrNull },
    ...{ policyUri: textOrNull, tosUri: textOrNull },
  })
  .register(NAMED, { id: 'Application' });
export const APPLICATIONS = listOf(APPLICATION).register(NAMED, { id: 'ApplicationList' });

const SERVICE_ACCOUNT = z
  .object({
    ...{ object: z.literal('service_account'), id: text, name: text, customer: text },
    ...{ permissions: z.array(z.enum(SERVICE_PERMISSIONS)), disabled: z.boolean() },
    ...{ authMethod: z.enum(['client_secret', ...PROOF_METHODS]), createdAt: time, ...lastUse },
  })
  .register(NAMED, { id: 'ServiceAccount' });
export const SERVICE_ACCOUNTS = listOf(SERVICE_ACCOUNT).register(NAMED, {
  id: 'ServiceAccountList',
});

export const SECRET = z
  .object({
    ...{ object: z.literal('client_secret'), id: text, clientId: text, name: textOrNull },
    ...{ status: z.enum(['live', 'ended']), createdAt: time, endsAt: timeOrNull, ...lastUse },
  })
  .register(NAMED, { id: 'Secret' });
export const SECRETS = listOf(SECRET).register(NAMED, { id: 'SecretList' });

export const NEW_SECRET = z
  .object({
    ...{ object: z.literal('new_client_secret'), clientId: text, secretId: text },
    clientSecret: text,
  })
  .register(NAMED, { id: 'NewSecret' });

export const COMPROMISED = z
  .object({
    ...{ object: z.literal('compromised_service_account'), clientId: text },
    ...{ endedSecretIds: z.array(text), secretId: textOrNull, clientSecret: textOrNull },
    ...{ notified: z.array(z.enum(['email', 'webhook'])), tokensRevokedBefore: time },
  })
  .register(NAMED, { id: 'Compromised' });
