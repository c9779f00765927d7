import { createReadStream, existsSync } from 'node:fs';
import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { linesOfFile } from '@cls/shared/cli/lines-of-file';
import { writeNewFile } from '@cls/shared/cli/new-file';
import { readOptions, text } from '@cls/shared/cli/options';
import { DAY_MS } from '@cls/shared/clock';
import type { Command } from 'commander';
import {
  type AuditMonth,
  type AuditPeriod,
  type DropOutcome,
  type ExportedMonth,
  ExportRefused,
  readExport,
} from '../audit/audit-archive.ts';
import { addResolveCommand } from './audit-identity.ts';
import { addSearchCommand } from './audit-search.ts';
import { addVerifyCommand } from './audit-verify.ts';
import type { AsOperator, Operator } from './operator.ts';

const MONTH = text(
  periodOf,
  'expected a month such as 2026-05, or before-2027-01 for what `audit months` lists so',
);

/** `cls-auth audit …`. */
export function addAuditCommands(program: Command, asOperator: AsOperator): void {
  const audit = program
    .command('audit')
    .description('the events of the audit: search, months, chain, and who erased people were');

  audit
    .command('months')
    .description('list the months with their events and size, and until when each is kept')
    .option('--count', 'count the events; without it their number is what the database estimates')
    .action(async ({ count = false }: { count?: boolean }, command: Command) => {
      const { days, months } = await asOperator(async ({ auditArchive, auditDays }) => ({
        days: auditDays,
        months: await auditArchive.months({ count }),
      }));
      const documents = months.map((month) => ({
        month: month.month,
        from: month.from ?? null,
        until: month.until ?? null,
        events: month.events ?? null,
        bytes: month.bytes,
        state: month.state,
        keptUntil: keptUntil(month, days) ?? null,
      }));
      const rows = months.map((month) => [
        month.month,
        month.events === undefined ? 'unknown' : `${count ? '' : 'about '}${month.events}`,
        megabytes(month.bytes),
        month.state,
        keptWords(month, days),
      ]);
      printer(command).result(documents, table(['month', 'events', 'MB', 'state', 'kept'], rows));
    });

  audit
    .command('export <month> <file>')
    .description('write the events of a month (UTC) to a new file, one JSON object a line')
    .option(
      '--unless-done',
      'do nothing where the file has all events of the month, or the store was made after it',
    )
    .action(
      async (given: string, file: string, { unlessDone }: ExportOptions, command: Command) => {
        const month = readOptions(MONTH, given);
        const done =
          unlessDone === true && existsSync(file) ? await readFile(file, month) : undefined;
        const summary = await asOperator(async (operator) => {
          if (unlessDone === true && (await isFromBefore(operator, month))) return undefined;
          const { over } = await requireMonth(operator, month);
          if (!over) printer(command).message(`${month.name} is not over: events will be added`);
          if (done !== undefined) return requireAll(operator, month, file, done);
          const written = await writeNewFile(file, (send) =>
            operator.auditArchive.export(month, (lines) => send(Buffer.from(lines))),
          );
          const about = `${written.events} events, sha256 ${written.sha256}`;
          operator.audit.record({ type: 'audit.month_exported', subject: month.name, about });
          return written;
        });
        if (summary === undefined) {
          const text = `nothing to export: the store was made after ${month.name}`;
          printer(command).result({ file: null, month: month.name, events: 0, sha256: null }, text);
          return;
        }
        const { events, sha256 } = summary;
        const what = `${events} events of ${month.name}`;
        printer(command).result(
          { file, month: month.name, events, sha256 },
          `${done === undefined ? `wrote ${what} to ${file}` : `${file} has all ${what}`}, sha256 ${sha256}`,
        );
      },
    );

  audit
    .command('drop <month>')
    .description('drop a month that is older than AUDIT_RETENTION_DAYS, before the service does')
    .option('--exported <file>', 'drop it only if this file of `audit export` has all its events')
    .option('--apply', 'drop; without it everything is checked and nothing dropped')
    .action(async (given: string, options: DropOptions, command: Command) => {
      const month = readOptions(MONTH, given);
      const { exported, apply = false } = options;
      const file = exported === undefined ? undefined : await readFile(exported, month);
      const result = await asOperator(async (operator) => {
        await requireDroppable(operator, month, file !== undefined);
        return operator.auditArchive.drop(month, { file, apply });
      });
      if (result.outcome !== 'dropped' && result.outcome !== 'would_drop') {
        throw new CommandRefused(refusal(month.name, result, file?.events));
      }
      const { events, outcome } = result;
      const done = outcome === 'dropped' ? 'dropped' : 'would drop (give --apply)';
      const document = { month: month.name, events, dropped: outcome === 'dropped' };
      printer(command).result(document, `${done} ${month.name} with ${events} events`);
    });

  addSearchCommand(audit, asOperator);
  addVerifyCommand(audit, asOperator);
  addResolveCommand(audit, asOperator);
}

interface ExportOptions {
  readonly unlessDone?: boolean;
}

interface DropOptions {
  readonly exported?: string;
  readonly apply?: boolean;
}

