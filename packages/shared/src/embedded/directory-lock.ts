import { createHash } from 'node:crypto';
import {
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  /** The socket whose name is the lock; operator-channel.ts answers on it. */
  readonly server: Server;
  release(): Promise<void>;
}

const HEARTBEAT_MS = 5_000;
/** Three heartbeats without a sign of life: the holder in the other container is gone. */
const HEARTBEAT_STALE_MS = 15_000;

/**
 * Takes the one place that a process can have on an embedded data directory.
 *
 * The lock is a listening socket whose name is made from the directory's real path: the kernel
 * gives it to one process and takes it back when that process dies, `kill -9` included. Two
 * containers that share a volume do not share socket names, so the holder also keeps a file with
 * its network namespace fresh; a file kept fresh from another namespace is respected.
 *
 * @throws {DirectoryInUse} when another process holds the directory.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const holderFile = join(directory, 'holder.json');
  const server = await listenAlone(lockAddress(directory), directory);
  try {
    const foreign = foreignHolder(holderFile);
    if (foreign !== undefined) throw new DirectoryInUse(directory, foreign);
    const holder = { pid: process.pid, namespace: networkNamespace() };
    writeFileSync(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch (error) {
    // Else this process would hold a directory that it does not use, for as long as it runs.
    await closed(server);
    throw error;
  }
  const heartbeat = setInterval(() => touch(holderFile), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    server,
    async release() {
      clearInterval(heartbeat);
      rmSync(holderFile, { force: true });
      await closed(server);
    },
  };
}

/** Where the holder of `directory` listens: an abstract socket, a socket file or a named pipe. */
export function lockAddress(directory: string): string {
  const digest = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 32);
  switch (process.platform) {
    case 'linux':
      return `\0cls-${digest}`;
    case 'win32':
      return `\\\\.\\pipe\\cls-${digest}`;
    default:
      return join(tmpdir(), `cls-${digest}.sock`);
  }
}

async function listenAlone(address: string, directory: string): Promise<Server> {
  try {
    return await listening(address);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  }
  // A socket file outlives its process: it is free when nobody answers there.
  if (address.endsWith('.sock') && !(await answers(address))) {
    rmSync(address, { force: true });
    return listening(address);
  }
  throw new DirectoryInUse(directory, holderName(directory));
}

function listening(address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(address, () => {
      server.removeListener('error', reject);
      server.unref();
      resolve(server);
    });
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new Socket();
    const answer = (yes: boolean) => () => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', answer(true)).once('error', answer(false)).connect(address);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
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
    return foreign ? `process ${pid} in another container` : undefined;
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

/** Two processes see each other's sockets exactly when this is equal. */
function networkNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/net');
  } catch {
    return process.platform;
  }
}
