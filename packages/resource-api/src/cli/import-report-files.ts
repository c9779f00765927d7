import { CommandRefused } from '@cls/shared/cli/command-line';
import type { ImportReport, ImportRequest } from '../import/import-report.ts';
import {
  CHANGES_HEADER,
  changeLine,
  FAULTS_HEADER,
  faultLine,
} from '../import/report/csv-lines.ts';
import { reportHtml } from '../import/report/report-html.ts';
import { NewTextFile } from './new-text-file.ts';

interface Paths {
  readonly rejects?: string | undefined;
  readonly changes?: string | undefined;
  readonly html?: string | undefined;
}

/** The files that a report is written to, beside the terminal. */
export class ImportReportFiles {
  readonly #rejects: NewTextFile | undefined;
  readonly #changes: NewTextFile | undefined;
  readonly #html: NewTextFile | undefined;

  /** @throws {CommandRefused} when a file is there already, before anything is imported. */
  constructor({ rejects, changes, html }: Paths) {
    try {
      this.#rejects = newFile(rejects, FAULTS_HEADER);
      this.#changes = newFile(changes, CHANGES_HEADER);
      this.#html = newFile(html, '');
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  get sinks(): Pick<ImportRequest, 'onFault' | 'onChange'> {
    return {
      onFault: (fault) => this.#rejects?.write(faultLine(fault)),
      onChange: (change) => this.#changes?.write(changeLine(change)),
    };
  }

  /** There are rejects where there are faults, and changes where there are none. */
  finish(report: ImportReport): void {
    const { faultCount, outcome, importId } = report;
    try {
      if (faultCount > 0) this.#rejects?.finish();
      else this.#changes?.finish();
      this.#html?.write(reportHtml(report));
      this.#html?.finish();
    } catch (error) {
      if (!(error instanceof CommandRefused) || outcome !== 'applied') throw error;
      throw new CommandRefused(
        `the statement is applied as ${importId}, but ${error.message}`,
        report,
      );
    } finally {
      this.discard();
    }
  }

  discard(): void {
    for (const file of [this.#rejects, this.#changes, this.#html]) file?.discard();
  }
}

function newFile(path: string | undefined, header: string): NewTextFile | undefined {
  if (path === undefined) return undefined;
  const file = new NewTextFile(path);
  file.write(header);
  return file;
}
