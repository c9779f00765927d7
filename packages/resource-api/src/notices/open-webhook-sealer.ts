import { developmentSecret } from '@cls/shared/development-secret';
import { aesGcmSealer, type Sealer } from '@cls/shared/seal';
import type { Secret } from '@cls/shared/secret';
import { type ClaimedNotice, secretContext } from './notice-outbox.ts';

export interface SealerSettings {
  readonly production: boolean;
  readonly dataDir: string;
  readonly notices: {
    readonly webhookSecretsKey: Secret | undefined;
    /** Opens what `webhookSecretsKey` does not; set while one replaces the other. */
    readonly previousWebhookSecretsKey?: Secret | undefined;
  };
}

/** Seals the secrets of webhooks. Undefined in production without a key: there can be no webhook. */
export function openWebhookSealer(settings: SealerSettings): Sealer | undefined {
  const { production, dataDir, notices } = settings;
  const key =
    notices.webhookSecretsKey ??
    (production ? undefined : developmentSecret(dataDir, 'webhook-secrets-key'));
  return key && aesGcmSealer(key, KEY_NAME, notices.previousWebhookSecretsKey);
}

/**
 * Opens the secret of a notice's webhook.
 *
 * @param sealer undefined where no key is configured.
 * @throws {Error} @throws {UnsealFailed}
 */
export function openNoticeSecret(
  sealer: Sealer | undefined,
  notice: Pick<ClaimedNotice, 'customer' | 'target' | 'sealedSecret'>,
): string {
  if (sealer !== undefined) return sealer.unseal(notice.sealedSecret ?? '', secretContext(notice));
  throw new Error(`the secret cannot be opened: set ${KEY_NAME}`);
}

export const KEY_NAME = 'WEBHOOK_SECRETS_KEY';

/** Of the current key alone; undefined where no key is being replaced. */
export function newWebhookSealer({ notices }: SealerSettings): Sealer | undefined {
  const { webhookSecretsKey, previousWebhookSecretsKey } = notices;
  if (previousWebhookSecretsKey === undefined) return undefined;
  return webhookSecretsKey && aesGcmSealer(webhookSecretsKey, KEY_NAME);
}
