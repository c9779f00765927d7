import type { Locale } from '@cls/shared/pages/browser';

/**
 * Who caused a change, as far as the HTTP request or the command line shows. Every field may be
 * absent.
 */
export interface Actor {
  readonly address?: string;
  readonly requestId?: string;
  readonly device?: Device;
  /** The service account through which an administrator acts. */
  readonly clientId?: string;
  /** The person who manages the integrations of their customer. */
  readonly accountId?: string;
  /** The language of messages that follow; English when absent. */
  readonly locale?: Locale;
  /** The value of the cookie by which a browser is known; see throttle/known-devices.ts. */
  readonly deviceCookie?: string;
}

/** What is known of a browser: `Firefox`, `Windows`. */
export interface Device {
  readonly browser?: string;
  readonly system?: string;
}

/** What an audit event stores about who caused it. */
export function causedBy({ clientId, address, requestId, device, accountId }: Actor) {
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(address === undefined ? {} : { address }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(device === undefined ? {} : { device }),
    ...(accountId === undefined ? {} : { actor: accountId }),
  };
}
