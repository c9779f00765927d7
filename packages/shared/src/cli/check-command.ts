import type { Command } from 'commander';
import { checkVariables, type KnownVariables } from '../check/check-variables.ts';
import { type Finding, findingsOf, RESULTS } from '../check/finding.ts';
import { ConfigurationError } from '../environment.ts';
import { CheckFailed, printer, table } from './command-line.ts';

/**
 * `<tool> check`: looks at all that the service needs, as the service would use it. Exit code 1
 * where something failed.
 *
 * @param read the configuration. @throws {ConfigurationError}
 * @param variables what `read` asks for. @param checks each of one part; all are asked at once.
 */
export function addCheckCommand<T>(
  program: Command,
  read: () => T,
  variables: KnownVariables,
  checks: (config: T) => readonly Promise<readonly Finding[]>[],
): void {
  program
    .command('check')
    .description(
      'look at configuration, database, Redis, clocks, keys and mail as the service would use them; changes nothing',
    )
    .action(async (_: unknown, command: Command) => {
      const misspelt = checkVariables(process.env, variables);
      const findings = [...(await gathered(read, checks)), ...misspelt];
      const counts = Object.fromEntries(
        RESULTS.map((result) => [result, findings.filter((one) => one.result === result).length]),
      );
      const passed = counts['failed'] === 0;
      const document = { passed, counts, findings };
      const text = shown(findings, counts);
      if (!passed) throw new CheckFailed(document, text);
      printer(command).result(document, text);
    });
}

async function gathered<T>(
  read: () => T,
  checks: (config: T) => readonly Promise<readonly Finding[]>[],
): Promise<readonly Finding[]> {
  const { ok, failed } = findingsOf('configuration');
  let config: T;
  try {
    config = read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const todo = 'set it as docs/reference/configuration.md says; nothing else is checked before';
    return error.faults.map((fault) => {
      const [name = '', ...rest] = fault.split(': ');
      return failed(name, rest.join(': '), todo);
    });
  }
  const found = await Promise.all(checks(config));
  return [ok('variables', 'all have values that fit'), ...found.flat()];
}

function shown(findings: readonly Finding[], counts: Record<string, number>): string {
  const rows = findings.map(({ part, check, result, found, todo = '' }) => [
    ...[result, part, check, found, todo],
  ]);
  const sum = RESULTS.map((result) => `${counts[result]} ${result}`).join(', ');
  return `${table(['result', 'part', 'check', 'found', 'what to do'], rows)}\n${sum}`;
}
