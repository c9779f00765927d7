import { runHosted, type ToolRun } from '@cls/testing/tool-host';

const TOOL = new URL('../../src/cli/run.js', import.meta.url);

/** Runs `cls-auth` as an operator does. */
export function runTool(
  words: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<ToolRun> {
  return runHosted(TOOL, words, env, input);
}
