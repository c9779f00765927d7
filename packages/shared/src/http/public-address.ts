import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Special-purpose addresses of IPv4 (RFC 6890 and IANA's registry): private, loopback, link-local
 * with the metadata services of clouds, shared, documentation, benchmarks, multicast, reserved.
 */
const NOT_PUBLIC_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  '168.63.129.16/32', // Azure's platform address.
];

/** Within 2000::/3, which alone is public: protocols and tunnels, 6to4, documentation. */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const blockedV4 = listOf(NOT_PUBLIC_V4, 'ipv4');
const blockedV6 = listOf(NOT_PUBLIC_V6, 'ipv6');
const globalV6 = listOf(['2000::/3'], 'ipv6');
const loopback = listOf(['127.0.0.0/8'], 'ipv4');

/**
 * Whether an address belongs to the public Internet. An IPv6 address outside 2000::/3 does not: not
 * loopback, link-local, unique local or multicast, and none that has an IPv4 address in it, such as
 * `::ffff:10.0.0.1` or `64:ff9b::a00:1`.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blockedV4.check(address, 'ipv4');
  return (
    isIPv6(address) &&
    !address.includes('%') &&
    globalV6.check(address, 'ipv6') &&
    !blockedV6.check(address, 'ipv6')
  );
}

/** This machine, in its plain spellings. */
export function isLoopbackAddress(address: string): boolean {
  return isIPv4(address) ? loopback.check(address, 'ipv4') : address === '::1';
}

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
