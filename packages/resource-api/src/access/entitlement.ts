/** The role in which a customer sees a deal. It decides whose shares the customer sees. */
export const ENTITLEMENT_ROLES = ['agent', 'lender', 'borrower'] as const;
export type EntitlementRole = (typeof ENTITLEMENT_ROLES)[number];

/** The deals that a rule grants: exactly one of these. */
export type DealSelection =
  | { readonly allDeals: true }
  | { readonly dealId: string }
  | { readonly borrowerId: string }
  | { readonly country: string };

export interface NewEntitlement {
  readonly customer: string;
  readonly role: EntitlementRole;
  /** The party whose share the customer sees; only for the role lender. */
  readonly lenderId: string | undefined;
  readonly deals: DealSelection;
}

export interface EntitlementRule {
  readonly rule: string;
  readonly customer: string;
  readonly role: EntitlementRole;
  readonly lender: string | null;
  /** `all`, or the kind of selection and its value. */
  readonly selection: string;
  /** Deals that the rule covers now. */
  readonly deals: number;
}

/** Entitlements as rules, so that deals that are imported later are covered too. */
export interface EntitlementRecords {
  list(customer: string | undefined): Promise<readonly EntitlementRule[]>;
  /** Resolves to the deals covered; undefined when a party or deal is not there. */
  grant(entitlement: NewEntitlement): Promise<EntitlementRule | undefined>;
  revoke(rule: string): Promise<boolean>;
}
