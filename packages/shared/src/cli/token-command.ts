import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type ExplainDeps, explainToken, type TokenExplanation } from '../access/explain-token.ts';
import { CheckFailed, printer, UsageError } from './command-line.ts';

/** More is no token. */
const INPUT_MAX_CHARS = 65_536;

/**
 * `<tool> token explain`: why the API would refuse a token. It reads the token from standard input,
 * because other users see a command line, and prints no part of it that could be used. Exit code 1
 * where it is refused.
 *
 * @param withDeps lends what the API verifies this token with.
 */
export function addTokenCommand(
  program: Command,
  withDeps: (
    token: string,
    work: (deps: ExplainDeps) => Promise<TokenExplanation>,
  ) => Promise<TokenExplanation>,
): void {
  program
    .command('token')
    .description('access tokens')
    .command('explain')
    .description(
      'say why the API would refuse the access token on standard input; exit code 1 where it does',
    )
    .action(async (_: unknown, command: Command) => {
      const given = (await readAll(process.stdin)).slice(0, INPUT_MAX_CHARS);
      const token = given.trim().replace(/^(authorization: *)?(bearer|dpop) +/i, '');
      if (token === '') throw new UsageError('expected an access token on standard input');
      const explanation = await withDeps(token, (deps) => explainToken(token, deps));
      const text = textOf(explanation);
      if (!explanation.accepted) throw new CheckFailed(explanation, text);
      printer(command).result(explanation, text);
    });
}

const SHOWN = ['iss', 'aud', 'sub', 'client_id', 'customer', 'scope', 'iat', 'exp', 'cnf'] as const;
const INSTANTS: readonly string[] = ['iat', 'exp'];

function textOf({ accepted, status, code, why, header, claims }: TokenExplanation): string {
  const answer = accepted ? 'accepted' : `refused: ${status} ${code}`;
  const facts = [
    ['kid', header?.['kid']],
    ...SHOWN.map((name) => [name, claims?.[name]] as const),
  ] as const;
  const lines = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(10)} ${shown(name, value)}`],
  );
  return [answer, why, ...lines].join('\n');
}

function shown(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!INSTANTS.includes(name) || !Number.isSafeInteger(value)) return text;
  return `${text} (${new Date((value as number) * 1_000).toISOString()})`;
}
