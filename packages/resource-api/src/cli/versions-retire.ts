import { CheckFailed, CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Release } from '../lifecycle/release.ts';
import { firstRecentDay } from '../notices/notice-stage.ts';
import {
  effectiveAt,
  type RetirementDecision,
  retirementOf,
  type UntoldCustomer,
  untoldCustomers,
} from '../notices/retirement.ts';
import type { AsOperator, Operator } from './operator.ts';

const SENTENCE = /\S/;
const RETIRE = z
  .object({
    force: z.boolean().default(false),
    by: z.string().regex(SENTENCE, 'expected a name').optional(),
    reason: z.string().regex(SENTENCE, 'expected a sentence for the record').optional(),
  })
  .refine(
    ({ force, by, reason }) => force === (by !== undefined) && force === (reason !== undefined),
    '--force goes with --by and --reason',
  );

interface Standing {
  readonly version: string;
  readonly retiresAt: string;
  readonly decision: RetirementDecision | null;
  readonly untold: readonly UntoldCustomer[];
}

/** `cls-api versions retire`: whether a version may retire at its date, and that it must. */
export function addRetireCommand(
  versions: Command,
  asOperator: AsOperator,
  now: () => Date,
  releases: readonly Release[],
): void {
  versions
    .command('retire <version>')
    .description('say who must still be told before a version retires; exit code 1 if there is one')
    .option('--force', 'let it retire at its date, or now, although customers were not told')
    .option('--by <name>', 'with --force: who decides, for the record')
    .option('--reason <text>', 'with --force: why, for the record')
    .action(async (id: string, given: object, command: Command) => {
      const { force, by, reason } = readOptions(RETIRE, given);
      const release = releaseOf(releases, id);
      const standing = await asOperator(async (operator) => {
        const found = await standingOf(operator, release, now());
        if (!force || by === undefined || reason === undefined) return found;
        return forceRetirement(operator, found, { by, reason }, now());
      });
      if (standing.decision === null && standing.untold.length > 0)
        throw new CheckFailed(standing, untoldText(standing));
      printer(command).result(standing, textOf(standing));
    });
}

function releaseOf(releases: readonly Release[], id: string): Release & { retiresAt: string } {
  const release = releases.find((one) => one.id === id);
  if (release === undefined) {
    const ids = releases.map((one) => one.id).join(', ');
    throw new CommandRefused(`there is no version ${id}; versions: ${ids}`);
  }
  const { retiresAt } = release;
  if (retiresAt === undefined) throw new CommandRefused(`${id} has no date on which it retires`);
  return { ...release, retiresAt };
}

async function standingOf(
  { retirements, notices, usage }: Operator,
  release: Release & { retiresAt: string },
  now: Date,
): Promise<Standing> {
  const { id: version, retiresAt } = release;
  const decision = (await retirements.list()).find(
    (one) => one.version === version && Date.parse(one.retiresAt) === Date.parse(retiresAt),
  );
  const told = await notices.toldOf(retirementOf(release));
  const recentUse = await usage.summarize(firstRecentDay(now), [version]);
  const untold = untoldCustomers(release, recentUse, told);
  return { version, retiresAt, decision: decision ?? null, untold };
}

async function forceRetirement(
  { retirements }: Operator,
  { version, retiresAt, decision, untold }: Standing,
  { by, reason }: { readonly by: string; readonly reason: string },
  now: Date,
): Promise<Standing> {
  if (decision !== null)
    throw new CommandRefused(`it is decided already: ${decisionText(decision)}`);
  const made = await retirements.decide({
    ...{ version, retiresAt, effectiveAt: effectiveAt(retiresAt, now), decision: 'forced' },
    ...{ decidedAt: now.toISOString(), decidedBy: by, reason },
    untold: untold.map(({ customer }) => customer),
  });
  return { version, retiresAt, decision: made, untold };
}

function untoldText({ version, retiresAt, untold }: Standing): string {
  const rows = untold.map((one) => [one.customer, `${one.requests}`, one.lastDay]);
  return [
    `${version} does not retire at ${retiresAt} while these customers use it and were not told:`,
    table(['customer', 'requests', 'last day'], rows),
    'See cls-api versions contacts and notices, or retire it all the same: --force --by --reason.',
  ].join('\n');
}

function textOf({ version, retiresAt, decision }: Standing): string {
  if (decision !== null) return `${version}: ${decisionText(decision)}`;
  return `${version} retires at ${retiresAt}: every customer with recent use was told`;
}

function decisionText({
  decision,
  decidedBy,
  decidedAt,
  effectiveAt: from,
}: RetirementDecision): string {
  const who = decision === 'forced' ? `forced by ${decidedBy}` : 'every customer was told';
  return `it retires at ${from} (${who}, decided at ${decidedAt})`;
}
