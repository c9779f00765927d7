import type { Locale } from '@cls/shared/pages/browser';

/** Where a customer is told what concerns the security of its clients. */
export interface SecurityContact {
  readonly customer: string;
  readonly email: string | null;
  /** A URL. */
  readonly webhook: string | null;
  /** The language of the e-mails. */
  readonly locale: Locale;
}

export interface ContactChange {
  /** Null removes it; without it nothing changes. */
  readonly email?: string | null;
  /** A webhook gets a new secret whenever it is set. */
  readonly webhook?: { readonly url: string; readonly secret: string } | null;
  readonly locale?: Locale;
}

/** Security contacts, for the operator's tool. */
export interface SecurityContacts {
  list(): Promise<readonly SecurityContact[]>;
  /** Undefined for a customer without. */
  find(customer: string): Promise<SecurityContact | undefined>;
  change(customer: string, change: ContactChange): Promise<SecurityContact | undefined>;
}
