/** The worker thread that holds PGlite, so that a long statement never blocks the service. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Channel, serveDatabase } from './database-rpc.ts';
import { pgliteDatabase } from './pglite.ts';

export const CLOSE = 'close';

const port = parentPort;
if (port !== null) {
  const database = await pgliteDatabase((workerData as { dataDir: string }).dataDir);
  const channel: Channel = {
    send: (message) => port.postMessage(message),
    onMessage: (handle) =>
      port.on('message', (message) => {
        if (message !== CLOSE) handle(message);
      }),
    onClose: () => undefined, // The thread ends with its parent.
    close: () => port.close(),
  };
  serveDatabase(database, channel);
  port.on('message', (message) => {
    if (message === CLOSE) database.close().then(() => port.close());
  });
  port.postMessage('ready');
}
