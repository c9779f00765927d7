import type { Log } from '@cls/shared/log';
import type { Provider } from '../../library/oidc.ts';

/** Says in the log which sign-ins went without PKCE, as their applications are registered. */
export function logWithoutPkce(provider: Provider, log: Log): void {
  provider.on('authorization_code.saved', ({ clientId, codeChallenge }) => {
    if (codeChallenge === undefined) log.info({ clientId }, 'signed in without PKCE');
  });
}
