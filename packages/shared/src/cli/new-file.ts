import { type FileHandle, open, unlink } from 'node:fs/promises';
import { CommandRefused } from './command-line.ts';

/**
 * Writes a file that nobody else may read, and leaves none behind when `work` fails.
 *
 * @throws {CommandRefused} when the file is there already or cannot be written.
 */
export async function writeNewFile<T>(
  path: string,
  work: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> {
  const file = await openNew(path);
  try {
    const result = await work(async (bytes) => {
      await file.writeFile(bytes);
    });
    await file.sync();
    await file.close();
    return result;
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(path).catch(() => undefined);
    throw error;
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it is there already' : code;
    throw new CommandRefused(`${path} cannot be written: ${why}`);
  }
}
