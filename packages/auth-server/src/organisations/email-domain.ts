import { domainToASCII } from 'node:url';

const DOMAIN = /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** A domain as it is stored and compared: ASCII (RFC 5890), lower case; undefined when it is none. */
export function canonicalDomain(text: string): string | undefined {
  // What ends a host in a URL would be cut off in silence.
  if (/[/?#\\:@%]/.test(text)) return undefined;
  const domain = domainToASCII(text.trim()).toLowerCase();
  return DOMAIN.test(domain) ? domain : undefined;
}

/** Of an address with exactly one `@`. */
export function domainOfEmail(email: string): string | undefined {
  const [local, domain, ...more] = email.split('@');
  if (!local || domain === undefined || more.length > 0) return undefined;
  return canonicalDomain(domain);
}
