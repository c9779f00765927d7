/** The way from a checked statement to records and journals, batch by batch. */
import type { BookRecord } from '../journal-file/record.ts';
import { Volumes } from '../journal-file/volumes.ts';
import type { BookReader, ImportHistory, StatementFile, WriteImport } from './book.ts';
import { BATCH_DEALS } from './check-statement.ts';
import { UnreadableFile } from './file/table.ts';
import type { ImportReport, ImportRequest } from './import-report.ts';
import { ChangeSummary } from './plan/change-summary.ts';
import { changesOf, owedBy, undrawnOf } from './plan/changes.ts';
import { misfitsOf, takeRoom } from './plan/fits-book.ts';
import type { KnownDeal } from './plan/known-deal.ts';
import { PartyDirectory } from './plan/parties.ts';
import { newReferences, type PlanContext, planDeal } from './plan/plan-deal.ts';
import type { SanityChecks } from './sanity.ts';
import type { LoanNumbers } from './statement/loan-numbers.ts';
import type { Report } from './statement/report.ts';
import type { StatedDeal } from './statement/stated-deal.ts';

export interface StatementPlan {
  readonly file: StatementFile;
  /** From the first on at each call. */
  readonly deals: () => AsyncIterable<readonly StatedDeal[]>;
  readonly numbers: LoanNumbers;
  readonly report: Report;
  readonly sanity: SanityChecks;
  readonly request: Pick<ImportRequest, 'onProgress' | 'onChange'>;
}

export type Planned = Partial<ImportReport> & Pick<ImportReport, 'outcome'>;
export const REFUSED: Planned = { outcome: 'refused' };

export const SOURCE_NOT_OPEN =
  'Your customer cannot post statements of this source. Name another source in the profile, or ask the operator to assign it to your customer.';

export async function planStatement(
  plan: StatementPlan,
  reader: BookReader,
  write: WriteImport | undefined,
): Promise<Planned> {
  const { file, report, sanity, request } = plan;
  const history = await reader.history();
  if (history.isOfAnother) {
    report.fault(0, '', 'source_not_open', SOURCE_NOT_OPEN, file.profile.source);
    return REFUSED;
  }
  if (history.appliedBefore !== undefined) {
    return { outcome: 'applied_before', importId: history.appliedBefore };
  }
  checkHistory(file, history, report);
  // Of a file of several dates, each is a statement.
  if (history.otherDate !== undefined && file.profile.asOfRows === 'all') {
    sanity.add('same_file_as_before', 0, 1, `the statement of ${history.otherDate}`);
  }
  if (report.faultCount > 0) return REFUSED;
  const changes = new ChangeSummary(request.onChange);
  const records = recordsOf(plan, reader, history, changes);
  let importId: string | undefined;
  try {
    if (write) importId = await write(records);
    else for await (const _ of records);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    report.refuse(error.fault);
  }
  if (report.faultCount > 0) return REFUSED;
  await findVanished(plan, reader, changes);
  for (const row of changes.turned) sanity.add('sign_turned', row);
  for (const row of changes.moved) sanity.add('drawing_moved', row);
  const outcome = importId === undefined ? 'valid' : 'applied';
  return { outcome, ...(importId === undefined ? {} : { importId }), ...changes.result() };
}

function checkHistory(
  { asOf }: StatementFile,
  { last, closedThrough }: ImportHistory,
  report: Report,
): void {
  if (last !== undefined && asOf < last.asOf) {
    // Its amounts are those of a day: after a later statement they would undo what came since.
    const message =
      `a statement of ${last.asOf} is in the book (${last.id}); import older ones first. ` +
      `If its date is wrong, take it back: cls-api imports revert ${last.id} --apply`;
    report.fault(0, '', 'out_of_order', message, asOf);
  } else if (closedThrough !== undefined && asOf <= closedThrough) {
    const message = `the books are closed through ${closedThrough}`;
    report.fault(0, '', 'period_closed', message, asOf);
  }
}

