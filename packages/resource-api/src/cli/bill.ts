import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { readOptions, wholeNumber } from '@cls/shared/cli/options';
import { isUniqueViolation, SqlError } from '@cls/shared/sql/database';
import type { Command } from 'commander';
import { z } from 'zod';
import { billAccruals } from '../billing/bill-accruals.ts';
import { BookIsFull } from '../journal-file/volumes.ts';
import { type BusinessDate, daysAfter } from '../ledger/business-date.ts';
import type { AsOperator } from './operator.ts';
import { APPLY, DATE } from './option-values.ts';

const OPTIONS = z.object({
  through: DATE,
  dueDays: wholeNumber(0, 999, 'expected days, 0 to 999'),
  apply: z.boolean().default(false),
});

/** `cls-api bill`: what has accrued becomes due, or principal where it is PIK. */
export function addBillCommand(program: Command, asOperator: AsOperator): void {
  program
    .command('bill')
    .description(
      'bill what has accrued through a day, and correct earlier bills: interest and fees become due, PIK principal',
    )
    .requiredOption('--through <date>', 'the first day that is not billed, and the effective date')
    .option('--due-days <n>', 'days from that date until the bill is due', '5')
    .option(...APPLY)
    .action(async (options: object, command: Command) => {
      const { through, dueDays, apply } = readOptions(OPTIONS, options);
      const request = { through, dueDate: daysAfter(through, dueDays), apply };
      const report = await asOperator(({ billing }) => billAccruals(billing, request)).catch(
        (error) => {
          throw refusalOf(error, through);
        },
      );
      const rows = report.sums.map(({ component, currency, amount }) => [
        component.replaceAll('_', ' '),
        amount,
        currency,
      ]);
      const done = report.outcome === 'billed' ? 'posted' : 'would be posted (give --apply)';
      const { journals, corrections } = report;
      const counted = `${journals} journals ${done}, ${corrections} of them correct earlier bills`;
      const text = `${counted}\n${table(['what', 'sum', ''], rows)}`;
      printer(command).result(report, text);
    });
}

function refusalOf(error: unknown, through: BusinessDate): unknown {
  if (isUniqueViolation(error)) return new CommandRefused(`${through} was billed before`);
  const isClosed = error instanceof SqlError && error.constraint === 'period_closed';
  if (isClosed || error instanceof BookIsFull) {
    return new CommandRefused(error.message);
  }
  return error;
}
