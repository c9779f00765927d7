// Backups of a drill's PostgreSQL, and their restores onto the same port.
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  eventually,
  postgresBinDir,
  postgresUser,
  temporaryDirectory,
} from '../../packages/testing/dist/src/servers.js';
import { DATABASES, makeRoles, ownerOf } from './roles.mjs';

/** Its programs, and files that it may read: it refuses to be root. */
function asPostgres(program, words) {
  const owner = postgresUser();
  execFileSync(program, words, { ...owner, stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
}

const program = (name) => join(postgresBinDir(), name);

function ownFolder(prefix) {
  const folder = temporaryDirectory(prefix);
  const owner = postgresUser();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

/** A place for the write-ahead log, and the settings that send it there. */
export function archivedPostgres() {
  const archive = ownFolder('cls-archive-');
  const directory = ownFolder('cls-postgres-');
  const settings = ['archive_mode=on', `archive_command=cp %p ${archive}/%f`];
  return { archive, directory, settings };
}

/** A base backup and the log since then: any moment can be restored. */
export const POINT_IN_TIME = {
  needs: { postgres: 'archived' },
  async backUp({ postgres }) {
    const base = join(ownFolder('cls-base-'), 'data');
    const { port } = postgres.primary;
    const from = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres', '-c', 'fast'];
    asPostgres(program('pg_basebackup'), ['-D', base, '-X', 'none', ...from]);
    return {
      async moment() {
        const [{ at }] = await postgres.primary.query('SELECT clock_timestamp()::text AS at');
        return at;
      },
      async restore(at) {
        const { primary, archived } = postgres;
        const [{ wal }] = await primary.query('SELECT pg_walfile_name(pg_switch_wal()) AS wal');
        await eventually(async () => {
          if (!existsSync(join(archived.archive, wal))) throw new Error(`${wal} is not archived`);
        });
        await primary.stop('crash');
        const data = join(archived.directory, 'data');
        rmSync(data, { recursive: true });
        asPostgres('cp', ['-a', base, data]);
        const lines = [
          `restore_command = 'cp ${archived.archive}/%f %p'`,
          `recovery_target_time = '${at}'`,
          `recovery_target_action = 'promote'`,
        ];
        writeFileSync(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
        writeFileSync(join(data, 'recovery.signal'), '');
        await primary.start();
        await eventually(async () => {
          const [{ yes }] = await primary.query('SELECT pg_is_in_recovery() AS yes');
          if (yes) throw new Error('it recovers');
        });
      },
    };
  },
};

/** A dump of each database: the moment of the dump can be restored. */
export const DUMP = {
  needs: {},
  async backUp({ postgres }) {
    const folder = ownFolder('cls-dump-');
    const { primary } = postgres;
    const file = (name) => join(folder, `${name}.dump`);
    return {
      async moment() {
        mkdirSync(folder, { recursive: true });
        for (const name of DATABASES) {
          asPostgres(program('pg_dump'), ['-Fc', postgres.ownerUrl(name), '-f', file(name)]);
        }
      },
      async restore() {
        for (const name of DATABASES) await primary.query(`DROP DATABASE ${name} WITH (FORCE)`);
        makeRoles(primary.port);
        for (const name of DATABASES) {
          const options = ['--no-owner', `--role=${ownerOf(name)}`, '--exit-on-error'];
          const into = ['-d', primary.url(name, 'postgres'), file(name)];
          asPostgres(program('pg_restore'), [...options, ...into]);
        }
      },
    };
  },
};
