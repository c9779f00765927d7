import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { readOptions, text, wholeNumber } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import { parseBusinessDate } from '../ledger/business-date.ts';
import type { Check, Reconciliation, SnapshotPoint } from '../reconcile/reconciler.ts';
import type { AsOperator } from './operator.ts';

const POINTS_MAX = 100;
const BREAKS_SHOWN = 5;

const POINT = text(pointOf, 'expected date:sequence, such as 2025-03-31:1204');
const OPTIONS = z.object({ points: wholeNumber(0, POINTS_MAX), at: z.array(POINT) });

function pointOf(given: string): SnapshotPoint | undefined {
  const [, day = '', seq = ''] = /^([\d-]{10}):(\d{1,18})$/.exec(given) ?? [];
  const asOf = parseBusinessDate(day);
  return asOf === undefined ? undefined : { asOf, ledgerSeq: BigInt(seq) };
}

/** `cls-api reconcile`: every invariant of the ledger on the live database; exit code 1 on a break. */
export function addReconcileCommand(program: Command, asOperator: AsOperator): void {
  program
    .command('reconcile')
    .description('check every invariant of the ledger on the live database, in one snapshot')
    .option('--points <n>', 'random past dates and sequences that are replayed from postings', '3')
    .option('--at <date:sequence>', 'a moment to replay, such as 2025-03-31:1204', collect, [])
    .action(async (options: object, command: Command) => {
      const { points, at } = readOptions(OPTIONS, options);
      const out = printer(command);
      const report = await asOperator(({ reconciler }) =>
        reconciler
          .reconcile(points, at, ({ invariant, number, of }) =>
            out.progress(`checking ${number} of ${of}: ${invariant}`),
          )
          .finally(() => out.progress('')),
      );
      const broken = report.checks.filter(({ breakCount }) => breakCount > 0);
      if (broken.length > 0) {
        const names = broken.map(({ invariant }) => invariant).join(', ');
        throw new CommandRefused(`broken: ${names}\n\n${reportText(report)}`, report);
      }
      out.result(report, reportText(report));
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function reportText({ ledgerSeq, points, checks }: Reconciliation): string {
  const rows = checks.map(({ invariant, checked, explained, breakCount, states }) => [
    breakCount === 0 ? 'holds' : 'BROKEN',
    invariant,
    `${checked}`,
    `${explained}`,
    `${breakCount}`,
    states,
  ]);
  const header = ['', 'invariant', 'checked', 'explained', 'breaks', 'states'];
  const past = points.map(({ asOf, ledgerSeq: seq }) => `${asOf} known at ${seq}`);
  return [
    `ledger sequence ${ledgerSeq}${past.length > 0 ? `; replayed: ${past.join(', ')}` : ''}`,
    table(header, rows),
    ...checks.filter(({ breakCount }) => breakCount > 0).map(breaksText),
  ].join('\n');
}

function breaksText({ invariant, breaks, breakCount }: Check): string {
  const columns = Object.keys(breaks[0] ?? {});
  const rows = breaks.slice(0, BREAKS_SHOWN).map((one) => columns.map((name) => one[name] ?? ''));
  const more = breakCount - rows.length;
  const rest = more > 0 ? `\n… and ${more} more; --json lists up to 100` : '';
  return `\n${invariant}:\n${table(columns, rows)}${rest}`;
}
