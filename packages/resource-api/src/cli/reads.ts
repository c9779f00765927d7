import { printer, table } from '@cls/shared/cli/command-line';
import { writeNewFile } from '@cls/shared/cli/new-file';
import { readOptions, text, wholeNumber } from '@cls/shared/cli/options';
import { DAY_MS } from '@cls/shared/clock';
import type { Command } from 'commander';
import { z } from 'zod';
import { parseBusinessDate } from '../ledger/business-date.ts';
import type { ReadFilter, ReadRecord, ReadRecords } from '../reads/read-record.ts';
import type { AsOperator } from './operator.ts';
import { LIST_MAX } from './option-values.ts';

const SHOWN = 100;
/** Records of one statement, where all are written to a file. */
const BATCH = 5_000;

const MOMENT = text(
  parseMoment,
  'expected a date such as 2026-11-28, or a time such as 2026-11-28T09:30:00Z',
);
const OPTIONS = z
  .object({
    client: z.string().exactOptional(),
    customer: z.string().exactOptional(),
    account: z.string().exactOptional(),
    deal: z.string().min(1, 'expected the id of a deal').exactOptional(),
    since: MOMENT.default(() => new Date(Date.now() - DAY_MS)),
    until: MOMENT.default(() => new Date(Date.now() + DAY_MS)),
    limit: wholeNumber(1, LIST_MAX).default(SHOWN),
    out: z.string().exactOptional(),
  })
  .refine(({ since, until }) => since < until, '--since: expected a time before --until');

/** `cls-api reads`: who read what, from where, and how many items. */
export function addReadsCommand(program: Command, asOperator: AsOperator): void {
  program
    .command('reads')
    .description('list who read what, in the order of time, from the log of reads')
    .option('--client <id>', 'of a service account or an application')
    .option('--customer <id>', 'of the people and programs of a customer')
    .option('--account <id>', 'of one person or service account')
    .option(
      '--deal <id>',
      'whose question or path names this deal; others may have had it among many',
    )
    .option('--since <time>', 'from this date or time on, in UTC (default: 24 hours ago)')
    .option('--until <time>', 'before this date or time')
    .option('--limit <n>', `how many to list (default ${SHOWN}, at most ${LIST_MAX})`)
    .option('--out <file>', 'write all of them to a new file instead, one JSON document a line')
    .action(async (options: object, command: Command) => {
      const { limit, out, ...filter } = readOptions(OPTIONS, options);
      const { result } = printer(command);
      if (out !== undefined) {
        const count = await asOperator(({ reads }) => writeAll(reads, filter, out));
        return result({ file: out, reads: count }, `wrote ${count} reads`);
      }
      const records = await asOperator(({ reads }) => firstOf(reads, filter, limit + 1));
      const more = records.length > limit;
      const listed = records.slice(0, limit);
      const rest = more ? '\nthere are more: --limit, a later --since, or --out' : '';
      result({ reads: listed, more }, `${table(HEADER, listed.map(cells))}${rest}`);
    });
}

const HEADER = [
  'at',
  'account',
  'client',
  'customer',
  'address',
  'status',
  'items',
  'operation',
  'question',
  'request id',
];

function cells(record: ReadRecord): readonly string[] {
  const { at, subject, clientId, customer, address, status, items, complete, operation } = record;
  const sent = items === undefined ? '' : `${items}${complete ? '' : ' (broken off)'}`;
  const where = operation.includes('{') ? record.path : record.question;
  const who = [at.toISOString(), subject, clientId === subject ? '' : clientId, customer, address];
  return [...who, `${status}`, sent, operation, where, record.requestId];
}

async function firstOf(reads: ReadRecords, filter: ReadFilter, count: number) {
  for await (const records of reads.list(filter, count)) return records.slice(0, count);
  return [];
}

function writeAll(reads: ReadRecords, filter: ReadFilter, out: string): Promise<number> {
  return writeNewFile(out, async (send) => {
    let count = 0;
    for await (const records of reads.list(filter, BATCH)) {
      await send(Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')));
      count += records.length;
    }
    return count;
  });
}

/** A date is its first moment. */
function parseMoment(given: string): Date | undefined {
  if (parseBusinessDate(given) !== undefined) return new Date(`${given}T00:00:00Z`);
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(given);
  // JavaScript takes the 30th of February as the 2nd of March.
  const isDay = parseBusinessDate(given.slice(0, 10)) !== undefined;
  const moment = new Date(given);
  return isInstant && isDay && !Number.isNaN(moment.getTime()) ? moment : undefined;
}
