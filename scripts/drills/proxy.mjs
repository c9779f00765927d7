// A TCP proxy between a service and what it needs, which can be slow, silent or gone.
import { connect, createServer } from 'node:net';

/** @param targets ports; each connection goes to the first that takes it */
export async function startProxy(targets) {
  const sockets = new Set();
  const state = { mode: 'pass', delayMs: 0 };
  const server = createServer((client) => {
    keep(client);
    if (state.mode === 'refuse') client.destroy();
    if (state.mode === 'pass') join(client, [...targets]);
  });
  const keep = (socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const join = (client, [target, ...others]) => {
    const upstream = connect(target, '127.0.0.1');
    keep(upstream);
    client.pause();
    upstream.once('connect', () => {
      client.resume();
      pass(client, upstream);
      pass(upstream, client);
    });
    upstream.once('error', () => {
      if (others.length > 0) join(client, others);
      else client.destroy();
    });
  };
  const pass = (from, to) => {
    from.on('data', (data) => {
      if (state.delayMs === 0) to.write(data);
      else setTimeout(() => to.write(data), state.delayMs / 2);
    });
    from.once('close', () => to.destroy());
  };
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: server.address().port,
    /** Of each round trip. */
    delay(delayMs) {
      state.delayMs = delayMs;
    },
    /** `pass`; `refuse` closes connections, also those that are open; `silent` takes new ones and says nothing. */
    set(mode) {
      state.mode = mode;
      if (mode !== 'pass') for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
