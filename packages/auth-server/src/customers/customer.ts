/** An organisation of the platform. Its id joins a token (`customer`) to the API's entitlements. */
export interface Customer {
  /** Chosen at creation; see CUSTOMER_ID in @cls/shared/access-token. */
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
}
