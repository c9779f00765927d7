import { createReadStream } from 'node:fs';
import { printer } from '@cls/shared/cli/command-line';
import { writeNewFile } from '@cls/shared/cli/new-file';
import { readOptions } from '@cls/shared/cli/options';
import { refusedTransfer } from '@cls/shared/cli/refused-transfer';
import { Secret } from '@cls/shared/secret';
import {
  PASSPHRASE_MIN_CHARS,
  sealedWriter,
  unsealedLines,
} from '@cls/shared/transfer/old-sealed-file';
import type { StoreSummary } from '@cls/shared/transfer/store-file';
import type { Command } from 'commander';
import { z } from 'zod';
import { INSTALLATION_FILE } from '../installation/installation.ts';
import { type AsOperator, MAY_CREATE } from './operator.ts';
import { readSecret } from './read-secret.ts';

const PASSPHRASE = z
  .string()
  .min(
    PASSPHRASE_MIN_CHARS,
    `the passphrase on standard input: expected ${PASSPHRASE_MIN_CHARS} characters or more`,
  );

/** `cls-auth export` and `import`: the installation as a sealed file, for its move to another store. */
export function addInstallationCommands(program: Command, asOperator: AsOperator): void {
  program
    .command('export <file>')
    .description(
      'write all customers, accounts, factors, clients and keys to a new file, sealed by the passphrase on standard input',
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const passphrase = await readPassphrase();
      const summary = await asOperator(
        (operator) =>
          writeNewFile(file, async (send) => {
            const sealed = await sealedWriter(passphrase, INSTALLATION_FILE, send);
            const written = await operator.installation.export(sealed.write);
            await sealed.end();
            operator.audit.record({ type: 'installation.exported', subject: 'installation' });
            return written;
          }),
        { owner: true },
      );
      printer(command).result(summary, `wrote ${said(summary)}; what is signed in is not in it`);
    });

  program
    .command('import <file>')
    .description(
      'fill an empty store with what `export` wrote, opened by the passphrase on standard input; all or nothing',
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const passphrase = await readPassphrase();
      const lines = () => unsealedLines(passphrase, INSTALLATION_FILE, createReadStream(file));
      const refuse = (error: unknown) => {
        throw refusedTransfer(file, error);
      };
      // All of it opens, or no store is touched.
      await readAll(lines()).catch(refuse);
      const summary = await asOperator(
        async (operator) => {
          const read = await operator.installation.import(lines()).catch(refuse);
          operator.audit.record({ type: 'installation.imported', subject: 'installation' });
          return read;
        },
        { ...MAY_CREATE, owner: true },
      );
      printer(command).result(summary, `read ${said(summary)}; people sign in again`);
    });
}

async function readAll(lines: AsyncIterable<string>): Promise<void> {
  for await (const _ of lines);
}

async function readPassphrase(): Promise<Secret> {
  return new Secret(readOptions(PASSPHRASE, await readSecret()));
}

function said({ rows, tables }: StoreSummary): string {
  const count = (name: string) => tables[name] ?? 0;
  const clients = count('service_account') + count('application');
  const parts = [
    `${count('customer')} customers`,
    `${count('account')} accounts with ${count('factor')} factors`,
    `${clients} clients`,
    `${count('signing_key')} signing keys`,
  ];
  return `${parts.join(', ')} (${rows} rows)`;
}
