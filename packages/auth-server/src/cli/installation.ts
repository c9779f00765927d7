import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { linesOfFile } from '@cls/shared/cli/lines-of-file';
import { writeNewFile } from '@cls/shared/cli/new-file';
import { readOptions } from '@cls/shared/cli/options';
import { refusedTransfer } from '@cls/shared/cli/refused-transfer';
import { Secret } from '@cls/shared/secret';
import type { Key, Lock } from '@cls/shared/transfer/age-file';
import type { StoreSummary } from '@cls/shared/transfer/store-file';
import type { Command } from 'commander';
import { z } from 'zod';
import { type AsOperator, MAY_CREATE } from './operator.ts';
import { readSecret } from './read-secret.ts';

/** Passphrases that a dictionary has are found offline: there is no throttle in front of a file. */
const PASSPHRASE_MIN_CHARS = 16;
const PASSPHRASE = z
  .string()
  .min(
    PASSPHRASE_MIN_CHARS,
    `the passphrase on standard input: expected ${PASSPHRASE_MIN_CHARS} characters or more`,
  );
const IDENTITY = z.object({ identity: z.string().exactOptional() });

/** `cls-auth export` and `import`: the installation as an encrypted file, for its move to another store. */
export function addInstallationCommands(program: Command, asOperator: AsOperator): void {
  program
    .command('export <file>')
    .description(
      'write all customers, accounts, factors, clients and keys to a new age file, which opens with the passphrase on standard input',
    )
    .option('--recipient <key...>', 'a public key of age: its secret key opens the file instead')
    .action(async (file: string, given: object, command: Command) => {
      const lock = await readLock(given);
      const { writeAgeFile } = await ageFiles();
      const summary = await asOperator(
        (operator) =>
          writeNewFile(file, async (send) => {
            const written = await writeAgeFile(lock, send, operator.installation.export);
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
    .option('--identity <file>', 'secret keys of age, for a file that has a recipient')
    .action(async (file: string, given: object, command: Command) => {
      const key = await readKey(readOptions(IDENTITY, given));
      const { readSealedFile } = await import('@cls/shared/transfer/sealed-file');
      const lines = () => linesOfFile(readSealedFile(key, createReadStream(file)));
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

/** Its libraries take a tenth of a second, which the other commands do not wait for. */
function ageFiles() {
  return import('@cls/shared/transfer/age-file');
}

async function readLock(given: object): Promise<Lock> {
  const { isRecipient } = await ageFiles();
  const key = z.string().refine(isRecipient, 'expected a public key of age, such as age1…');
  const { recipient } = readOptions(z.object({ recipient: z.array(key).default([]) }), given);
  return recipient.length === 0 ? readPassphrase() : { recipients: recipient };
}

/** A file of `age-keygen` has comments beside the key. */
async function readKey({ identity }: z.output<typeof IDENTITY>): Promise<Key> {
  if (identity === undefined) return readPassphrase();
  const text = await readFile(identity, 'utf8').catch((error) => {
    throw refusedTransfer(identity, error);
  });
  const keys = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  const { isIdentity } = await ageFiles();
  if (keys.length === 0 || !keys.every(isIdentity)) {
    throw new CommandRefused(
      `${identity}: expected secret keys of age, one a line, such as age-keygen writes: AGE-SECRET-KEY-1…`,
    );
  }
  return { identities: keys.map((key) => new Secret(key)) };
}

async function readPassphrase(): Promise<{ readonly passphrase: Secret }> {
  return { passphrase: new Secret(readOptions(PASSPHRASE, await readSecret())) };
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