async function* recordsOf(
  { file, deals, numbers, report, sanity, request }: StatementPlan,
  reader: BookReader,
  { revertedBefore }: ImportHistory,
  changes: ChangeSummary,
): AsyncGenerator<BookRecord> {
  const { profile, asOf, fileSha256 } = file;
  const parties = await reader.parties();
  sanity.parties(parties);
  const directory = new PartyDirectory(profile.source, parties);
  const volumes = new Volumes(reader);
  const again = revertedBefore === 0 ? '' : `:${revertedBefore + 1}`;
  const context: PlanContext = {
    asOf,
    source: profile.source,
    keyPrefix: `${profile.source}:${profile.name}:${asOf}:${fileSha256.slice(0, 16)}${again}`,
    partyId: (party) => directory.idOf(party),
  };
  let planned = 0;
  for await (const batch of deals()) {
    const { known, own } = await readBatch(batch, file, reader, report);
    const clashing = await clashingDeals(own, known, reader, report);
    for (const stated of own) {
      if (clashing.has(stated)) continue;
      const before = known.get(stated.number);
      const misfits = before === undefined ? [] : misfitsOf(stated, before);
      for (const misfit of misfits) report.refuse(misfit);
      if (misfits.length > 0) continue;
      const deal = planDeal(stated, before, context);
      const full = await takeRoom(volumes, deal);
      if (full !== undefined) {
        report.refuse(full);
        return;
      }
      changes.add(deal, changesOf(deal, before));
      yield* directory.takeFresh();
      yield* deal.records;
      yield* deal.journals;
    }
    planned += batch.length;
    request.onProgress?.({
      step: 'planning',
      rows: planned,
      of: numbers.count,
      done: planned / numbers.count,
    });
  }
  if (planned !== numbers.count) {
    throw new UnreadableFile('file_changed', 'the file changed while it was read: import it again');
  }
}

/** What the book has of these deals. A number that it has from elsewhere is a fault: numbers are unique. */
async function readBatch(
  batch: readonly StatedDeal[],
  file: StatementFile,
  reader: BookReader,
  report: Report,
) {
  const known = await reader.deals(batch.map(({ number }) => number));
  const fresh = batch.flatMap(({ number }) => (known.has(number) ? [] : [number]));
  const elsewhere = fresh.length === 0 ? new Map() : await reader.elsewhere(fresh);
  const { dealNumber, facilityNumber, loanNumber } = file.profile.columns;
  const [column = ''] = dealNumber ?? facilityNumber ?? loanNumber ?? [];
  const own = batch.filter(({ number, row }) => {
    const source = elsewhere.get(number);
    if (source === undefined) return true;
    const owner = source === '' ? 'a journal file' : `the source ${source}`;
    // Who sends what is nothing for other customers.
    const from = file.actor?.customer === undefined ? owner : 'another source';
    const message =
      `the book has this number from ${from}, and not from ${file.profile.source}; ` +
      'if both are the same sender, declare that source';
    report.fault(row, column, 'number_from_elsewhere', message, number);
    return false;
  });
  return { known, own };
}

/** Deals that call something new as earlier statements called another: `A/B`, and facility `B` of `A`. */
async function clashingDeals(
  deals: readonly StatedDeal[],
  known: ReadonlyMap<string, KnownDeal>,
  reader: BookReader,
  report: Report,
): Promise<ReadonlySet<StatedDeal>> {
  const fresh = deals.flatMap((stated) =>
    newReferences(stated, known.get(stated.number)).map((one) => ({ ...one, stated })),
  );
  if (fresh.length === 0) return new Set();
  const taken = await reader.taken(fresh.map(({ ref }) => ref));
  const clashing = fresh.filter(({ ref }) => taken.has(ref));
  for (const { ref, row } of clashing) {
    const message =
      'expected another number: earlier statements of the source called another deal or facility so';
    report.fault(row, 'deal and facility number', 'same_reference', message, ref);
  }
  return new Set(clashing.map(({ stated }) => stated));
}

/** Tells of loans of the book that go on and that the statement does not have. */
async function findVanished(
  { numbers: stated, sanity }: StatementPlan,
  reader: BookReader,
  changes: ChangeSummary,
): Promise<void> {
  let vanished = 0;
  let zerosLost = 0;
  for await (const numbers of reader.numbers()) {
    const missing = numbers.filter((number) => !stated.has(number));
    for (let at = 0; at < missing.length; at += BATCH_DEALS) {
      const known = await reader.deals(missing.slice(at, at + BATCH_DEALS));
      for (const [number, deal] of known) {
        // Senders leave out what owes nothing and can no longer be drawn.
        if (deal.facilities.every((one) => owedBy(one) === 0n && undrawnOf(one) === 0n)) continue;
        vanished += 1;
        if (/^0/.test(number) && stated.has(number.replace(/^0+/, ''))) zerosLost += 1;
        changes.vanished(number, deal);
      }
    }
  }
  sanity.add('leading_zeros_lost', 0, zerosLost);
  // The book has the new ones by now where they were written.
  const before = stated.count - changes.newLoans;
  sanity.loans(before + vanished, vanished, changes.loans);
}
