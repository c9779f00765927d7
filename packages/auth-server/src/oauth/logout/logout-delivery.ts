import type { Log } from '@cls/shared/log';
import { outageLog, whyFailed } from '@cls/shared/outage-log';
import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { Provider } from '../../library/oidc.ts';
import { sendLogoutToken } from '../../library/reliances/logout-token.ts';
import type { LogoutNotification, LogoutNotifications } from '../../sessions/session-store.ts';

const LOOK_EVERY_MS = 2_000;
const BATCH = 20;
/** So that an application that does not answer takes no place of the others. */
const AT_ONCE_PER_APPLICATION = 4;
/** After 15 s, 1, 4, 16 and 64 minutes; then the application has been away for too long. */
const RETRY_AFTER_S = 15;
const ATTEMPTS_MAX = 6;

/**
 * Notifies applications of sessions that were ended elsewhere than in their browser: from the account
 * pages, by an administrator, by a new password (OpenID Connect Back-Channel Logout §2.5).
 *
 * @param provider the one in use; undefined until there is one.
 * @param onLost called for each notification that is not tried again
 * @returns stops it: what is under way ends, and what is still due waits for the next start.
 */
export function deliverLogoutNotifications(
  notices: LogoutNotifications,
  provider: () => Provider | undefined,
  log: Log,
  onLost: () => void = () => undefined,
): () => Promise<void> {
  const outage = outageLog(log, OUTAGE);
  let stopped = false;
  let round: Promise<void> | undefined;
  const tellAllDue = async () => {
    while (!stopped) {
      const now = provider();
      if (now === undefined) return;
      const due = await notices.take(BATCH, AT_ONCE_PER_APPLICATION, RETRY_AFTER_S);
      if (due.length === 0) return;
      await Promise.all(due.map((one) => deliver(now, notices, one, log, onLost)));
    }
  };
  const timer = setInterval(() => {
    round ??= tellAllDue()
      .then(outage.answered, (err) =>
        outage.failed(err instanceof DatabaseUnavailable ? whyFailed(err) : { err }),
      )
      .finally(() => {
        round = undefined;
      });
  }, LOOK_EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    stopped = true;
    await round;
  };
}

/**
 * Keeps a notice for each application that the library could not notify of a sign-out in the browser
 * itself: it tries once.
 */
export function keepLogoutNotifications(
  provider: Provider,
  notices: LogoutNotifications,
  log: Log,
): void {
  provider.on('backchannel.error', (_, err, { clientId }, accountId, sid) => {
    log.info({ err, clientId }, RETRIED);
    notices
      .again({ applicationId: clientId, accountId, sid }, RETRY_AFTER_S)
      .catch((failure) => log.warn({ err: failure, clientId }, UNDELIVERED));
  });
}

const OUTAGE = {
  level: 'warn',
  begins: 'logout notifications cannot be read',
  continues: 'logout notifications could not be read in the last minute',
  ends: 'logout notifications are read again',
} as const;
const RETRIED = 'a logout notification failed; trying again';
const UNDELIVERED = 'an application did not accept a logout notification';

async function deliver(
  provider: Provider,
  notices: LogoutNotifications,
  { id, applicationId, accountId, sid, attempts }: LogoutNotification,
  log: Log,
  onLost: () => void,
): Promise<void> {
  try {
    const client = await provider.Client.find(applicationId);
    if (client !== undefined) await sendLogoutToken(client, accountId, sid);
  } catch (err) {
    const isLast = attempts >= ATTEMPTS_MAX;
    log[isLast ? 'warn' : 'info']({ err, clientId: applicationId }, isLast ? UNDELIVERED : RETRIED);
    if (!isLast) return;
    onLost();
  }
  await notices.done(id);
}
