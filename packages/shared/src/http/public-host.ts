import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/** A target that notices are not sent to. The message says why, for the operator. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
}

export interface TargetPolicy {
  /** For developers: receivers on this machine, also by http. */
  readonly allowLoopback: boolean;
}

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** @throws {TargetRefused} for an address that is not public. */
export function requireAllowed(address: string, { allowLoopback }: TargetPolicy): void {
  if (isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address))) return;
  throw new TargetRefused('the host has an address that is not public');
}
