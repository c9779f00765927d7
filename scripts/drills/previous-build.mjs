// The build of the last release, made from this repository's history.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
/** The commit of release 0.3.0. After a release, name its commit here, and its migrations in released.json. */
export const PREVIOUS = { release: '0.3.0', commit: '1c09c0c46198279333dfcd19c2ca5f24a80cd33f' };

/** False in a clone without the commit, such as a shallow one. */
export function hasPrevious() {
  const { status } = spawnSync('git', ['cat-file', '-e', `${PREVIOUS.commit}^{commit}`], {
    cwd: root,
    stdio: 'ignore',
  });
  return status === 0;
}

/** Installs and compiles it, once: the folder stays in the cache. @returns the folder */
export function previousBuild() {
  const place = join(root, 'node_modules', '.cache', `cls-build-${PREVIOUS.commit.slice(0, 12)}`);
  if (existsSync(place)) return place;
  process.stderr.write(`building release ${PREVIOUS.release} …\n`);
  const building = `${place}.${process.pid}`;
  mkdirSync(building, { recursive: true });
  try {
    const archive = ['archive', '--format=tar', PREVIOUS.commit];
    const tar = execFileSync('git', archive, { cwd: root, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x'], { cwd: building, input: tar });
    const program = "import('./scripts/bootstrap.mjs').then((m) => m.bootstrap())";
    execFileSync(process.execPath, ['-e', program], { cwd: building, stdio: 'ignore' });
    renameSync(building, place);
  } catch (error) {
    rmSync(building, { recursive: true, force: true });
    throw error;
  }
  return place;
}
