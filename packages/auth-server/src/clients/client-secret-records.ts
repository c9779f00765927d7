import type { Secret } from '@cls/shared/secret';

/** Live secrets that a client may have at once. */
export const SECRETS_MAX = 10;

/** What is known of a secret, never its text. */
export interface ListedClientSecret {
  /** `sec_` and 26 characters. */
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly name: string | null;
  readonly createdAt: Date;
  /** To the minute, with the address that it came from. */
  readonly lastUsedAt?: Date;
  readonly lastUsedFrom?: string;
  /** It is not accepted from then on. */
  readonly endsAt?: Date;
  readonly live: boolean;
}

export interface NewClientSecret {
  readonly id: string;
  /** Here and never again. */
  readonly secret: Secret;
}

export interface ClientSecretOptions {
  /** What it is for. */
  readonly name?: string | undefined;
  /** Seconds; without them it does not end by itself. */
  readonly endsInS?: number | undefined;
}

/** The client would have more than `SECRETS_MAX` live ones. */
export class TooManySecrets extends Error {}

/** Secrets of service accounts and applications, in SQL. */
export interface ClientSecretRecords {
  /** Newest first, ended ones too. @param of ids of clients or secrets; without it all. */
  list(of?: string | readonly string[]): Promise<readonly ListedClientSecret[]>;
  /** Beside those that there are. @throws {TooManySecrets} */
  create(clientId: string, options: ClientSecretOptions): Promise<NewClientSecret>;
  /**
   * A new one; the old one, or all of the client's, ends.
   *
   * @param of the id of a client or of one secret. @param keepOldForS seconds; 0 ends it at once.
   * @throws {TooManySecrets} where those that are kept leave no room for one more.
   */
  replace(
    of: Pick<ListedClientSecret, 'clientId'> & { readonly id?: string },
    keepOldForS: number,
    options: ClientSecretOptions,
  ): Promise<NewClientSecret>;
  /** Ends it now, and the tokens that it got. */
  revoke(secret: Pick<ListedClientSecret, 'id' | 'clientId'>): Promise<void>;
  /** Whose secret the text is, if it is one. */
  identify(text: string): Promise<ListedClientSecret | undefined>;
}

const RECENTLY_MS = 24 * 3_600_000;

/** Whether it is still needed, as far as anybody can tell: whoever has it would stop working. */
export function isInUse({ live, lastUsedAt }: Pick<ListedClientSecret, 'live' | 'lastUsedAt'>) {
  return live && lastUsedAt !== undefined && Date.now() - lastUsedAt.getTime() <= RECENTLY_MS;
}
