import { connect, createServer, type Server, type Socket } from 'node:net';

/** What happens to one message on its way to the server, and to the answer. */
export type Fault =
  /** The connection is cut before the server has the message. */
  | 'cut before'
  /** The server does its work, and the connection is cut before the answer. */
  | 'cut after'
  /** The server does its work at once, and the answer stays away until `heal`. */
  | 'no answer'
  /** The message waits, and the server does its work at `heal`. */
  | 'late';

export interface FaultProxy {
  readonly port: number;
  /** Messages that came from clients since `arm`. */
  readonly seen: number;
  /**
   * Lets the next `skip` messages through and does `fault` to the one after: to that one alone, or
   * from it on to all.
   */
  arm(skip: number, fault: Fault, how?: 'once' | 'from then on'): void;
  /** Everything passes again, and what waited continues. */
  heal(): void;
  close(): Promise<void>;
}

/**
 * A TCP proxy in front of a store, which fails between any two messages of its clients. A message
 * is what a client sends before it waits for an answer: a command, a pipeline, a statement.
 */
export async function faultProxy(targetPort: number): Promise<FaultProxy> {
  let seen = 0;
  /** Raised by `heal`: what a connection met before counts no more. */
  let round = 0;
  let armed: { skip: number; fault: Fault; once: boolean } | undefined;
  const waiting: (() => void)[] = [];
  const sockets = new Set<Socket>();

  const server: Server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        (socket === client ? upstream : client).destroy();
      });
    }
    /** Set once a message of this connection has met the fault. */
    let meeting: { readonly fault: Fault; readonly round: number } | undefined;
    const met = () => (meeting?.round === round ? meeting.fault : undefined);
    client.on('data', (data) => {
      seen += 1;
      if (armed !== undefined && seen > armed.skip) {
        meeting = { fault: armed.fault, round };
        if (armed.once) armed = undefined;
      }
      if (met() === 'cut before') client.destroy();
      else if (met() === 'late') waiting.push(() => upstream.write(data));
      else upstream.write(data);
    });
    upstream.on('data', (data) => {
      const late = met() === 'no answer' || met() === 'late';
      if (met() === 'cut after') client.destroy();
      else if (late) waiting.push(() => client.write(data));
      else client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    get seen() {
      return seen;
    },
    arm(skip, fault, how = 'from then on') {
      seen = 0;
      armed = { skip, fault, once: how === 'once' };
    },
    heal() {
      armed = undefined;
      round += 1;
      for (const go of waiting.splice(0)) go();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
