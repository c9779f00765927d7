import type { RequestListener } from 'node:http';
import type { Log } from '@cls/shared/log';
import { Provider } from 'oidc-provider';
import type { SigningKeyStore } from '../keys/signing-key.ts';
import { type ProviderSettings, providerConfiguration } from './configuration.ts';

/**
 * Holds the live Provider. The library takes its keys at construction, so a change of keys builds
 * a new one and swaps it in; requests under way end on the old one. All state is outside.
 *
 * @param prepare applied to every Provider: grants, overrides, middleware, listeners.
 */
export async function providerSlot(
  issuer: string,
  settings: ProviderSettings,
  keys: SigningKeyStore,
  prepare: (provider: Provider) => void,
  log: Log,
): Promise<RequestListener> {
  const build = async () => {
    const provider = new Provider(
      issuer,
      providerConfiguration(issuer, settings, await keys.load()),
    );
    prepare(provider);
    return provider.callback();
  };
  let current = await build();
  let rebuilding = Promise.resolve();
  await keys.onChange(() => {
    rebuilding = rebuilding.then(async () => {
      try {
        current = await build();
        log.info({}, 'signing keys changed');
      } catch (err) {
        log.error({ err }, 'signing keys changed and cannot be loaded; the old ones stay in use');
      }
    });
  });
  return (request, response) => {
    void current(request, response);
  };
}
