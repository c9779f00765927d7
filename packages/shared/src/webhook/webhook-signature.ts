import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers of Standard Webhooks: HMAC-SHA-256 of id, time and body.
 *
 * @param id the same at each attempt, so that a receiver can drop a repetition.
 * @param now the attempt's time, so that a receiver can refuse what is old.
 */
export function webhookHeaders(
  id: string,
  body: string,
  secret: string,
  now: Date,
): Record<string, string> {
  const timestamp = `${Math.floor(now.getTime() / 1000)}`;
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
