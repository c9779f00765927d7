import { printer, table } from '@cls/shared/cli/command-line';
import { readOptions, wholeNumber } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Release } from '../lifecycle/release.ts';
import { firstRecentDay } from '../notices/notice-stage.ts';
import type { UsageCount } from '../usage/version-usage.ts';
import { RELEASES } from '../versions/releases.ts';
import type { AsOperator } from './operator.ts';
import { addContactCommands } from './versions-contacts.ts';
import { addNoticeCommand } from './versions-notices.ts';
import { addRetireCommand } from './versions-retire.ts';

const MOST_DAYS = 400;

const USAGE = z.object({
  days: wholeNumber(1, MOST_DAYS),
  apiVersion: z.string().optional(),
  customer: z.string().optional(),
});
type UsageOptions = z.output<typeof USAGE>;

/** `cls-api versions …`: who uses which version of the API, and who was told of its end. */
export function addVersionCommands(
  program: Command,
  asOperator: AsOperator,
  now: () => Date = () => new Date(),
  releases: readonly Release[] = RELEASES,
): void {
  const versions = program.command('versions').description('versions of the API and their use');
  addContactCommands(versions, asOperator, now);
  addNoticeCommand(versions, asOperator, now);
  addRetireCommand(versions, asOperator, now, releases);

  versions
    .command('usage')
    .description('count the requests of each caller by version, asked for and answered')
    .option('--days <n>', `today and the days before it, 1 to ${MOST_DAYS}`, '180')
    .option('--api-version <id>', 'asked for or answered, such as v1 or latest')
    .option('--customer <id>', 'of this customer alone')
    .action(async (given: object, command: Command) => {
      const options = readOptions(USAGE, given);
      const first = firstRecentDay(now(), options.days);
      const counts = await asOperator(({ usage }) => usage.since(first));
      const asked = counts.filter((count) => isAsked(count, options));
      const callers = byCaller(asked);
      const rows = callers.map((one) => [
        ...[one.customer, one.clientId, one.requested, one.served, one.operation],
        ...[`${one.requests}`, one.firstDay, one.lastDay],
      ]);
      const header = ['customer', 'client', 'asked', 'answered', 'operation', 'requests'];
      printer(command).result(callers, table([...header, 'first day', 'last day'], rows));
    });
}

function isAsked(count: UsageCount, { apiVersion, customer }: UsageOptions): boolean {
  return (
    (apiVersion === undefined || [count.requested, count.served].includes(apiVersion)) &&
    (customer === undefined || count.customer === customer)
  );
}

type CallerUse = Omit<UsageCount, 'day'> & { readonly firstDay: string; readonly lastDay: string };

/** The days of a caller added up; counts come in the order of their days. */
function byCaller(counts: readonly UsageCount[]): readonly CallerUse[] {
  const callers = new Map<string, CallerUse>();
  for (const { day, ...count } of counts) {
    const { customer, clientId, subject, requested, served, operation } = count;
    const key = JSON.stringify([customer, clientId, subject, requested, served, operation]);
    const before = callers.get(key);
    callers.set(key, {
      ...count,
      requests: (before?.requests ?? 0) + count.requests,
      firstDay: before?.firstDay ?? day,
      lastDay: day,
    });
  }
  return [...callers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use);
}
