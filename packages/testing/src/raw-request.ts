import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends text as it is, and gives the status of what comes before the connection is closed. */
export async function statusOfRaw(port: number, text: string): Promise<number> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(text);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await once(socket, 'close');
  return Number(answer.split(' ', 2)[1]);
}

/** Requests that a server refuses before it can read them, with the status of the refusal. */
export const UNREADABLE = [
  ['hidden-word\r\n\r\n', 400],
  ['GET /hidden-word HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'hidden-word '.repeat(4_000)}\r\n\r\n`, 431],
] as const;
