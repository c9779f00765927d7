import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from './secret.ts';

/**
 * A secret for a developer's machine, where none is configured: 32 random bytes in base64url,
 * made once and kept in a file that only its owner may read. Production never calls this.
 */
export function developmentSecret(directory: string, name: string): Secret {
  const file = join(directory, name);
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 });
    linkSync(draft, file); // Whole or not at all; of two processes that start at once, one wins.
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return new Secret(readFileSync(file, 'utf8').trim());
}
