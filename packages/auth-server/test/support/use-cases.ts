import { systemClock } from '@cls/shared/clock';
import { silentLog } from '@cls/shared/log';
import { noMetrics } from '@cls/shared/metrics/metrics';
import { Secret } from '@cls/shared/secret';
import { argon2Verifier } from '../../src/accounts/password.ts';
import { composeAccounts } from '../../src/compose-accounts.ts';
import { openStateStore } from '../../src/state/open-state-store.ts';
import { KEY, type TestAuthServer } from './auth-server.ts';

/** The use cases behind the pages on a running service's own database, as another process has them. */
export async function useCasesBeside({ issuer, config, database }: TestAuthServer) {
  const nothing = () => undefined;
  const secret = new Secret(KEY);
  const { mfaPolicy, production, upstreamTimeoutS, rememberDeviceS } = config;
  const settings = {
    ...{ issuer, mfaPolicy, production, upstreamTimeoutS, rememberDeviceS },
    ...{ keyEncryptionKey: secret, cookieKey: secret },
  };
  const state = await openStateStore(config, database, silentLog);
  const people = await composeAccounts(settings, {
    ...{ database, state, clock: systemClock, log: silentLog, metrics: noMetrics },
    passwords: await argon2Verifier(1, 10),
    audit: {
      record: nothing,
      recordSafely: async () => undefined,
      synced: async () => undefined,
      catchUp: async () => undefined,
      flush: async () => undefined,
    },
    mail: {
      ...{ changed: nothing, newDevice: nothing, passwordReset: nothing },
      ...{ invitation: nothing, organisationInvitation: nothing },
      invitationElsewhere: nothing,
    },
  });
  return { ...people, close: () => state.close() };
}
