import { execFile } from 'node:child_process';
import { configure, type Examples } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';

export interface CommandHelp {
  /** Such as `keys list`. */
  readonly words: string;
  readonly text: string;
}

/** Runs a tool. @param path of its program. */
export function runProgram(
  path: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    execFile(process.execPath, [path, ...words], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** The help of each command that does something by itself, as `--help` shows it. */
export function helpOfCommands(program: Command, examples: Examples): readonly CommandHelp[] {
  configure(program, examples, []);
  return leavesOf(program, []);
}

function leavesOf(command: Command, words: readonly string[]): readonly CommandHelp[] {
  const below = command.commands.flatMap((child) => leavesOf(child, [...words, child.name()]));
  // One with an argument is run itself, too: `import <file>` beside `import profiles`.
  if (below.length > 0 && command.registeredArguments.length === 0) return below;
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return [{ words: words.join(' '), text }, ...below];
}
