import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const TOOL = fileURLToPath(new URL('../../../bin/cls-auth.mjs', import.meta.url));

export interface ToolRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `cls-auth` as an operator does. */
export function runTool(
  words: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<ToolRun> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [TOOL, ...words], { env: { ...process.env, ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.once('close', (code) => done({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}
