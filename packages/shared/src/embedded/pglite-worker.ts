/** The worker thread that holds PGlite, so that a long statement never blocks the service. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Channel, serveDatabase } from './database-rpc.ts';
import { type Program, pgliteDatabase } from './pglite.ts';

export const CLOSE = 'close';

export interface WorkerData {
  readonly dataDir: string;
  readonly program: Program;
}

const port = parentPort;
if (port !== null) {
  const { dataDir, program } = workerData as WorkerData;
  const database = await pgliteDatabase(dataDir, program);
  const channel: Channel = {
    send: port.postMessage.bind(port),
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
