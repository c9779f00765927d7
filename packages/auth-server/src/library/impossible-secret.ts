import { Provider } from 'oidc-provider';
import { canBeClientSecret } from '../clients/client-secret.ts';
import { contextOf } from './request-context.ts';

/**
 * Whether the request that goes on proves its client by a secret that was never made here, as its checksum
 * shows. Its client is not looked up then: guesses cost no store anything.
 */
export function bringsImpossibleSecret(): boolean {
  const { ctx } = Provider;
  if (ctx?.oidc === undefined) return false;
  const secret = ctx.oidc.params?.['client_secret'] ?? basicSecret(ctx.get('authorization'));
  const impossible = typeof secret === 'string' && !canBeClientSecret(secret);
  if (impossible) contextOf(ctx).impossibleSecret = true;
  return impossible;
}

/** RFC 6749 §2.3.1. Undefined where the library says itself what is wrong with the header. */
function basicSecret(authorization: string): string | undefined {
  const [, encoded] = /^basic ([\w+/=-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  try {
    return decodeURIComponent(pair.slice(pair.indexOf(':') + 1).replaceAll('+', '%20'));
  } catch {
    return undefined;
  }
}
