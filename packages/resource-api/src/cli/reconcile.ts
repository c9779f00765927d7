import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { readOptions, text, wholeNumber } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { parseBusinessDate } from '../ledger/business-date.ts';
import {
  type Check,
  type Reconciliation,
  type SnapshotPoint,
  type Step,
  UnknownDeals,
} from '../reconcile/reconciler.ts';
import type { AsOperator } from './operator.ts';
import { collect } from './option-values.ts';

const POINTS_MAX = 100;
const BREAKS_SHOWN = 5;

const POINT = text(pointOf, 'expected date:sequence, such as 2025-03-31:1204');
const SINCE = text(
  instantOf,
  'expected a date, or an instant with its offset such as 2026-11-27T06:00:00Z',
);
const OPTIONS = z
  .object({
    points: wholeNumber(0, POINTS_MAX),
    at: z.array(POINT),
    deals: text(idsOf, 'expected ids of deals with commas between them').optional(),
    since: SINCE.optional(),
  })
  .refine(({ deals, since }) => deals === undefined || since === undefined, {
    message: 'expected --deals or --since, not both',
  });

function pointOf(given: string): SnapshotPoint | undefined {
  const [, day = '', seq = ''] = /^([\d-]{10}):(\d{1,18})$/.exec(given) ?? [];
  const asOf = parseBusinessDate(day);
  return asOf === undefined ? undefined : { asOf, ledgerSeq: BigInt(seq) };
}

function idsOf(given: string): readonly string[] | undefined {
  const ids = given.split(',').map((id) => id.trim());
  return ids.every((id) => /^deal_\w+$/.test(id)) ? ids : undefined;
}

/** A date stands for its midnight in UTC. */
function instantOf(given: string): string | undefined {
  const [, day = '', time] =
    /^(.{10})(T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(given) ?? [];
  const instant = `${day}${time ?? 'T00:00Z'}`;
  const known = parseBusinessDate(day) !== undefined && !Number.isNaN(Date.parse(instant));
  return known ? instant : undefined;
}

/** `cls-api reconcile`: every invariant of the ledger on the live database; exit code 1 on a break. */
export function addReconcileCommand(program: Command, asOperator: AsOperator): void {
  program
    .command('reconcile')
    .description('check every invariant of the ledger on the live database, in one snapshot')
    .option('--points <n>', 'random past dates and sequences that are replayed from postings', '3')
    .option('--at <date:sequence>', 'a moment to replay, such as 2025-03-31:1204', collect, [])
    .option('--deals <ids>', 'check these deals alone: ids with commas between them')
    .option(
      '--since <time>',
      'check the deals with journals posted since then: a date or an instant',
    )
    .action(async (options: object, command: Command) => {
      const { points, at, deals, since } = readOptions(OPTIONS, options);
      const part = since ? { since } : deals ? { deals } : undefined;
      const out = printer(command);
      const onStep = ({ invariant, number, of }: Step) =>
        out.progress(`checking ${number} of ${of}: ${invariant}`);
      const report = await asOperator(({ reconciler }) =>
        reconciler.reconcile(points, at, { part, onStep }).finally(() => out.progress('')),
      ).catch((error) => {
        throw error instanceof UnknownDeals ? new CommandRefused(error.message) : error;
      });
      const broken = report.checks.filter(({ breakCount }) => breakCount > 0);
      if (broken.length > 0) {
        const names = broken.map(({ invariant }) => invariant).join(', ');
        throw new CommandRefused(`broken: ${names}\n\n${reportText(report)}`, report);
      }
      out.result(report, reportText(report));
    });
}

function reportText(report: Reconciliation): string {
  const { ledgerSeq, points, checks } = report;
  const rows = checks.map(({ invariant, scope, checked, explained, breakCount, states }) => [
    breakCount === 0 ? 'holds' : 'BROKEN',
    invariant,
    scope,
    `${checked}`,
    `${explained}`,
    `${breakCount}`,
    states,
  ]);
  const header = ['', 'invariant', 'of', 'checked', 'explained', 'breaks', 'states'];
  const past = points.map(({ asOf, ledgerSeq: seq }) => `${asOf} known at ${seq}`);
  return [
    `ledger sequence ${ledgerSeq}${past.length > 0 ? `; replayed: ${past.join(', ')}` : ''}`,
    ...partText(report),
    table(header, rows),
    ...checks.filter(({ breakCount }) => breakCount > 0).map(breaksText),
  ].join('\n');
}

function partText({ deals, notChecked }: Reconciliation): readonly string[] {
  if (deals === null) return [];
  const checked = `checked: ${deals.length} ${deals.length === 1 ? 'deal' : 'deals'}`;
  return [checked, `not checked, because it is of the whole book: ${notChecked.join(', ')}`];
}

function breaksText({ invariant, breaks, breakCount }: Check): string {
  const columns = Object.keys(breaks[0] ?? {});
  const rows = breaks.slice(0, BREAKS_SHOWN).map((one) => columns.map((name) => one[name] ?? ''));
  const more = breakCount - rows.length;
  const rest = more > 0 ? `\n… and ${more} more; --json lists up to 100` : '';
  return `\n${invariant}:\n${table(columns, rows)}${rest}`;
}
