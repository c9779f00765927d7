import { spawnSync } from 'node:child_process';
import { root } from './bootstrap.mjs';

/** Runs a program of Node to its end. @returns its exit code */
export function runCommand(path, ...words) {
  const { status } = spawnSync(process.execPath, [path, ...words], { cwd: root, stdio: 'inherit' });
  return status;
}
