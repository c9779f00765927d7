import { readFileSync } from 'node:fs';
import { type Command, CommanderError, Help, type Option } from 'commander';
import { ConfigurationError } from '../environment.ts';
import { reasonOf } from '../reason.ts';
import { DatabaseUnavailable } from '../sql/database.ts';
import { forDisplay } from '../text.ts';
import { nameMistypedOptions } from './mistyped-options.ts';

/**
 * What both command-line tools promise: results on stdout (one JSON document with `--json`),
 * messages on stderr, exit code 0 done, 1 refused or failed with the reason, 2 wrong usage.
 */
export interface Printer {
  /** The command's result: `text` for people, `document` for scripts. Call it once. */
  result(document: unknown, text: string): void;
  /** A line on stderr. */
  message(text: string): void;
  /** Shows progress: on a terminal one line that is replaced, and that an empty text clears. */
  progress(text: string): void;
  readonly json: boolean;
}

/** Refused for a reason that the operator may read and mend: exit code 1, no stack. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  /** Details for `--json`, such as the faults of a file by row. */
  readonly details: unknown;

  constructor(message: string, details?: unknown) {
    super(message);
    this.details = details;
  }
}

/** A check that ran and says no: its result goes to stdout like any other, with exit code 1. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
  readonly document: unknown;

  constructor(document: unknown, text: string) {
    super(text);
    this.document = document;
  }
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Lines to show for a command, by its words: what an operator types after the program's name. */
export type Examples = Readonly<Record<string, readonly string[]>>;

/**
 * Runs `program` on `argv` (as `process.argv`) and resolves to the exit code.
 *
 * @param examples for the help of each command, by its words.
 * @param manifest the `package.json` that says which version this is.
 */
export async function runCommandLine(
  program: Command,
  argv: readonly string[],
  examples: Examples,
  manifest: URL,
): Promise<number> {
  const json = argv.includes('--json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  program.version(version, '--version', 'print the version');
  configure(program, examples, []);
  process.stdout.off('error', readerIsGone).on('error', readerIsGone);
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    return report(error, json);
  }
}

/** With `| head` nobody reads the rest of a result. The command has done its work all the same. */
function readerIsGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Prints for people, or with `--json` one JSON document; messages go to stderr. */
export function printer(command: Command): Printer {
  const json = command.optsWithGlobals()['json'] === true;
  return {
    json,
    result: (document, text) => writeResult(json, document, text),
    message: (text) => process.stderr.write(`${forDisplay(text)}\n`),
    progress: (text) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
      else if (text !== '') process.stderr.write(`${text}\n`);
    },
  };
}

function writeResult(json: boolean, document: unknown, text: string): void {
  process.stdout.write(
    json ? `${JSON.stringify(document, jsonValue, 2)}\n` : `${forDisplay(text)}\n`,
  );
}

/** Columns as wide as their widest cell, for people. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Commander's own exits, messages and help, for the program and every command below it. */
export function configure(command: Command, examples: Examples, words: readonly string[]): void {
  command.exitOverride();
  nameMistypedOptions(command);
  command.configureOutput({ writeErr: () => undefined }); // `report` writes each message once.
  // `--json` belongs to the program, and is for every command.
  command.configureHelp({ showGlobalOptions: true, visibleGlobalOptions, optionDescription });
  const shown = examples[words.join(' ')] ?? [];
  if (shown.length > 0) {
    const lines = shown.map((line) => `  ${line}`).join('\n');
    command.addHelpText('after', `\nExample${shown.length > 1 ? 's' : ''}:\n${lines}`);
  }
  for (const child of command.commands) configure(child, examples, [...words, child.name()]);
}

const help = new Help();

/** Those of the program: options of a command between are not for the commands below it. */
function visibleGlobalOptions({ parent }: Command): Option[] {
  if (parent === null) return [];
  return parent.parent === null ? [...parent.options] : visibleGlobalOptions(parent);
}

function optionDescription(option: Option): string {
  const text = help.optionDescription(option);
  return option.mandatory ? `${text} (required)` : text;
}

function report(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    // Asking for help or the version is not an error.
    if (error.exitCode === 0) return 0;
    if (error.code === 'commander.help') {
      process.stderr.write('a command is missing; --help lists them\n');
      return 2;
    }
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  if (error instanceof CheckFailed) {
    writeResult(json, error.document, error.message);
    return 1;
  }
  const known = error instanceof CommandRefused || error instanceof ConfigurationError;
  const message =
    error instanceof Error && !(error instanceof DatabaseUnavailable)
      ? error.message
      : reasonOf(error);
  if (json && error instanceof CommandRefused) {
    const document = { error: message, details: error.details };
    process.stdout.write(`${JSON.stringify(document, jsonValue, 2)}\n`);
  }
  process.stderr.write(`${forDisplay(message)}\n`);
  if (!known && process.env['CLS_DEBUG'] && error instanceof Error) {
    process.stderr.write(`${error.stack}\n`);
  }
  return 1;
}

/** Money and sequence numbers are bigint inside and text outside. */
function jsonValue(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