/** `2026-05`, in UTC. */
function periodOf(name: string): AuditPeriod | undefined {
  const [, before, year, month] = /^(before-)?(\d{4})-(0[1-9]|1[0-2])$/.exec(name) ?? [];
  if (year === undefined) return undefined;
  const first = new Date(`${year}-${month}-01T00:00:00Z`);
  if (before !== undefined) return { name, from: undefined, until: first };
  const until = new Date(first);
  until.setUTCMonth(first.getUTCMonth() + 1);
  return { name, from: first, until };
}

/** Whether the period was over when the store was made, and the audit has no event of it. */
async function isFromBefore(operator: Operator, period: AuditPeriod): Promise<boolean> {
  const madeMs = Date.now() - (await operator.taskRuns.storeAge()) * 1_000;
  return period.until.getTime() <= madeMs && (await findMonth(operator, period)) === undefined;
}

/** The partition that has events of the period. @throws {CommandRefused} */
async function requireMonth(operator: Operator, period: AuditPeriod): Promise<AuditMonth> {
  const found = await findMonth(operator, period);
  if (found !== undefined) return found;
  throw new CommandRefused(
    `the audit has no month ${period.name}; cls-auth audit months lists them`,
  );
}

async function findMonth(
  { auditArchive }: Operator,
  period: AuditPeriod,
): Promise<AuditMonth | undefined> {
  const months = await auditArchive.months({ count: false });
  const found = months.find(
    ({ month, from, until, state }) =>
      state === 'attached' &&
      (month === period.name ||
        // Events from before there were months lie in one table.
        (from === undefined && until !== undefined && period.from && period.until <= until)),
  );
  if (found === undefined) return undefined;
  return found.month === period.name ? found : { ...found, over: period.until <= new Date() };
}

/** @throws {CommandRefused} */
async function requireDroppable(
  operator: Operator,
  period: AuditPeriod,
  exported: boolean,
): Promise<void> {
  const found = await requireMonth(operator, period);
  const days = operator.auditDays;
  if (found.month !== period.name) {
    throw new CommandRefused(
      `${period.name} is part of ${found.month}, which is dropped as a whole`,
    );
  }
  if (!found.over) throw new CommandRefused(`${period.name} is not over, and cannot be dropped`);
  if (days === 0 && !exported) {
    throw new CommandRefused(
      `AUDIT_RETENTION_DAYS is 0, so ${period.name} is kept for ever: give --exported <file> to drop what a file keeps`,
    );
  }
  // The database refuses the service's role what is younger than 23 hours (migration 0024).
  const sooner = keptUntil(found, 1);
  if (days === 0 && sooner !== undefined && sooner > new Date()) {
    throw new CommandRefused(
      `${period.name} can be dropped a day after its end, from ${sooner.toISOString()} on; nothing was dropped`,
    );
  }
  const kept = keptUntil(found, days);
  if (kept !== undefined && kept > new Date()) {
    throw new CommandRefused(
      `${period.name} is kept until ${day(kept)} (AUDIT_RETENTION_DAYS is ${days}); nothing was dropped`,
    );
  }
}

/** The file, where it has all events that the database has. @throws {CommandRefused} */
async function requireAll(
  { auditArchive }: Operator,
  month: AuditPeriod,
  file: string,
  exported: ExportedMonth,
) {
  const result = await auditArchive.drop(month, { file: exported, apply: false });
  if (result.outcome === 'differs') {
    throw new CommandRefused(
      `${file} does not have the events of ${month.name}: it has ${exported.events}, the database ${result.events}; rename it, and export the month again`,
    );
  }
  return { events: Number(exported.events), sha256: exported.sha256 };
}

/** An export of the month. @throws {CommandRefused} */
async function readFile(file: string, month: AuditPeriod): Promise<ExportedMonth> {
  const exported = await readAny(file);
  if (exported.month === month.name) return exported;
  throw new CommandRefused(`${file} has the events of ${exported.month}, not ${month.name}`);
}

async function readAny(file: string): Promise<ExportedMonth> {
  try {
    return await readExport(linesOfFile(createReadStream(file)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandRefused(
      error instanceof ExportRefused
        ? `${file} is not as audit export wrote it: ${error.message}`
        : `${file} cannot be read (${code ?? error})`,
    );
  }
}

function refusal(
  month: string,
  result: Extract<DropOutcome, { outcome: 'differs' | 'busy' | 'gone' }>,
  inFile: bigint | undefined,
): string {
  if (result.outcome === 'gone') return `${month} has been dropped already`;
  if (result.outcome === 'busy') {
    return 'somebody reads the audit for long, such as a backup; nothing was dropped: try again later';
  }
  return `the file does not have the events of ${month}: it has ${inFile}, the database ${result.events}; nothing was dropped: export it again`;
}

/** Undefined: for ever. */
function keptUntil({ until }: AuditMonth, days: number): Date | undefined {
  return until === undefined || days === 0 ? undefined : new Date(until.getTime() + days * DAY_MS);
}

function keptWords(month: AuditMonth, days: number): string {
  if (month.until === undefined) return '';
  const kept = keptUntil(month, days);
  return kept === undefined ? 'for ever' : `until ${day(kept)}`;
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function megabytes(bytes: bigint): string {
  return (Number(bytes) / 1e6).toFixed(1);
}
