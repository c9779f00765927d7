// The build of the last release, made from this repository's history.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
/** The commit of release 0.5.0. After a release, name its commit here, and its migrations in released.json. */
export const PREVIOUS = { release: '0.5.0', commit: 'c2e4f971bc446e2341f5f6fa333f5c1e877266c1' };

/** False in a clone without the commit, such as a shallow one. */
export function hasPrevious() {
  const { status } = spawnSync('git', ['cat-file', '-e', `${PREVIOUS.commit}^{commit}`], {
    cwd: root,
    stdio: 'ignore',
  });
  return status === 0;
}

let built;

/** Installs and compiles it, once for a process, which removes it. @returns the folder */
export function previousBuild() {
  built ??= build();
  return built;
}

function build() {
  process.stderr.write(`building release ${PREVIOUS.release} …\n`);
  // Not below node_modules: the compiler leaves out what is there.
  const folder = mkdtempSync(join(tmpdir(), 'cls-build-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const archive = ['archive', '--format=tar', PREVIOUS.commit];
  const tar = execFileSync('git', archive, { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x'], { cwd: folder, input: tar });
  const program = "import('./scripts/bootstrap.mjs').then((m) => m.bootstrap())";
  execFileSync(process.execPath, ['-e', program], { cwd: folder, stdio: 'ignore' });
  return folder;
}
