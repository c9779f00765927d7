import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDiskFull } from '@cls/shared/disk-full';
import { DirectoryUnusable } from '@cls/shared/embedded/data-directory';
import {
  DirectoryInUse,
  type DirectoryLock,
  lockDirectory,
} from '@cls/shared/embedded/directory-lock';
import { newId } from '@cls/shared/new-id';

const PREFIX = 'spool';
const FILE = 'events.jsonl';
const READ_MAX_BYTES = 512 * 1024;
/** Taken over meanwhile, no folder, or another user's. */
const PASSED_OVER = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'EACCES']);

/**
 * The events that one process has taken and the database does not have yet: lines of a file that
 * only grows, and is emptied when the database has them all. Written with write(2), a line survives
 * the process; with `synced`, the machine.
 */
export interface AuditSpool {
  /** @throws when the line cannot be written whole, as on a full disk. */
  append(line: string): void;
  /** @throws while a line as long as the one that could not be written last still cannot be. */
  probe(): void;
  /** Resolves when what was appended is on the disk; callers share a write. */
  synced(): Promise<void>;
  /** The oldest lines that are not done, and the offset behind them. */
  read(): { readonly lines: readonly string[]; readonly end: number };
  /** The database has everything before `end`. */
  done(end: number): void;
  /** Bytes that the database does not have yet. */
  readonly waitingBytes: number;
  /** Removes the file when it is done, else leaves it to the next process. */
  close(): Promise<void>;
}

/**
 * A new spool of this process below `directory`.
 *
 * @throws {DirectoryUnusable} when it cannot be written.
 */
export async function openAuditSpool(directory: string): Promise<AuditSpool> {
  const own = join(directory, newId(PREFIX));
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    // Locked before there is a file: others look for those alone.
    return await lockedSpool(own).catch((error) => {
      // A supervisor starts again and again: each time would leave a folder.
      rmSync(own, { recursive: true });
      throw error;
    });
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const mend = isDiskFull(cause)
      ? 'free space on its disk'
      : 'set AUDIT_SPOOL_DIR, or CLS_DATA_DIR, to a directory that this user may write and that outlives the process';
    throw new DirectoryUnusable(
      `the directory ${directory}, in which audit events wait for the database, cannot be written (${code}); ${mend}`,
      { cause },
    );
  }
}

/**
 * Takes over the spools of processes that have ended, one at a time. A caller that stops early has
 * locked none of the remaining spools.
 *
 * @param onUnreadable called for each folder of a process of another user, which is passed over.
 */
export async function* leftSpools(
  directory: string,
  onUnreadable: (place: string) => void = () => undefined,
): AsyncGenerator<AuditSpool> {
  for (const name of readdirSync(directory)) {
    const place = join(directory, name);
    let spool: AuditSpool;
    try {
      if (statSync(join(place, FILE), { throwIfNoEntry: false }) === undefined) continue;
      spool = await lockedSpool(place);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A volume may also have a `lost+found`, which is root's.
      if (code === 'EACCES' && name.startsWith(`${PREFIX}_`)) onUnreadable(place);
      if (!(error instanceof DirectoryInUse) && !PASSED_OVER.has(code)) throw error;
      continue;
    }
    yield spool;
  }
}

async function lockedSpool(place: string): Promise<AuditSpool> {
  const lock = await lockDirectory(place);
  try {
    return spoolIn(place, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function spoolIn(place: string, lock: DirectoryLock): AuditSpool {
  const fd = openSync(join(place, FILE), 'a+', 0o600);
  let { size } = fstatSync(fd);
  let doneTo = 0;
  /** The last line is not whole: the next one must not become part of it. */
  let torn = size > 0 && !endsLine(fd, size);
  /** Counted from the start, also when the file is emptied. */
  let appended = 0;
  let synced = 0;
  let syncing: Promise<void> | undefined;
  /** Length of the last line, where it could not be written; else 0. */
  let refused = 0;

  const syncAll = async () => {
    while (synced < appended) {
      const upTo = appended;
      await new Promise<void>((resolve, reject) => {
        fdatasync(fd, (error) => (error ? reject(error) : resolve()));
      });
      synced = Math.max(synced, upTo);
    }
  };
  return {
    get waitingBytes() {
      return size - doneTo;
    },
    append(line) {
      const bytes = Buffer.from(`${torn ? '\n' : ''}${line}\n`);
      torn = true;
      refused = bytes.length;
      const written = writeSync(fd, bytes);
      size += written;
      appended += written;
      if (written < bytes.length) throw new Error('the disk is full');
      torn = false;
      refused = 0;
    },
    probe() {
      if (refused === 0) return;
      // Empty lines, which are passed over where the process dies before they are cut off again.
      const written = writeSync(fd, Buffer.alloc(refused, '\n'));
      ftruncateSync(fd, size);
      if (written < refused) throw new Error('the disk is full');
      refused = 0;
    },
    async synced() {
      const upTo = appended;
      while (synced < upTo) {
        syncing ??= syncAll().finally(() => {
          syncing = undefined;
        });
        await syncing;
      }
    },
    read() {
      const bytes = Buffer.alloc(Math.min(READ_MAX_BYTES, size - doneTo));
      const length = readSync(fd, bytes, 0, bytes.length, doneTo);
      const last = bytes.lastIndexOf('\n', length - 1);
      // An incomplete line at the end of a spool that no process writes to: its request got no
      // answer.
      if (last < 0) return { lines: [], end: size };
      const lines = bytes.toString('utf8', 0, last).split('\n');
      return { lines: lines.filter((one) => one !== ''), end: doneTo + last + 1 };
    },
    done(end) {
      doneTo = end;
      if (doneTo < size) return;
      ftruncateSync(fd, 0);
      [size, doneTo, torn] = [0, 0, false];
      synced = appended; // The database keeps it.
    },
    async close() {
      closeSync(fd);
      // Others look for the file alone. The folder goes last, without the lock's socket in it: after a look
      // at a socket Node 20 resolves no symbolic links of modules that are imported next.
      if (size === 0) rmSync(join(place, FILE), { force: true });
      await lock.release();
      if (size === 0) removeUnlessLookedAt(place);
    },
  };
}

/** Another process may look for a lock in it just now: it takes over an empty spool, and removes that. */
function removeUnlessLookedAt(place: string): void {
  try {
    rmdirSync(place);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(code)) throw error;
  }
}

function endsLine(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}
