import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import { temporaryDirectory } from '@cls/testing/servers';

const TOOL = fileURLToPath(new URL('../../../bin/cls-api.mjs', import.meta.url));
const BOOKS = fileURLToPath(
  new URL('../../../../book-generator/bin/cls-books.mjs', import.meta.url),
);

export interface ToolRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Tool {
  run(...words: string[]): Promise<ToolRun>;
  /** What it printed with `--json`. */
  json(...words: string[]): Promise<ReturnType<typeof JSON.parse>>;
  stop(): Promise<void>;
}

/** `cls-api` on an embedded store that this process holds, as a running service does. */
export async function startTool(): Promise<Tool> {
  const dataDir = join(temporaryDirectory('cls-tool-'), 'data');
  const holder = await openEmbeddedDatabase(join(dataDir, 'resource-api', 'database'));
  const run: Tool['run'] = (...words) => runWith({ CLS_DATA_DIR: dataDir }, ...words);
  return {
    run,
    json: async (...words) => JSON.parse((await run(...words, '--json')).stdout),
    stop: () => holder.close(),
  };
}

/** `cls-api` as a process of its own, or `cls-books` for `generate`. */
export function runWith(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<ToolRun> {
  return new Promise((done) => {
    const path = words[0] === 'generate' ? BOOKS : TOOL;
    const child = spawn(process.execPath, [path, ...words], { env: { ...process.env, ...env } });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk) => {
        output[name] += chunk;
      });
    }
    child.once('close', (code) => done({ code, ...output }));
  });
}
