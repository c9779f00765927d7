/** An organisation of the platform. Its id joins a token (`customer`) to the API's entitlements. */
export interface Customer {
  /** Chosen at creation; see CUSTOMER_ID in @cls/shared/access-token. */
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
}

/** Customers, for the operator's tool. */
export interface CustomerRecords {
  list(): Promise<readonly Customer[]>;
  find(id: string): Promise<Customer | undefined>;
  /** @param demo for evaluation only: production refuses to start with it. */
  create(id: string, name: string, demo: boolean): Promise<void>;
  /** Customers made for evaluation that are not disabled. */
  listDemo(): Promise<readonly Customer[]>;
  setDisabled(id: string, disabled: boolean): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  /** False, and nothing is done, where it has accounts, service accounts or a provider. */
  deleteUnused(id: string): Promise<boolean>;
}
