import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { readOptions, text } from '@cls/shared/cli/options';
import { DAY_MS } from '@cls/shared/clock';
import type { Command } from 'commander';
import { z } from 'zod';
import type { ChainFault, ChainHead, ChainReport } from '../audit/audit-chain.ts';
import type { AsOperator } from './operator.ts';

const HEAD = text((given): ChainHead | undefined => {
  const [, hash, number = ''] = /^([0-9a-f]{64}):(\d{1,18})$/.exec(given) ?? [];
  return hash === undefined ? undefined : { hash, number: BigInt(number) };
}, 'expected hash:number, as `audit verify` and the log of the service say it');
const VERIFY = z.object({ head: HEAD.optional() });

const FAULTS: { readonly [F in ChainFault as F['fault']]: (fault: F) => string } = {
  links_missing: ({ link }) => `links before link ${link} are missing`,
  link_changed: ({ link }) => `link ${link} was changed`,
  not_the_kept_head: ({ link }) => `link ${link} has another hash than the head that was kept`,
  ends_before_kept: ({ link }) =>
    `the chain ends before link ${link}, whose hash was kept: its end was cut off, or the database was restored`,
  events_differ: ({ link, month, sealed, found }) =>
    `link ${link} has ${sealed} events of ${month}, the database ${found === sealed ? `${found}, and they are others` : found}`,
  erased_without_a_record: ({ found }) =>
    `${found} events lost their person, and no erasure of that account is recorded`,
};

/** `cls-auth audit verify`. */
export function addVerifyCommand(audit: Command, asOperator: AsOperator): void {
  audit
    .command('verify')
    .description(
      'check that no event was removed, changed or added since it was chained; exit code 1 when one was',
    )
    .option('--head <hash:number>', 'a head that was kept: the chain must still contain it')
    .action(async (options: object, command: Command) => {
      const { head: kept } = readOptions(VERIFY, options);
      const report = await asOperator(({ auditChain, auditDays }) => {
        const keptSince = auditDays === 0 ? undefined : new Date(Date.now() - auditDays * DAY_MS);
        return auditChain.verify({ kept, keptSince });
      });
      const head = `${report.head.hash}:${report.head.number}`;
      const { events, expired, waiting, erased, faultCount } = report;
      const document = { head, events, expired, waiting, erased, ...droppedOf(report) };
      if (faultCount === 0) return printer(command).result(document, words(head, report));
      const said = report.faults.map((fault) => wordsOf(fault));
      const more = faultCount > said.length ? [`and ${faultCount - said.length} more`] : [];
      throw new CommandRefused(
        ['the audit is not as it was chained:', ...said, ...more].join('\n'),
        { outcome: 'differs', ...document, faultCount, faults: said },
      );
    });
}

function wordsOf<F extends ChainFault>(fault: F): string {
  return (FAULTS[fault.fault] as (fault: F) => string)(fault);
}

function droppedOf({ dropped }: ChainReport) {
  return { dropped: Object.fromEntries(dropped) };
}

function words(head: string, report: ChainReport): string {
  const { events, expired, dropped, waiting, erased } = report;
  const rows = [
    ['head', head],
    ['events as they were chained', `${events}`],
    ['of these, with the person erased', `${erased}`],
    ['not chained yet', `${waiting}`],
    ['older than the audit is kept', `${expired}`],
    ...[...dropped].map(([month, number]) => [`dropped by an operator: ${month}`, `${number}`]),
  ];
  return table(['', ''], rows).trimStart();
}
