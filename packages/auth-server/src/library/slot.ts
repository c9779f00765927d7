import type { RequestListener } from 'node:http';
import type { Log } from '@cls/shared/log';
import { Provider } from 'oidc-provider';
import type { SigningKeyStore } from '../keys/signing-key.ts';
import { type ProviderSettings, providerConfiguration } from './configuration.ts';

/** A change that was announced is not announced again. */
const RETRY_AFTER_MS = 1_000;

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
  let current: RequestListener | undefined;
  let building = Promise.resolve();
  const rebuild = () => {
    building = building.then(async () => {
      try {
        current = await build();
        log.info({}, 'signing keys changed');
      } catch (err) {
        log.error({ err }, 'signing keys changed and cannot be loaded; the old ones stay in use');
        setTimeout(rebuild, RETRY_AFTER_MS).unref();
      }
    });
  };
  // Heard from before the first reading on, so that no change falls between the two.
  await keys.onChange(rebuild);
  building = building.then(async () => {
    current = await build();
  });
  await building;
  return (request, response) => void current?.(request, response);
}
