import { runCommandLine } from '@cls/shared/cli/command-line';
import { EXAMPLES } from './examples.ts';
import { program } from './program.ts';

const manifest = new URL('../../../package.json', import.meta.url);

/** Runs one command. @param argv as `process.argv`. @returns the exit code. */
export function run(argv: readonly string[]): Promise<number> {
  return runCommandLine(program(), argv, EXAMPLES, manifest);
}
