import type { Application } from './layout.ts';

/** An application as pages show it. */
export interface ShownApplication extends Application {
  /** Where people find it; a native application has no such place. */
  readonly href?: string;
}

/** What pages need to know of a client's metadata. */
interface Client {
  readonly clientId: string;
  readonly clientName?: string | undefined;
  readonly redirectUris?: readonly string[] | undefined;
  readonly postLogoutRedirectUris?: readonly string[] | undefined;
}

/** @param redirectUri where the answer goes; without one, the first that is registered. */
export function shownClient(client: Client, redirectUri?: string): ShownApplication {
  const [registered] = client.redirectUris ?? [];
  return shownApplication(client.clientName ?? client.clientId, redirectUri ?? registered);
}

export function shownApplication(name: string, redirectUri = ''): ShownApplication {
  if (!URL.canParse(redirectUri)) return { name, host: '' };
  const { protocol, host, origin } = new URL(redirectUri);
  if (!/^https?:$/.test(protocol)) return { name, host: protocol };
  return { name, host, href: origin };
}

/**
 * Where a form that signs in or out may end. An application's callback may send people on to
 * another of its own places, and browsers ask the form's page about that too.
 */
export function formTargetsOf(client: Client | undefined): readonly string[] {
  return [...(client?.redirectUris ?? []), ...(client?.postLogoutRedirectUris ?? [])];
}
