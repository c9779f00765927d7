import type { BusinessDate } from '../ledger/business-date.ts';
import { checkJournal, fault, type RecordFault } from './check-journal.ts';
import { checkSublimit } from './check-sublimit.ts';
import { differingField } from './compare-records.ts';
import { Drawings } from './drawings.ts';
import { FxIdentities, fxOccurrence } from './fx-identities.ts';
import { Holdings } from './holdings.ts';
import { IdSet } from './id-set.ts';
import { type Described, facilityOf, type JournalReader, type Posted } from './journal-store.ts';
import { checkDates, implausible } from './plausible.ts';
import {
  type BookRecord,
  type IdentifiedRecord,
  type JournalRecord,
  RECORD,
  type SummaryRecord,
} from './record.ts';
import { issuesOf, sentenceOf } from './record-faults.ts';
import { referencesOf } from './references.ts';
import { principalOf, Repayments } from './repayments.ts';
import { ReversibleJournals } from './reversals.ts';
import { JournalFileSummary, summaryDifferences } from './summary.ts';
import { nameText, uniqueNamesOf } from './unique-names.ts';
import { Volumes } from './volumes.ts';

export interface LineFault extends RecordFault {
  /** Line in the file, from 1. */
  readonly line: number;
}

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

interface NumberedRecord {
  readonly number: number;
  readonly record: BookRecord;
  /** Its id, or the name of a rate. */
  readonly identity: string;
}

/** What the book has of a batch of lines. */
interface Findings {
  readonly inBook: ReadonlyMap<string, IdentifiedRecord>;
  readonly taken: ReadonlySet<string>;
  readonly posted: Posted;
  readonly fxCounts: ReadonlyMap<string, number>;
}

const FAULTS_LISTED = 1_000;
const KIND: Readonly<Record<'party' | 'position', Described>> = {
  party: { kind: 'party' },
  position: { kind: 'position' },
};

/** Finds every fault of a file, batch by batch, against the book and against what came before. */
export class FileChecker {
  readonly #store: JournalReader;
  readonly #closedThrough: BusinessDate | undefined;
  readonly #today: BusinessDate;
  /** What an id stands for, in the book or in the file before the line; not of journals. */
  readonly #described = new Map<string, Described>();
  readonly #inFile = new IdSet();
  readonly #known = new IdSet();
  readonly #names = new IdSet();
  readonly #keys = new IdSet();
  readonly #reversed = new IdSet();
  readonly #reversible = new ReversibleJournals();
  readonly #drawings = new Drawings();
  readonly #repayments = new Repayments();
  readonly #volumes: Volumes;
  readonly #holdings = new Holdings();
  readonly #warnings: LineFault[] = [];
  #warningCount = 0;
  /** Ids of records that could not be read: what names them is not at fault. */
  readonly #unread = new Set<string>();
  readonly #fx = new FxIdentities();
  readonly #summary = new JournalFileSummary();
  readonly #faults: LineFault[] = [];
  #faultCount = 0;
  #malformed = false;
  #knownCount = 0;
  #fresh = 0;
  #given: SummaryRecord | undefined;
  #lastLine = 0;

  constructor(store: JournalReader, closedThrough: BusinessDate | undefined, today: BusinessDate) {
    this.#today = today;
    this.#store = store;
    this.#volumes = new Volumes(store);
    this.#closedThrough = closedThrough;
  }

  /** Whether the book has the record already. */
  isKnown(identity: string): boolean {
    return this.#known.has(identity);
  }

  async check(lines: readonly NumberedLine[]): Promise<void> {
    const parsed = lines.flatMap(({ number, text }): NumberedRecord[] => {
      const record = this.#parse(number, text);
      if (record === undefined) return [];
      const identity = record.object === 'fx_rate' ? this.#fx.of(record) : record.id;
      return [{ number, record, identity }];
    });
    const findings = await this.#lookUp(parsed);
    for (const numbered of parsed) {
      this.#checkRecord(numbered, findings);
      await this.#checkVolume(numbered);
    }
  }

