import { printer, table } from '@cls/shared/cli/command-line';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { NOTICE_STATES } from '../notices/notice-outbox.ts';
import type { AsOperator } from './operator.ts';

const NOTICES = z.object({
  customer: z.string().optional(),
  apiVersion: z.string().optional(),
  state: z.enum(NOTICE_STATES, `expected one of ${NOTICE_STATES.join(', ')}`).optional(),
  retryFailed: z.boolean().default(false),
});

/** `cls-api versions notices`: what was sent to whom, and what became of it. */
export function addNoticeCommand(versions: Command, asOperator: AsOperator, now: () => Date): void {
  versions
    .command('notices')
    .description('list the notices about versions, with the evidence of their delivery')
    .option('--customer <id>', 'to this customer')
    .option('--api-version <id>', 'about this version')
    .option('--state <state>', NOTICE_STATES.join(', '))
    .option('--retry-failed', 'first give those that failed further attempts')
    .action(async (given: object, command: Command) => {
      const { customer, apiVersion: version, state, retryFailed } = readOptions(NOTICES, given);
      const found = await asOperator(async ({ notices }) => {
        if (retryFailed) await notices.retryFailed({ customer, version }, now());
        return notices.list({ customer, version, state });
      });
      const rows = found.map((one) => [
        ...[one.customer, `${one.event} of ${one.version}`, one.happensAt, one.stage],
        ...[one.channel, one.target, one.state, `${one.attempts}`],
        ...[one.deliveredAt ?? '', one.answer ?? ''],
      ]);
      const header = ['customer', 'about', 'at', 'stage', 'channel', 'target', 'state', 'attempts'];
      printer(command).result(found, table([...header, 'delivered', 'answer'], rows));
    });
}
