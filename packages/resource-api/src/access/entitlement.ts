/** In which part a customer sees a deal: it decides whose shares it sees. */
export const ENTITLEMENT_ROLES = ['agent', 'lender', 'borrower'] as const;
export type EntitlementRole = (typeof ENTITLEMENT_ROLES)[number];

/** Which deals a rule grants: exactly one of these. */
export type DealSelection =
  | { readonly allDeals: true }
  | { readonly dealId: string }
  | { readonly borrowerId: string }
  | { readonly country: string };

export interface NewEntitlement {
  readonly customer: string;
  readonly role: EntitlementRole;
  /** Party whose share a lender customer sees; for the role lender alone. */
  readonly lenderId: string | undefined;
  readonly deals: DealSelection;
}

export interface EntitlementRule {
  readonly rule: string;
  readonly customer: string;
  readonly role: EntitlementRole;
  readonly lender: string | null;
  /** `all`, or what the deals are selected by and its value. */
  readonly selection: string;
  /** Deals that the rule covers now. */
  readonly deals: number;
}

/** Grants, as rules: deals that are imported later are covered too. */
export interface EntitlementRecords {
  list(customer: string | undefined): Promise<readonly EntitlementRule[]>;
  /** Resolves to the deals covered; undefined when a party or deal is not there. */
  grant(entitlement: NewEntitlement): Promise<EntitlementRule | undefined>;
  revoke(rule: string): Promise<boolean>;
}
