import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { RedisAddress } from '../service/redis-address.ts';

/** What Redis answers (RESP2); an error answer is an Error. */
export type Reply = string | number | null | Error | readonly Reply[];

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

const TIMEOUT_MS = 3_000;

/**
 * Asks one server, and no other, whatever it says of the rest of its cluster: the libraries would
 * go round a node that is down.
 *
 * @throws {Error} when it does not answer.
 */
export async function askRedisNode(
  { host, port }: RedisNode,
  { tls, username, password }: Pick<RedisAddress, 'tls' | 'username' | 'password'>,
  commands: readonly (readonly string[])[],
): Promise<readonly Reply[]> {
  const login = password === undefined ? [] : [['AUTH', ...(username ? [username] : []), password]];
  const socket = tls ? connectTls({ host, port, servername: host }) : connect(port, host);
  try {
    const all = [...login, ...commands];
    const replies = await conversation(socket, all, tls ? 'secureConnect' : 'connect');
    const refused = login.length > 0 ? replies[0] : undefined;
    if (refused instanceof Error) throw refused;
    return replies.slice(login.length);
  } finally {
    socket.destroy();
  }
}

function conversation(
  socket: Socket,
  commands: readonly (readonly string[])[],
  ready: string,
): Promise<readonly Reply[]> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('it does not answer')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('it closed the connection')));
    socket.once(ready, () => socket.write(commands.map(encoded).join('')));
    socket.on('data', (part) => {
      received = Buffer.concat([received, part]);
      const replies = readReplies(received, commands.length);
      if (replies !== undefined) resolve(replies);
    });
  });
}

function encoded(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return `*${words.length}\r\n${parts.join('')}`;
}

class Incomplete extends Error {}

function readReplies(bytes: Buffer, count: number): readonly Reply[] | undefined {
  const reader = { bytes, at: 0 };
  try {
    return Array.from({ length: count }, () => readReply(reader));
  } catch (error) {
    if (error instanceof Incomplete) return undefined;
    throw error;
  }
}

function readReply(reader: { readonly bytes: Buffer; at: number }): Reply {
  const end = reader.bytes.indexOf('\r\n', reader.at);
  if (end < 0) throw new Incomplete();
  const type = reader.bytes.toString('latin1', reader.at, reader.at + 1);
  const rest = reader.bytes.toString('utf8', reader.at + 1, end);
  reader.at = end + 2;
  if (type === '+') return rest;
  if (type === '-') return new Error(rest);
  const number = Number(rest);
  if (type === ':') return number;
  if (number < 0) return null;
  if (type === '*') return Array.from({ length: number }, () => readReply(reader));
  if (type !== '$') throw new Error('it does not speak as Redis does');
  if (reader.bytes.length < reader.at + number + 2) throw new Incomplete();
  const text = reader.bytes.toString('utf8', reader.at, reader.at + number);
  reader.at += number + 2;
  return text;
}
