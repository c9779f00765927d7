import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@cls/shared/log';
import {
  type DatabaseLocation,
  openDatabaseAsOperator,
  ownerLocation,
} from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { type Engine, postgresAsService } from '@cls/testing/engines';
import { temporaryDirectory } from '@cls/testing/servers';
import { stdoutOf } from '@cls/testing/tool-host';
import { KEY, startTestAuthServer, type TestAuthServer } from './auth-server.ts';
import { runTool } from './tool.ts';

export interface ToolWorld {
  readonly server: TestAuthServer;
  /** The database as the role that owns the schema. */
  readonly owner: Database;
  /** Runs `cls-auth` beside the service. */
  readonly run: (words: string, settings?: Record<string, string>) => ReturnType<typeof runTool>;
  /** The same with `--json`. @throws when it fails. */
  readonly done: (
    words: string,
    settings?: Record<string, string>,
  ) => ReturnType<typeof JSON.parse>;
  stop(): Promise<void>;
}

/** A running service and the tool beside it; on PostgreSQL as production has them, with two roles. */
export async function toolWorld(
  engine: Engine,
  settings: Record<string, string> = {},
): Promise<ToolWorld> {
  const dataDir = join(temporaryDirectory('cls-tool-world-'), 'data');
  const base = engine.name === 'PGlite' ? engine : postgresAsService('cls_auth_service');
  let location: DatabaseLocation | undefined;
  const made: Engine = {
    ...base,
    async createLocation(...how) {
      const created = await base.createLocation(...how);
      location = created.kind === 'embedded' ? moved(created, dataDir) : created;
      return location;
    },
  };
  const server = await startTestAuthServer(made, { CLS_DATA_DIR: dataDir, ...settings });
  if (location === undefined) throw new Error('no database was made');
  const owner = await openDatabaseAsOperator(ownerLocation(location), 'owner', silentLog);
  const env = {
    ...{ CLS_DATA_DIR: dataDir, KEY_ENCRYPTION_KEY: KEY, ISSUER: server.issuer },
    ...(location.kind === 'postgres' && {
      AUTH_DATABASE_URL: location.url.expose(),
      AUTH_MIGRATIONS_DATABASE_URL: (location.ownerUrl ?? location.url).expose(),
      RUN_MIGRATIONS: '0',
    }),
  };
  const run: ToolWorld['run'] = (words, more = {}) =>
    runTool(words.split(' '), { ...env, ...more });
  return {
    server,
    owner,
    run,
    async done(words, more) {
      return JSON.parse(stdoutOf(await run(`${words} --json`, more), words));
    },
    async stop() {
      await owner.close();
      await server.stop();
    },
  };
}

/** To where the tool finds the embedded database of this data directory. */
function moved(location: DatabaseLocation & { kind: 'embedded' }, dataDir: string) {
  const directory = join(dataDir, 'auth-server', 'database');
  mkdirSync(join(dataDir, 'auth-server'), { recursive: true });
  renameSync(location.directory, directory);
  return { ...location, directory };
}
