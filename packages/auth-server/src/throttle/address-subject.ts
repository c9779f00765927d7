import type { ThrottleSubject } from './throttle.ts';

/**
 * Whom failures from an address count against: an IPv4 address, or the /64 network of an IPv6
 * one, which is the least that a single customer of a provider holds (RFC 6177 §2).
 */
export function addressSubject(address: string): ThrottleSubject {
  return { kind: 'address', id: address.includes(':') ? networkOf(address) : address };
}

function networkOf(address: string): string {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const left = head.split(':').filter((group) => group !== '');
  const right = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const network = [...left, ...(tail === undefined ? [] : zeros), ...right].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
