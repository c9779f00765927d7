import { isIP } from 'node:net';
import { isLoopbackAddress } from '../http/public-address.ts';
import { hostOf, requireAllowed, type TargetPolicy, TargetRefused } from '../http/public-host.ts';

const LOCAL_NAME = 'localhost';
const LONGEST_URL = 2_000;

/**
 * Reads the URL of a webhook. Numbers for an address in any spelling (`0x7f.1`, `2130706433`) have
 * become the usual one in `hostname`.
 *
 * @throws {TargetRefused}
 */
export function webhookUrl(text: string, { allowLoopback }: TargetPolicy): URL {
  if (text.length > LONGEST_URL || !URL.canParse(text)) throw new TargetRefused('expected a URL');
  const url = new URL(text);
  const host = hostOf(url);
  const isLocal = host === LOCAL_NAME || isLoopbackAddress(host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowLoopback && isLocal)) {
    throw new TargetRefused('expected an https URL');
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new TargetRefused('expected a URL without user, password and fragment');
  }
  if (isIP(host) !== 0) requireAllowed(host, { allowLoopback });
  return url;
}

/** Why notices are not sent there; undefined where they may be, if the name's addresses are public. */
export function targetFault(text: string, policy: TargetPolicy): string | undefined {
  try {
    webhookUrl(text, policy);
    return undefined;
  } catch (error) {
    if (error instanceof TargetRefused) return error.message;
    throw error;
  }
}