  async finish() {
    const summary = this.#summary.result();
    const taken: LineFault[] = [...this.#repayments.finish()];
    // A line that is no JSON may be what covers a drawing.
    for (const drawing of this.#malformed ? [] : this.#drawings.finish(this.#describedAs)) {
      const { declared: isDeclared, line, ...beyond } = drawing;
      if (!isDeclared) this.#report(line, beyond);
      else taken.push({ line, ...beyond, code: 'overadvance' });
    }
    if (this.#faultCount === 0) {
      const sales = await this.#holdings.finish(this.#store);
      for (const { line, ...sale } of sales) this.#warn(line, sale);
    }
    if (this.#given === undefined) {
      this.#report(
        this.#lastLine + 1,
        fault('', 'cut', 'the file has no summary line: it is incomplete'),
      );
    } else if (this.#faultCount === 0) {
      for (const [field, message] of summaryDifferences(summary, this.#given)) {
        this.#report(this.#lastLine, fault(field, 'control_total', message));
      }
    }
    return {
      summary,
      faults: [...this.#faults].sort((one, other) => one.line - other.line),
      faultCount: this.#faultCount,
      warnings: [...taken, ...this.#warnings]
        .sort((one, other) => one.line - other.line)
        .slice(0, FAULTS_LISTED),
      warningCount: taken.length + this.#warningCount,
      /** Warnings of what is implausible, and may be a mistake. */
      undeclared: this.#warningCount,
      known: this.#knownCount,
      fresh: this.#fresh,
    };
  }

  #report(line: number, { field, code, message }: RecordFault): void {
    this.#faultCount += 1;
    if (this.#faults.length < FAULTS_LISTED) this.#faults.push({ line, field, code, message });
  }

  #warn(line: number, { field, code, message }: RecordFault): void {
    this.#warningCount += 1;
    if (this.#warnings.length < FAULTS_LISTED) this.#warnings.push({ line, field, code, message });
  }

  #parse(line: number, text: string): BookRecord | undefined {
    if (text.trim() === '') return undefined;
    this.#lastLine = line;
    if (this.#given !== undefined) {
      this.#report(line, fault('', 'after_summary', 'the summary must be the last line'));
      return undefined;
    }
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      this.#malformed = true;
      this.#report(line, fault('', 'malformed_json', 'expected one JSON object'));
      return undefined;
    }
    const result = RECORD.safeParse(document, { error: sentenceOf });
    if (!result.success) {
      for (const { path, message } of result.error.issues.flatMap(issuesOf)) {
        this.#report(line, fault(path.join('.'), 'invalid_record', message));
      }
      this.#summary.addLine(text);
      const { id, postings } = (document ?? {}) as { id?: unknown; postings?: unknown };
      if (typeof id === 'string') this.#unread.add(id);
      for (const posting of Array.isArray(postings) ? postings : []) {
        this.#drawings.doubt(`${(posting as { facility?: unknown } | null)?.facility}`);
      }
      return undefined;
    }
    if (result.data.object === 'summary') {
      this.#given = result.data;
      return undefined;
    }
    this.#summary.addLine(text);
    this.#summary.addRecord(result.data);
    return result.data;
  }

  async #lookUp(batch: readonly NumberedRecord[]): Promise<Findings> {
    const records = batch.map(({ record }) => record);
    const journals = records.filter((record) => record.object === 'journal');
    const rates = batch.flatMap(({ record, identity }) =>
      record.object === 'fx_rate' ? [{ record, identity }] : [],
    );
    const own = batch.flatMap(({ record, identity }) =>
      record.object === 'fx_rate' ? [] : [identity],
    );
    const named = new Set(records.flatMap(referencesOf));
    const unseen = [...named].filter((id) => !this.#described.has(id));
    for (const [id, described] of await this.#store.describe(unseen)) {
      this.#described.set(id, described);
    }
    const inBook = await this.#store.read(own);
    const names = records.flatMap(uniqueNamesOf);
    const areTaken = await this.#store.taken(names);
    const taken = new Set(names.filter((_, index) => areTaken[index]).map(nameText));
    const referred = journals.flatMap(({ reverses, corrects }) =>
      [reverses ?? [], corrects ?? []].flat(),
    );
    const posted = await this.#store.posted({
      idempotencyKeys: journals.map(({ idempotencyKey }) => idempotencyKey),
      reversed: referred,
    });
    for (const journal of (await this.#store.read(referred)).values()) {
      if (journal.object === 'journal') this.#reversible.remember(journal);
    }
    const postings = journals
      .filter(({ id }) => !inBook.has(id))
      .flatMap((journal) => journal.postings);
    const facilities = new Set(postings.map(({ facility }) => facility));
    for (const id of [...facilities]) {
      facilities.add(facilityOf(this.#describedAs, id)?.sublimitOf ?? id);
    }
    const unopened = [...facilities].filter((id) => !this.#drawings.knows(id));
    const undrawn = await this.#store.undrawn(unopened);
    for (const id of unopened) this.#drawings.open(id, undrawn.get(id) ?? []);
    const contracts = [...new Set(postings.flatMap((one) => principalOf(one) ?? []))];
    const owing = contracts.filter((id) => !this.#repayments.knows(id));
    const outstanding = await this.#store.outstanding(owing);
    for (const id of owing) this.#repayments.open(id, outstanding.get(id) ?? []);
    const counts = await this.#store.countFxRates(rates.map(({ record }) => record));
    const fxCounts = new Map(rates.map(({ identity }, index) => [identity, counts[index] ?? 0]));
    return { inBook, taken, posted, fxCounts };
  }

  #checkRecord({ number, record, identity }: NumberedRecord, findings: Findings): void {
    const report = (broken: RecordFault) => this.#report(number, broken);
    if (!this.#inFile.add(identity)) {
      report(fault('id', 'duplicate_id', 'the id appears earlier in the file'));
      return;
    }
    if (record.object === 'fx_rate') {
      if (fxOccurrence(identity) <= (findings.fxCounts.get(identity) ?? 0))
        this.#leaveOut(identity);
      else {
        this.#fresh += 1;
        this.#warnOfOdd(number, record);
      }
      return;
    }
    const before = findings.inBook.get(identity);
    if (before !== undefined) {
      const field = differingField(record, before);
      if (field === undefined) this.#leaveOut(identity);
      else report(fault(field, 'differs_from_book', 'the book has another value for this id'));
      return;
    }
    this.#fresh += 1;
    const unknown = referencesOf(record).filter((id) => !this.#described.has(id));
    for (const id of new Set(unknown)) {
      if (this.#unread.has(id)) continue;
      report(fault('', 'unknown_reference', `${id} is neither in the book nor before this line`));
    }
    for (const name of uniqueNamesOf(record)) {
      const text = nameText(name);
      if (this.#names.add(text) && !findings.taken.has(text)) continue;
      report(fault(name.kind, 'duplicate_name', `another record has ${name.value} already`));
    }
    checkDates(record, this.#describedAs).forEach(report);
    this.#warnOfOdd(number, record);
    if (record.object !== 'journal') {
      if (unknown.length === 0) checkSublimit(record, this.#describedAs).forEach(report);
      this.#remember(record);
      return;
    }
    this.#checkPosting(record, findings.posted, report);
    const broken = unknown.length > 0 ? [] : checkJournal(record, this.#describedAs);
    broken.forEach(report);
    this.#checkCorrected(record, report);
    if (unknown.length === 0 && broken.length === 0) {
      if (record.reverses !== undefined) this.#checkReversal(record, report);
      this.#drawings.add(number, record, this.#describedAs);
      this.#repayments.add(number, record);
      this.#holdings.add(number, record);
    } else {
      for (const { facility } of record.postings) this.#drawings.doubt(facility);
    }
    this.#reversible.remember(record);
  }

  #warnOfOdd(line: number, record: BookRecord): void {
    for (const odd of implausible(record, this.#today, this.#describedAs)) this.#warn(line, odd);
  }

  async #checkVolume({ number, record, identity }: NumberedRecord): Promise<void> {
    if (record.object !== 'journal' || this.#known.has(identity)) return;
    for (const broken of await this.#volumes.add(record)) this.#report(number, broken);
  }

  #checkCorrected({ deal, corrects }: JournalRecord, report: (broken: RecordFault) => void): void {
    if (corrects === undefined || !this.#reversible.knows(corrects)) return;
    if (this.#reversible.isOf(deal, corrects)) return;
    report(fault('corrects', 'other_deal', 'it belongs to another deal'));
  }

  #checkReversal(reversal: JournalRecord, report: (broken: RecordFault) => void): void {
    const { reverses = '' } = reversal;
    // A journal that is missing, or could not be read, is reported elsewhere.
    if (!this.#reversible.knows(reverses)) return;
    for (const broken of this.#reversible.check(reversal)) report(broken);
  }

  readonly #describedAs = (id: string) => this.#described.get(id);

  #leaveOut(identity: string): void {
    this.#known.add(identity);
    this.#knownCount += 1;
  }

  /** What may stand in the way of posting a journal, whatever its postings. */
  #checkPosting(
    { idempotencyKey, effectiveDate, reverses, corrects }: JournalRecord,
    posted: Posted,
    report: (broken: RecordFault) => void,
  ): void {
    const other = posted.byKey.get(idempotencyKey);
    if (other !== undefined) {
      report(fault('idempotencyKey', 'posted_before', `the book has it as ${other}`));
    }
    if (!this.#keys.add(idempotencyKey)) {
      report(
        fault('idempotencyKey', 'duplicate_key', 'the idempotency key appears earlier in the file'),
      );
    }
    if (this.#closedThrough !== undefined && effectiveDate <= this.#closedThrough) {
      const message = `the books are closed through ${this.#closedThrough}`;
      report(fault('effectiveDate', 'period_closed', message));
    }
    for (const [field, name] of Object.entries({ reverses, corrects })) {
      if (name === undefined || posted.reversed.has(name)) continue;
      if (this.#inFile.has(name) || this.#unread.has(name)) continue;
      const message = `${name} is neither in the book nor before this line`;
      report(fault(field, 'unknown_reference', message));
    }
    if (reverses === undefined) return;
    if (posted.reversed.get(reverses) === true || !this.#reversed.add(reverses)) {
      report(fault('reverses', 'reversed_twice', 'the journal was reversed before'));
    }
  }

  #remember(record: IdentifiedRecord): void {
    switch (record.object) {
      case 'facility': {
        const { id, deal, currency, type, pikUsesCommitment, sublimitOf, effectiveDate } = record;
        const terms = { deal, currency, type, pikUsesCommitment, sublimitOf, effectiveDate };
        this.#described.set(id, { kind: 'facility', ...terms, lenders: new Set() });
        break;
      }
      case 'contract': {
        const deal = facilityOf(this.#describedAs, record.facility)?.deal ?? '';
        const { facility, effectiveDate } = record;
        this.#described.set(record.id, { kind: 'contract', deal, facility, effectiveDate });
        break;
      }
      case 'position': {
        facilityOf(this.#describedAs, record.facility)?.lenders.add(record.lender);
        this.#described.set(record.id, KIND.position);
        break;
      }
      case 'deal':
        this.#described.set(record.id, { kind: 'deal', closingDate: record.closingDate });
        break;
      case 'party':
        this.#described.set(record.id, KIND.party);
        break;
      case 'journal':
        break;
    }
  }
}
