import type { Client } from 'oidc-provider';

/** Whether pages of an origin may read answers to the application: see cors.ts. */
export function allowsOrigin(client: Client | undefined, origin: string): boolean {
  const origins = client?.['allowed_origins'];
  return Array.isArray(origins) && origins.includes(origin);
}
