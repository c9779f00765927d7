import { readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { takeHolderSocket } from './holder-socket.ts';

/** Another process holds the directory. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
  readonly directory: string;

  constructor(directory: string, holder: string) {
    super(`${directory} is in use by ${holder}; stop it, or give this one another CLS_DATA_DIR`);
    this.directory = directory;
  }
}

/** A directory that is held by this process. */
export interface DirectoryLock {
  /** The socket that is the lock; operator-channel.ts answers on it. */
  readonly server: Server;
  release(): Promise<void>;
}

const HEARTBEAT_MS = 5_000;
/** Three heartbeats without a sign of life: the holder in the other container is gone. */
const HEARTBEAT_STALE_MS = 15_000;

/**
 * Takes the one place that a process can have on an embedded data directory.
 *
 * The lock is a socket in the directory: it answers for as long as its process lives, whatever ends
 * that. Two machines that share a volume do not reach each other's sockets, so the holder also keeps a
 * file with its network namespace fresh; a file kept fresh from another namespace is respected.
 *
 * @throws {DirectoryInUse} when another process holds the directory.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const holderFile = join(directory, 'holder.json');
  const socket = await takeHolderSocket(directory);
  if (socket === undefined) throw new DirectoryInUse(directory, holderName(directory));
  try {
    const foreign = foreignHolder(holderFile);
    if (foreign !== undefined) throw new DirectoryInUse(directory, foreign);
    const holder = { pid: process.pid, namespace: networkNamespace() };
    writeFileSync(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch (error) {
    // Else this process would hold a directory that it does not use, for as long as it runs.
    await socket.release();
    throw error;
  }
  const heartbeat = setInterval(() => touch(holderFile), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    server: socket.server,
    async release() {
      clearInterval(heartbeat);
      rmSync(holderFile, { force: true });
      await socket.release();
    },
  };
}

function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // The directory may be gone in a test or at shutdown; the socket is the lock that counts.
  }
}

function foreignHolder(holderFile: string): string | undefined {
  try {
    const { pid, namespace } = JSON.parse(readFileSync(holderFile, 'utf8'));
    const ageMs = Date.now() - statSync(holderFile).mtimeMs;
    const foreign = namespace !== networkNamespace() && ageMs < HEARTBEAT_STALE_MS;
    return foreign ? `process ${pid} in another container, or of an older build` : undefined;
  } catch {
    return undefined; // Absent, or half-written by a process that died: nobody keeps it fresh.
  }
}

function holderName(directory: string): string {
  try {
    const { pid } = JSON.parse(readFileSync(join(directory, 'holder.json'), 'utf8'));
    return `process ${pid}`;
  } catch {
    return 'another process';
  }
}

/**
 * Two processes on one machine have the same. Builds up to 0.5.0 have another lock, and take or give
 * another word: they respect each other for as long as the file is fresh.
 */
function networkNamespace(): string {
  try {
    return `${readlinkSync('/proc/self/ns/net')}, holder.sock`;
  } catch {
    return `${process.platform}, holder.sock`;
  }
}
