import { printer, table } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import type { AsOperator } from './operator.ts';

/** What only the operator can know, because it is in no backup. */
const REPEAT = [
  'Do again what was done since the backup, as docs/guides/runbooks/restore.md says:',
  '  erase people and offboard customers',
  '  disable accounts, callers and customers; replace secrets and passwords; remove factors',
  '  remove signing keys that were removed (keys list)',
].join('\n');

/** `cls-auth after-restore`: what was spent, ended or withdrawn after the backup stays so. */
export function addAfterRestoreCommand(program: Command, asOperator: AsOperator): void {
  program
    .command('after-restore')
    .description(
      'end all sessions, tokens, links and one-time codes of a restored store; stop the servers before',
    )
    .option('--keep-recovery-codes', 'none was used since the backup: leave them to the people')
    .action(async ({ keepRecoveryCodes }: { keepRecoveryCodes?: true }, command: Command) => {
      const forgotten = await asOperator(async (operator) => {
        const done = await operator.afterRestore.forget({
          keepRecoveryCodes: keepRecoveryCodes === true,
        });
        operator.audit.record({ type: 'installation.restored', subject: 'installation' });
        return done;
      });
      const rows = [
        ['sessions ended', `${forgotten.sessions}`],
        ['applications without access', `${forgotten.applicationGrants}`],
        ['remembered devices forgotten', `${forgotten.rememberedDevices}`],
        ['consents to be asked for again', `${forgotten.consents}`],
        ['links that were sent ended', `${forgotten.links}`],
        ['recovery codes removed', `${forgotten.recoveryCodes}`],
        ['authenticator apps that wait for their next code', `${forgotten.authenticatorApps}`],
      ];
      const text = `${table(['', ''], rows).trimStart()}\n\n${REPEAT}`;
      printer(command).result(forgotten, text);
    });
}
