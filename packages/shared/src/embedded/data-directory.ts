import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The directory cannot be used; the message says why and what to do. */
export class DirectoryUnusable extends Error {
  override readonly name = 'DirectoryUnusable';
}

const OTHERS = 0o077;

/**
 * Makes a data directory, or takes the one that is there, for its owner alone: whoever else could
 * write in it could stand in the place of the service.
 *
 * @param onClosed told where others could enter it; it is closed to them.
 * @throws {DirectoryUnusable} where it cannot be written, or belongs to another user.
 */
export function makeDataDirectory(directory: string, onClosed: (sentence: string) => void): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const probe = join(directory, '.write-probe');
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `the data directory ${directory} cannot be written (${code}); set CLS_DATA_DIR to a directory that this user may write`;
    throw new DirectoryUnusable(message, { cause });
  }
  if (process.platform !== 'win32') closeToOthers(directory, onClosed);
}

function closeToOthers(directory: string, onClosed: (sentence: string) => void): void {
  const { uid, mode } = statSync(directory);
  const user = process.geteuid?.();
  // An administrator works in the directory of the service's user.
  if (user !== 0 && uid !== user) {
    throw new DirectoryUnusable(
      `the data directory ${directory} belongs to another user (uid ${uid}), who could read and replace what is in it; set CLS_DATA_DIR to a directory that this user (uid ${user}) owns`,
    );
  }
  if ((mode & OTHERS) === 0) return;
  chmodSync(directory, 0o700);
  const was = (mode & 0o777).toString(8);
  onClosed(
    `the data directory ${directory} was open to other users (mode ${was}) and is now closed to them (700)`,
  );
}
