import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { requireAllowed, type TargetPolicy } from './public-host.ts';

/** Every address of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * Finds the addresses of a request's host: every one is checked, and the connection goes to one of these
 * very addresses, so that a name that resolves to another one a moment later leads nowhere. Node looks up
 * no host that is an address: check it with `requireAllowed`.
 */
export function checkedLookup(
  policy: TargetPolicy,
  resolve: Resolve = resolveBySystem,
): LookupFunction {
  const find = async (host: string) => {
    const addresses = await resolve(host);
    for (const address of addresses) requireAllowed(address, policy);
    const [first] = addresses;
    if (first === undefined) throw new Error('the host has no address');
    return { first, addresses };
  };
  return (host, { all }, callback) => {
    find(host).then(
      ({ first, addresses }) =>
        all
          ? callback(
              null,
              addresses.map((address) => ({ address, family: isIP(address) })),
            )
          : callback(null, first, isIP(first)),
      (error) => callback(error, ''),
    );
  };
}
