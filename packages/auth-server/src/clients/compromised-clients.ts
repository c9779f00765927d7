import type { Sql } from '@cls/shared/sql/database';
import type { NewClientSecret } from './client-secret-records.ts';

/** What was done for a client whose secret leaked. */
export interface Compromised {
  readonly clientId: string;
  readonly clientName: string;
  /** Null for an application, which belongs to no customer. */
  readonly customer: string | null;
  readonly endedSecretIds: readonly string[];
  readonly newSecret?: NewClientSecret;
  /** Tokens of the client from before then are revoked. */
  readonly tokensRevokedBefore: Date;
}

export interface CompromisedOptions {
  /** The secret that leaked: nothing is done if it has ended. Without it, any of the client's. */
  readonly secretId?: string | undefined;
  /** False where nobody is there to take it. */
  readonly newSecret: boolean;
}

/** Clients whose secret leaked, in SQL. */
export interface CompromisedClients {
  /**
   * Ends all secrets of the client at once, revokes its tokens, and makes a new secret.
   *
   * @param within does what belongs to the same transaction.
   * @returns undefined where there is nothing to do.
   */
  answer(
    clientId: string,
    options: CompromisedOptions,
    within: (sql: Sql, done: Compromised) => Promise<void>,
  ): Promise<Compromised | undefined>;
}
