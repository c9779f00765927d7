import { existsSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDiskFull } from '../disk-full.ts';
import { reasonOf } from '../reason.ts';
import { type Finding, findingsOf } from './finding.ts';

/** More than what a file system keeps beside the name of a file. */
const PROBE_BYTES = 64 * 2 ** 10;
const FREE_MIN_BYTES = 256 * 2 ** 20;

/** Whether this user may write there, and whether there is room. One that is not there yet is made later. */
export function checkDirectory(part: string, check: string, directory: string): Finding {
  const { ok, warning, failed } = findingsOf(part);
  try {
    const place = existing(resolve(directory));
    if (!statSync(place).isDirectory()) throw new Error(`${place} is a file`);
    writeProbe(place);
    const { bavail, bsize } = statfsSync(place);
    const free = `${Math.round((bavail * bsize) / 2 ** 20)} MiB free`;
    return bavail * bsize < FREE_MIN_BYTES
      ? warning(check, `${directory}: ${free}`, 'make room on its disk')
      : ok(check, `${directory}: ${free}`);
  } catch (error) {
    const found = `${directory} cannot be written: ${reasonOf(error)}`;
    const todo = isDiskFull(error)
      ? 'make room on its disk'
      : 'let this user write there, or name another directory';
    return failed(check, found, todo);
  }
}

/** Permissions alone say too little: of a read-only or a full disk, or to an administrator. */
function writeProbe(place: string): void {
  const folder = mkdtempSync(join(place, '.cls-check-'));
  try {
    writeFileSync(join(folder, 'probe'), Buffer.alloc(PROBE_BYTES));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function existing(directory: string): string {
  return existsSync(directory) ? directory : existing(dirname(directory));
}
