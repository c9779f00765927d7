import { readFileSync } from 'node:fs';
import { compareContracts } from '@cls/contract-gate/compare-contracts';
import { ContractInvalid } from '@cls/contract-gate/document';
import { readDocument } from '@cls/contract-gate/read-document';
import { reportText } from '@cls/contract-gate/report';
import { CheckFailed, printer, UsageError } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';

/** `cls-api contract diff`: what callers of one OpenAPI document meet in another; needs no store. */
export function addContractCommands(program: Command): void {
  const contract = program.command('contract').description('OpenAPI documents, compared');

  contract
    .command('diff <old> <new>')
    .description(
      'compare two OpenAPI 3.0 or 3.1 documents (JSON or YAML) by the six rules of versions; exit code 1 when a difference is incompatible, 2 when a document cannot be compared',
    )
    .option('--ignore-servers', 'for two versions that stand at different paths')
    .action((old: string, next: string, options: { ignoreServers?: boolean }, command: Command) => {
      const findings = compare(read(old), read(next), [old, next], options.ignoreServers === true);
      const incompatible = findings.filter((one) => one.incompatible).length;
      const document = { incompatible, compatible: findings.length - incompatible, findings };
      if (incompatible > 0) throw new CheckFailed(document, reportText(findings));
      printer(command).result(document, reportText(findings));
    });
}

function read(file: string): unknown {
  try {
    return readDocument(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof ContractInvalid) throw new UsageError(`${file}: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(`${file} cannot be read (${code})`);
  }
}

function compare(
  old: unknown,
  next: unknown,
  [oldFile, nextFile]: readonly [string, string],
  ignoreServers: boolean,
): ReturnType<typeof compareContracts> {
  try {
    return compareContracts(old, next, { ignoreServers });
  } catch (error) {
    if (!(error instanceof ContractInvalid)) throw error;
    const named = error.message.replace(/^older:/, () => `${oldFile}:`);
    throw new UsageError(named.replace(/^newer:/, () => `${nextFile}:`));
  }
}
