/**
 * How a command-line tool reaches an embedded database that a running service holds: through the
 * socket in the data directory. Who may read the token file there (mode 0600) is the operator, or the
 * service. Each side proves to the other that it has the token, and never sends it: whoever listens
 * in the service's place learns nothing, and no statement goes out before the proof.
 *
 * Frames: 4 bytes of length, big endian, then a value in V8's serialization format. The frames of the
 * proof come first, and are compared before anything else is decoded: the tool's nonce; the service's
 * nonce and proof; the tool's proof; an empty one that lets the tool in.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type Database, DatabaseUnavailable } from '../sql/database.ts';
import { type Channel, databaseOver, serveDatabase } from './database-rpc.ts';
import { connectHolder } from './holder-socket.ts';

const FRAME_MAX_BYTES = 64 * 1024 * 1024;
const TOKEN_BYTES = 32;
const NONCE_BYTES = 32;
const PROOF_BYTES = 32;
const GREETING_TIMEOUT_MS = 2_000;
/** A service on a busy machine answers late; one that is frozen, never. */
const ANSWER_TIMEOUT_MS = 30_000;

/** Serves `database` to the operator's tools on the lock's socket. */
export function serveOperator(server: Server, directory: string, database: Database): void {
  const token = randomBytes(TOKEN_BYTES);
  // A new file: whoever holds one from before the directory was closed must not read this token.
  rmSync(tokenFile(directory), { force: true });
  writeFileSync(tokenFile(directory), token, { mode: 0o600, flag: 'wx' });
  server.on('connection', (socket) => {
    // A tool that is open must not keep the service from stopping.
    socket.unref();
    socket.on('error', () => undefined);
    // From the connection on, not from the last byte: drip-feeding must not keep it open.
    const deadline = setTimeout(() => socket.destroy(), GREETING_TIMEOUT_MS);
    socket.once('close', () => clearTimeout(deadline));
    void admitted(socket, token).then((isOperator) => {
      clearTimeout(deadline);
      if (isOperator) serveDatabase(database, channelOn(socket));
      else socket.destroy();
    });
  });
}

/** The service's side of the proof. */
async function admitted(socket: Socket, token: Buffer): Promise<boolean> {
  const theirs = await nextFrame(socket, NONCE_BYTES);
  if (theirs.length !== NONCE_BYTES) return false;
  const ours = randomBytes(NONCE_BYTES);
  writeFrame(socket, Buffer.concat([ours, proof('service', token, theirs, ours)]));
  if (!isProof(await nextFrame(socket, PROOF_BYTES), proof('tool', token, theirs, ours))) {
    return false;
  }
  writeFrame(socket, Buffer.alloc(0));
  return true;
}

/** Connects to the service that holds `directory`. @throws {DatabaseUnavailable} */
export async function connectOperator(directory: string): Promise<Database> {
  let socket: Socket | undefined;
  try {
    const token = readFileSync(tokenFile(directory));
    socket = await connectHolder(directory);
    await admit(socket, token);
  } catch (cause) {
    socket?.destroy();
    const message = `the service that holds ${directory} does not let this user in`;
    throw new DatabaseUnavailable(message, { cause });
  }
  socket.removeAllListeners('error').on('error', () => undefined);
  return databaseOver(channelOn(socket));
}

/** The tool's side of the proof. @throws where the other side is not the service. */
async function admit(socket: Socket, token: Buffer): Promise<void> {
  const gone = new Promise<never>((_, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the service closed the connection')));
    setTimeout(() => reject(new Error('it does not answer')), ANSWER_TIMEOUT_MS).unref();
  });
  gone.catch(() => undefined);
  const next = (maxBytes: number) => Promise.race([nextFrame(socket, maxBytes), gone]);
  const ours = randomBytes(NONCE_BYTES);
  writeFrame(socket, ours);
  const answer = await next(NONCE_BYTES + PROOF_BYTES);
  const theirs = answer.subarray(0, NONCE_BYTES);
  if (!isProof(answer.subarray(NONCE_BYTES), proof('service', token, ours, theirs))) {
    throw new Error('who listens there has not the token of this directory: it is not the service');
  }
  writeFrame(socket, proof('tool', token, ours, theirs));
  await next(0);
}

/** Each side has a word of its own, so that what one has sent proves nothing for the other. */
function proof(side: 'service' | 'tool', token: Buffer, tool: Buffer, service: Buffer): Buffer {
  return createHmac('sha256', token).update(side).update(tool).update(service).digest();
}

function isProof(found: Buffer, expected: Buffer): boolean {
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function nextFrame(socket: Socket, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const take = (frame: Buffer, stop: () => void) => {
      stop();
      resolve(frame);
    };
    readFrames(socket, take, maxBytes);
  });
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
    socket.pause();
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
  socket.resume();
}
