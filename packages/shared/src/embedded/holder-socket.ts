/**
 * The place that one process can have in a data directory: a listening socket, as a file in the
 * directory, which belongs to its owner alone (data-directory.ts). On Windows a named pipe.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { createServer, type Server, Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** `sun_path` has 108 bytes on Linux and 104 on macOS, with a byte that ends it. */
const PATH_MAX_BYTES = 103;

export interface HolderSocket {
  readonly server: Server;
  release(): Promise<void>;
}

export function holderAddress(directory: string): string {
  if (process.platform !== 'win32') return join(directory, 'holder.sock');
  const digest = createHash('sha256').update(realpathSync(directory)).digest('hex');
  return `\\\\.\\pipe\\cls-${digest.slice(0, 32)}`;
}

/** @returns undefined where another process has the place. */
export async function takeHolderSocket(directory: string): Promise<HolderSocket | undefined> {
  const place = holderAddress(directory);
  if (process.platform === 'win32') return takePipe(place);
  // Under a name of its own until it listens, so that what is in the place always did: where nobody
  // answers there, its process has ended.
  const own = `${place}.${randomBytes(8).toString('hex')}`;
  const server = createServer();
  await reach(own, (address) => listening(server, address));
  try {
    while (!isFree(() => linkSync(own, place))) {
      const found = fileAt(place);
      if (await answers(place)) {
        await closed(server);
        return undefined;
      }
      if (fileAt(place) === found) await removeEnded(place, `${own}.ended`);
    }
  } finally {
    removeSocket(own);
  }
  return {
    server,
    async release() {
      removeSocket(place);
      await closed(server);
    },
  };
}

/** Connects to the process that has the place. @throws where nobody has it. */
export function connectHolder(directory: string): Promise<Socket> {
  return reach(holderAddress(directory), connected);
}

async function takePipe(name: string): Promise<HolderSocket | undefined> {
  const server = createServer();
  try {
    await listening(server, name);
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') return undefined;
    throw error;
  }
  return { server, release: () => closed(server) };
}

/** Of several processes that find an ended one, each moves the file aside under a name of its own. */
async function removeEnded(place: string, aside: string): Promise<void> {
  try {
    renameSync(place, aside);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return; // Another process was faster.
  }
  // Between the look and the move another process may have taken the place: it is given back.
  if (await answers(aside)) isFree(() => linkSync(aside, place));
  removeSocket(aside);
}

/**
 * Not `rmSync`, which looks at the file first: after a look at a socket, Node 20 resolves no symbolic
 * links of modules that are imported next (`realpathSync` reads the type of the last file).
 */
function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * Which file is there: a number may be used again, but not with the same time. `bigint` is also for
 * imports that come later, as in log-output.ts.
 */
function fileAt(place: string): string | undefined {
  const stat = statSync(place, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.ctimeNs}`;
}

function isFree(take: () => void): boolean {
  try {
    take();
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

async function answers(place: string): Promise<boolean> {
  try {
    (await reach(place, connected)).destroy();
    return true;
  } catch (error) {
    // Whatever else is wrong, a process may be there.
    return codeOf(error) !== 'ECONNREFUSED' && codeOf(error) !== 'ENOENT';
  }
}

/** Linux reaches a path that is too long for a socket through its open folder. */
async function reach<T>(path: string, use: (address: string) => Promise<T>): Promise<T> {
  if (process.platform === 'win32' || Buffer.byteLength(path) <= PATH_MAX_BYTES) return use(path);
  if (process.platform !== 'linux') {
    const message = `${path} is too long for a socket: at most ${PATH_MAX_BYTES} bytes`;
    throw Object.assign(new Error(message), { code: 'ENAMETOOLONG' });
  }
  const folder = openSync(dirname(path), 'r');
  try {
    return await use(`/proc/self/fd/${folder}/${basename(path)}`);
  } finally {
    closeSync(folder);
  }
}

function listening(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.removeListener('error', reject);
      server.unref();
      resolve();
    });
  });
}

function connected(address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new Socket();
    socket.once('error', reject);
    socket.connect(address, () => {
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
