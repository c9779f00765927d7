import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import type { Command } from 'commander';
import { DEFAULT_TOTP_NAME } from '../factors/second-factor.ts';
import { newTotpEnrolment } from '../factors/totp.ts';
import { allGuesses } from '../throttle/guess.ts';
import { type AsOperator, requireAccount } from './operator.ts';

/** `cls-auth accounts …`: the second factor of callers that no browser can enrol. */
export function addFactorCommands(accounts: Command, asOperator: AsOperator): void {
  accounts
    .command('enrol-totp <email>')
    .description(
      'enrol an authenticator app (TOTP) in place of the current one; its secret is shown once',
    )
    .action(async (email: string, _: unknown, command: Command) => {
      const { account, enrolment } = await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        await operator.keys.assertOpens(); // Or the service could not open what we seal here.
        const made = newTotpEnrolment(operator.product, found.email);
        await operator.totpFactors.enrol(found.id, made.secret);
        await operator.throttle.succeeded(allGuesses(found, 'otp'));
        operator.tell('account.totp_enrolled', found, DEFAULT_TOTP_NAME);
        return { account: found, enrolment: made };
      });
      const { secret: totpSecret, uri } = enrolment;
      const document = { id: account.id, email: account.email, totpSecret, uri };
      printer(command).result(document, `secret  ${totpSecret}\nURI     ${uri}\nNot shown again.`);
    });

  accounts
    .command('remove-totp <email>')
    .description('remove the authenticator app (TOTP)')
    .action(async (email: string, _: unknown, command: Command) => {
      const account = await asOperator(async (operator) => {
        const found = await requireAccount(operator, email);
        if (!(await operator.totpFactors.remove(found.id))) {
          throw new CommandRefused(`${found.email} has no authenticator app`);
        }
        operator.tell('account.totp_removed', found, DEFAULT_TOTP_NAME);
        return found;
      });
      const document = { id: account.id, email: account.email };
      printer(command).result(document, `removed the second factor of ${account.email}`);
    });
}
