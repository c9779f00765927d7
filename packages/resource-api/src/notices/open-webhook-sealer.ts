import { developmentSecret } from '@cls/shared/development-secret';
import { aesGcmSealer, type Sealer } from '@cls/shared/seal';
import type { Secret } from '@cls/shared/secret';

export interface SealerSettings {
  readonly production: boolean;
  readonly dataDir: string;
  readonly notices: { readonly webhookSecretsKey: Secret | undefined };
}

/** Seals the secrets of webhooks. Undefined in production without a key: there can be no webhook. */
export function openWebhookSealer(settings: SealerSettings): Sealer | undefined {
  const { production, dataDir, notices } = settings;
  const key =
    notices.webhookSecretsKey ??
    (production ? undefined : developmentSecret(dataDir, 'webhook-secrets-key'));
  return key && aesGcmSealer(key, 'WEBHOOK_SECRETS_KEY');
}
