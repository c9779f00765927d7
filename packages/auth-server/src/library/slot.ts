import type { Log } from '@cls/shared/log';
import { Provider } from 'oidc-provider';
import type { SigningKeyStore } from '../keys/signing-key.ts';
import { type ProviderSettings, providerConfiguration } from './configuration.ts';

/** A change that was announced is not announced again. */
const RETRY_AFTER_MS = 1_000;

/**
 * Builds the Provider, and another whenever keys change, because the library takes its keys at
 * construction; requests under way end on the old one. All state is outside.
 *
 * @param use prepares a Provider (grants, overrides, middleware, listeners) and lets it answer from now on.
 */
export async function providerSlot(
  issuer: string,
  settings: ProviderSettings,
  keys: SigningKeyStore,
  use: (provider: Provider) => void,
  log: Log,
): Promise<void> {
  const build = async () =>
    use(new Provider(issuer, providerConfiguration(issuer, settings, await keys.load())));
  let building = Promise.resolve();
  const rebuild = () => {
    building = building.then(async () => {
      try {
        await build();
        log.info({}, 'signing keys changed');
      } catch (err) {
        log.error({ err }, 'signing keys changed and cannot be loaded; the old ones stay in use');
        setTimeout(rebuild, RETRY_AFTER_MS).unref();
      }
    });
  };
  // Heard from before the first reading on, so that no change falls between the two.
  await keys.onChange(rebuild);
  building = building.then(build);
  await building;
}
