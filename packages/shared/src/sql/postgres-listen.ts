import pg from 'pg';
import type { ListenGap } from './database.ts';

const HEARTBEAT_MS = 5_000;
const RETRY_MS = 500;

/**
 * A connection of its own for LISTEN, which reconnects by itself and reports each gap.
 *
 * @param open makes an unconnected client; called anew for each connection.
 */
export async function listenOn(
  open: () => pg.Client,
  channel: string,
  onMessage: (payload: string) => void,
  onGap: (state: ListenGap) => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const fresh = open();
    let heartbeat: NodeJS.Timeout | undefined;
    const lost = () => {
      clearInterval(heartbeat);
      fresh.removeListener('end', lost);
      fresh.end().catch(() => undefined);
      if (!stopped && client === fresh) {
        client = undefined;
        onGap('lost');
        scheduleRetry();
      }
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', (notice) => onMessage(notice.payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      fresh.end().catch(() => undefined);
      throw error;
    }
    client = fresh;
    // A path can die silently: a connection that only listens must be probed.
    heartbeat = setInterval(() => void fresh.query('SELECT 1').catch(lost), HEARTBEAT_MS);
    heartbeat.unref();
  };
  const scheduleRetry = () => {
    retry = setTimeout(() => {
      connect().then(
        () => onGap('resumed'),
        () => stopped || scheduleRetry(),
      );
    }, RETRY_MS);
    retry.unref();
  };

  await connect();
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await client?.end().catch(() => undefined);
  };
}
