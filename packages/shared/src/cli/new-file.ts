import { randomBytes } from 'node:crypto';
import { lstat, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandRefused } from './command-line.ts';

/**
 * Writes a file that nobody else may read. It gets its name when all of it is on the disk: `work`
 * that fails leaves no file, and a process that is killed leaves one whose name ends in `.partial`.
 *
 * @throws {CommandRefused} when the file is there already or cannot be written.
 */
export async function writeNewFile<T>(
  path: string,
  work: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> {
  await requireNew(path);
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
  const file = await open(partial, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandRefused(`${path} cannot be written: ${code}`);
  });
  try {
    const result = await work(async (bytes) => {
      await file.writeFile(bytes);
    });
    await file.sync();
    await file.close();
    await requireNew(path);
    await rename(partial, path);
    await syncDirectory(dirname(path));
    return result;
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(partial).catch(() => undefined);
    throw error;
  }
}

async function requireNew(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined) {
    throw new CommandRefused(`${path} cannot be written: it is there already`);
  }
}

/** So that the name survives a crash of the machine too. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}
