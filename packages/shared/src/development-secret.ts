import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from './secret.ts';

/**
 * A secret for a developer's machine, where none is configured: 32 random bytes in base64url,
 * made once and kept in a file that only its owner may read. Production never calls this.
 */
export function developmentSecret(directory: string, name: string): Secret {
  const file = join(directory, name);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // `wx` decides between two processes that start at once.
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return new Secret(readFileSync(file, 'utf8').trim());
}
