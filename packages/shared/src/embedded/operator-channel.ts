/**
 * How a command-line tool reaches an embedded database that a running service holds: through the
 * service's lock socket. The operator is who can read the token file in the data directory (mode 0600); a
 * connection that does not open with that token is cut.
 *
 * Frames: 4 bytes of length, big endian, then a value in V8's serialization format. The token's
 * frame comes first and is compared before anything else is decoded.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type Database, DatabaseUnavailable } from '../sql/database.ts';
import { type Channel, databaseOver, serveDatabase } from './database-rpc.ts';
import { lockAddress } from './directory-lock.ts';

const FRAME_MAX_BYTES = 64 * 1024 * 1024;
const TOKEN_BYTES = 32;
const GREETING_TIMEOUT_MS = 2_000;

/** Serves `database` to the operator's tools on the lock's socket. */
export function serveOperator(server: Server, directory: string, database: Database): void {
  const token = randomBytes(TOKEN_BYTES);
  writeFileSync(tokenFile(directory), token, { mode: 0o600 });
  server.on('connection', (socket) => {
    // A tool that is open must not keep the service from stopping.
    socket.unref();
    socket.on('error', () => undefined);
    // From the connection on, not from the last byte: drip-feeding must not keep it open.
    const deadline = setTimeout(() => socket.destroy(), GREETING_TIMEOUT_MS);
    socket.once('close', () => clearTimeout(deadline));
    const greet = (frame: Buffer, stop: () => void) => {
      stop();
      clearTimeout(deadline);
      if (frame.length !== TOKEN_BYTES || !timingSafeEqual(frame, token)) {
        socket.destroy();
        return;
      }
      writeFrame(socket, token);
      serveDatabase(database, channelOn(socket));
    };
    readFrames(socket, greet, TOKEN_BYTES);
  });
}

/** Connects to the service that holds `directory`. @throws {DatabaseUnavailable} */
export async function connectOperator(directory: string): Promise<Database> {
  const socket = new Socket();
  try {
    const token = readFileSync(tokenFile(directory));
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the service closed the connection')));
      socket.connect(lockAddress(directory), () => writeFrame(socket, token));
      readFrames(socket, (_, stop) => {
        stop();
        resolve();
      });
    });
  } catch (cause) {
    socket.destroy();
    const message = `the service that holds ${directory} does not let this user in`;
    throw new DatabaseUnavailable(message, { cause });
  }
  socket.removeAllListeners('error').on('error', () => undefined);
  return databaseOver(channelOn(socket));
}

function tokenFile(directory: string): string {
  return join(directory, 'operator-token');
}

function channelOn(socket: Socket): Channel {
  return {
    send: (message) => {
      if (socket.writable) writeFrame(socket, serialize(message));
    },
    onMessage: (handle) => readFrames(socket, (frame) => handle(deserialize(frame))),
    onClose: (handle) => socket.once('close', handle),
    close: () =>
      new Promise((resolve) => {
        // The service may have ended before.
        if (socket.closed) return resolve();
        socket.once('close', () => resolve());
        socket.end();
        // The other side answers an end with its own; a dead one must not keep us.
        setTimeout(() => socket.destroy(), 1_000).unref();
      }),
  };
}

function writeFrame(socket: Socket, body: Uint8Array): void {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  socket.cork();
  socket.write(length);
  socket.write(body);
  socket.uncork();
}

/** Calls `handle` once per frame; `stop` hands the bytes that follow to the next reader. */
function readFrames(
  socket: Socket,
  handle: (frame: Buffer, stop: () => void) => void,
  frameMaxBytes = FRAME_MAX_BYTES,
): void {
  let chunks: Buffer[] = [];
  let size = 0;
  let stopped = false;
  const stop = () => {
    stopped = true;
    socket.removeListener('data', read);
    const rest = Buffer.concat(chunks);
    if (rest.length > 0) socket.unshift(rest);
  };
  const take = (bytes: number): Buffer => {
    const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    chunks = [all.subarray(bytes)];
    size -= bytes;
    return all.subarray(0, bytes);
  };
  let expected: number | undefined;
  const read = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    while (!stopped) {
      if (expected === undefined) {
        if (size < 4) return;
        expected = take(4).readUInt32BE();
        if (expected > frameMaxBytes) {
          socket.destroy();
          return;
        }
      }
      if (size < expected) return;
      const frame = take(expected);
      expected = undefined;
      handle(frame, stop);
    }
  };
  socket.on('data', read);
}
