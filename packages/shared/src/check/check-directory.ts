import { existsSync, mkdtempSync, rmdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { reasonOf } from '../reason.ts';
import { type Finding, findingsOf } from './finding.ts';

const FREE_MIN_BYTES = 256 * 2 ** 20;

/** Whether this user may write there, and whether there is room. One that is not there yet is made later. */
export function checkDirectory(part: string, check: string, directory: string): Finding {
  const { ok, warning, failed } = findingsOf(part);
  try {
    const place = existing(resolve(directory));
    if (!statSync(place).isDirectory()) throw new Error(`${place} is a file`);
    // Permissions alone say too little: of a read-only disk, or to an administrator.
    rmdirSync(mkdtempSync(join(place, '.cls-check-')));
    const { bavail, bsize } = statfsSync(place);
    const free = `${Math.round((bavail * bsize) / 2 ** 20)} MiB free`;
    return bavail * bsize < FREE_MIN_BYTES
      ? warning(check, `${directory}: ${free}`, 'make room on its disk')
      : ok(check, `${directory}: ${free}`);
  } catch (error) {
    const found = `${directory} cannot be written: ${reasonOf(error)}`;
    return failed(check, found, 'let this user write there, or name another directory');
  }
}

function existing(directory: string): string {
  return existsSync(directory) ? directory : existing(dirname(directory));
}
