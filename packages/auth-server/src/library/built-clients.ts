import type { Client, Provider } from 'oidc-provider';
import type { ServiceAccount, ServiceAccountDirectory } from '../clients/service-account.ts';

/**
 * Keeps the library's Client of each service account for as long as the directory answers with
 * the same record. The library would serialize and hash the metadata anew in every request, only
 * to find the Client that it built before.
 */
export function keepBuiltClients(provider: Provider, directory: ServiceAccountDirectory): void {
  const { Client: Clients } = provider;
  const find = Clients.find.bind(Clients);
  const built = new WeakMap<ServiceAccount, Client>();
  Clients.find = async (id) => {
    const account = await directory.find(id);
    const known = account && built.get(account);
    if (known !== undefined) return known;
    const client = await find(id); // Undefined for a disabled account, which is never kept.
    if (account !== undefined && client !== undefined) built.set(account, client);
    return client;
  };
}
