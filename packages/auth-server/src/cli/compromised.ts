import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { secretText } from './client-secret.ts';
import { type AsOperator, noServiceAccount, requireServiceAccount } from './operator.ts';

const OPTIONS = z.object({
  foundAt: z.url({ protocol: /^https$/, error: 'expected an https URL' }).exactOptional(),
});

/** `cls-auth service-accounts compromised`: the answer to a secret that leaked. */
export function addCompromisedCommand(serviceAccounts: Command, asOperator: AsOperator): void {
  serviceAccounts
    .command('compromised <client-id>')
    .description(
      'when a secret leaked: end all secrets and tokens at once, make a new secret, shown once, and tell the customer',
    )
    .option('--found-at <url>', 'where the secret was found; the customer is told')
    .action(async (clientId: string, given: object, command: Command) => {
      const options = readOptions(OPTIONS, given);
      const done = await asOperator(async (operator) => {
        const { proof } = await requireServiceAccount(operator, clientId);
        refuseOtherProof(clientId, proof?.token_endpoint_auth_method);
        const report = { reportedBy: 'operator', newSecret: true, ...options } as const;
        return operator.answerLeak(clientId, report);
      });
      if (done?.newSecret === undefined) throw noServiceAccount(clientId);
      const { customer, endedSecretIds, newSecret, notified, tokensRevokedBefore } = done;
      const clientSecret = newSecret.secret.expose();
      const document = {
        ...{ clientId, secretId: newSecret.id, clientSecret, endedSecretIds, notified },
        tokensRevokedBefore: tokensRevokedBefore.toISOString(),
      };
      const lines = [
        secretText(clientId, clientSecret),
        `ended: ${endedSecretIds.join(', ') || 'no secret was live'}`,
        'every token from before is revoked',
        notified.length === 0
          ? `${customer} has no security contact: tell it yourself`
          : `${customer} is told by ${notified.join(' and ')}`,
      ];
      printer(command).result(document, lines.join('\n'));
    });
}

/** @throws {CommandRefused} for a service account that has no secret. */
function refuseOtherProof(id: string, method: string | undefined): void {
  if (method === undefined) return;
  throw new CommandRefused(
    `it proves itself by ${method} and has no secret; if its key leaked, register another ` +
      `(service-accounts update ${id} …), then service-accounts disable and enable: that revokes its tokens`,
  );
}
