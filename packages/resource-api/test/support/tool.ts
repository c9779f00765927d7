import { join } from 'node:path';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import { makeStore } from '@cls/testing/embedded-template';
import { temporaryDirectory } from '@cls/testing/servers';
import { runHosted, type ToolRun } from '@cls/testing/tool-host';
import { MIGRATIONS } from '../../src/database/migrations.ts';

const TOOL = new URL('../../src/cli/run.js', import.meta.url);
const BOOKS = new URL('../../../../book-generator/dist/src/cli/run.js', import.meta.url);

export interface Tool {
  run(...words: string[]): Promise<ToolRun>;
  /** What it printed with `--json`. */
  json(...words: string[]): Promise<ReturnType<typeof JSON.parse>>;
  stop(): Promise<void>;
}

/** `cls-api` on an embedded store that this process holds, as a running service does. */
export async function startTool(): Promise<Tool> {
  const dataDir = join(temporaryDirectory('cls-tool-'), 'data');
  const directory = join(dataDir, 'resource-api', 'database');
  await makeStore(directory, MIGRATIONS);
  const holder = await openEmbeddedDatabase(directory);
  const run: Tool['run'] = (...words) => runWith({ CLS_DATA_DIR: dataDir }, ...words);
  return {
    run,
    json: async (...words) => JSON.parse((await run(...words, '--json')).stdout),
    stop: () => holder.close(),
  };
}

/** `cls-api`, or `cls-books` for `generate`. */
export function runWith(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<ToolRun> {
  return runHosted(words[0] === 'generate' ? BOOKS : TOOL, words, env);
}
