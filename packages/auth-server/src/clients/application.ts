import { PERSON_PERMISSIONS } from '@cls/shared/access-token';
import type { Secret } from '@cls/shared/secret';
import type { Undeletable } from '../audit/never-used.ts';
import type { ClientProof } from './client-proof.ts';
import type { Logo } from './logo.ts';
import type { ClientSecretHash } from './service-account.ts';

/** A relying party: people sign in into it (OpenID Connect Core §1.2). */
export interface Application {
  /** `app_` and 26 characters; also the client_id. */
  readonly id: string;
  readonly name: string;
  /** The platform's own: its people are not asked for consent. */
  readonly firstParty: boolean;
  /** Compared as they are: see library/request-parameters.ts. */
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** Gets a request when a session ends (OpenID Connect Back-Channel Logout). */
  readonly backchannelLogoutUri: string | null;
  /** May sign people in on a second device (RFC 8628). */
  readonly device: boolean;
  /** A confidential application that may leave out PKCE: RFC 9700 §2.1.1 only recommends it to these. */
  readonly withoutPkce: boolean;
  /** Origins whose pages may read this host's answers to it; for public applications. */
  readonly allowedOrigins: readonly string[];
  /** What it may ask for: scopes of OpenID Connect, and short names of permissions. */
  readonly scopes: readonly string[];
  readonly disabled: boolean;
  /** Also one that has ended: an application that had one never becomes public. */
  readonly hadSecret: boolean;
  readonly secrets: readonly ClientSecretHash[];
  readonly proof: ClientProof | null;
  readonly links: ApplicationLinks;
  /** The name of its logo; see logo.ts. */
  readonly logo: string | null;
  /** The customer that it belongs to; null for the operator's own. */
  readonly customer: string | null;
}

/** What people see of an application, by the registered names (RFC 7591 §2, OpenID Connect Core §4). */
export interface ApplicationLinks {
  /** Its start page. */
  readonly client_uri?: string;
  /** Signs people in: a third party may send them there. */
  readonly initiate_login_uri?: string;
  readonly policy_uri?: string;
  readonly tos_uri?: string;
}

/**
 * A page's link that opens the application, signed in where it can begin that itself. Undefined where it is
 * disabled or has no page.
 */
export function openHrefOf(
  { links, redirectUris, disabled }: Pick<Application, 'links' | 'redirectUris' | 'disabled'>,
  issuer: string,
): string | undefined {
  if (disabled) return undefined;
  const { client_uri: start, initiate_login_uri: signIn } = links;
  if (signIn !== undefined) {
    const url = new URL(signIn);
    url.searchParams.set('iss', issuer);
    return url.href;
  }
  const web = redirectUris.find((uri) => /^https?:/.test(uri));
  return start ?? (web && new URL(web).origin);
}

/** Whether it can keep a secret or a key; all others are public clients (RFC 6749 §2.1). */
export function isConfidential({ hadSecret, proof }: Pick<Application, 'hadSecret' | 'proof'>) {
  return hadSecret || proof?.token_endpoint_auth_method !== undefined;
}

/**
 * Whether it runs on people's own devices (RFC 8252), as its redirect URIs show. A URI of an own
 * scheme is good for no other.
 */
export function isNative({ redirectUris }: Pick<Application, 'redirectUris'>): boolean {
  return redirectUris.some((uri) => !uri.startsWith('https:'));
}

/** What is registered, and may be changed. */
type Registration = Omit<
  Application,
  'id' | 'firstParty' | 'device' | 'disabled' | 'hadSecret' | 'secrets' | 'logo'
> & { readonly logo: Logo | null };

export type ApplicationChange = Partial<Registration>;

/** Without scopes it has `DEFAULT_SCOPES`. */
export type NewApplication = ApplicationChange &
  Pick<Application, 'firstParty' | 'device'> &
  Pick<
    Registration,
    'name' | 'redirectUris' | 'postLogoutRedirectUris' | 'backchannelLogoutUri'
  > & { readonly confidential: boolean };

/** Scopes of OpenID Connect that applications may ask for, besides permissions. */
export const OPENID_SCOPES = ['openid', 'email', 'profile', 'offline_access'] as const;

/** What an application can be allowed to ask for. */
export const APPLICATION_SCOPES: readonly string[] = [...OPENID_SCOPES, ...PERSON_PERMISSIONS];

/** Every deal is more than most applications need: `external-api.fullcontrol` is asked for by name. */
export const DEFAULT_SCOPES = [...OPENID_SCOPES, 'cls-deal.view'] as const;

export interface ApplicationDirectory {
  find(id: string): Promise<Application | undefined>;
  /** Whether an application that is not disabled allows it. */
  isAllowedOrigin(origin: string): Promise<boolean>;
}

/** Applications in SQL, for the operator's tool. */
export interface ApplicationRecords extends ApplicationDirectory {
  list(): Promise<readonly Application[]>;
  /** A customer's applications in the order of their ids. @param page `after` an application's id. */
  listOf(
    customer: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly Application[]>;
  /** The secret of a confidential application is returned here and never again. */
  create(application: NewApplication): Promise<{ id: string; secret: Secret | undefined }>;
  /** The bytes of the logo with this name, where an application that is not disabled has it. */
  findLogo(name: string): Promise<Buffer | undefined>;
  setDisabled(id: string, disabled: boolean): Promise<void>;
  /**
   * In place of what was registered: all of it or nothing, and nothing for what is left out. A proof with a method
   * takes the place of the secrets.
   */
  update(id: string, change: ApplicationChange): Promise<void>;
  /** @returns why it was not deleted. @param auditDays see audit/never-used.ts. */
  deleteUnused(id: string, auditDays: number): Promise<Undeletable | undefined>;
}
