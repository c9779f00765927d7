import type { Server } from 'node:http';

/** The port is taken or may not be used; the message names it. */
export class PortUnavailable extends Error {
  override readonly name = 'PortUnavailable';
}

/** Connections that the machine takes before this process does: a burst must not wait for retries of TCP. */
const BACKLOG = 2_048;

/**
 * Listens, and resolves to the port: another than was asked for where that was 0.
 *
 * @param host an address of this machine; undefined listens on all of them.
 * @throws {PortUnavailable}
 */
export async function listening(
  server: Server,
  { host, port }: { readonly host: string | undefined; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, port)));
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function explained(error: NodeJS.ErrnoException, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} is already in use; stop the other program or choose another port`,
    EACCES: `this user may not listen on port ${port}; choose one above 1023`,
    EADDRNOTAVAIL: `the address to listen on does not belong to this machine`,
  };
  const reason = reasons[error.code ?? ''];
  return reason === undefined ? error : new PortUnavailable(reason, { cause: error });
}
