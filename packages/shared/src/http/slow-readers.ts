import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How slowly a caller may read an answer that is ready to be sent. */
export interface ReaderLimits {
  /** Milliseconds for which a caller may read nothing. */
  readonly readerMs: number;
  /** Bytes a second that it must read, on average over that time. */
  readonly readerBytesPerS: number;
}

interface Reader {
  /** Bytes that the machine took from us for this connection. */
  taken: number;
  /** Bytes by which it is ahead of the slowest pace that is allowed. */
  credit: number;
}

/** Looks at each connection so often within `readerMs`. */
const LOOKS = 12;

/**
 * Resets the connections of callers who read too slowly: each holds an answer, and its place among
 * the requests under way, for as long as it likes. Only the time counts in which data waits for the
 * caller; a slow database costs it nothing. The machine's buffers are in its favour: up to some
 * megabytes count as read.
 */
export function cutSlowReaders(
  server: Server,
  { readerMs, readerBytesPerS }: ReaderLimits,
  onCut: () => void,
): void {
  const full = (readerBytesPerS * readerMs) / 1_000;
  const readers = new Map<Socket, Reader>();
  server.on('connection', (socket: Socket) => {
    readers.set(socket, { taken: 0, credit: full });
    socket.once('close', () => readers.delete(socket));
  });
  const everyMs = readerMs / LOOKS;
  let lastMs = performance.now();
  const look = setInterval(() => {
    const nowMs = performance.now();
    // While this process did not run, nobody could read.
    const owed = (readerBytesPerS * Math.min(nowMs - lastMs, 2 * everyMs)) / 1_000;
    lastMs = nowMs;
    for (const [socket, reader] of readers) {
      const taken = takenBy(socket);
      const waiting = socket.writableLength;
      reader.credit =
        waiting === 0 ? full : Math.min(full, reader.credit + taken - reader.taken) - owed;
      reader.taken = taken;
      // Node counts a chunk as sent only when all of it is: part of what waits may be gone already.
      if (reader.credit + waiting >= 0) continue;
      readers.delete(socket);
      socket.resetAndDestroy();
      onCut();
    }
  }, everyMs).unref();
  server.once('close', () => clearInterval(look));
}

function takenBy(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
