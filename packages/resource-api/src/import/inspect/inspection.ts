import type { FileDescription } from '../file/describe-file.ts';
import type { EncodingGuess } from '../file/encodings.ts';
import type { SheetDescription } from '../file/read-workbook.ts';
import type { Field } from '../profile/fields.ts';
import type { Question } from './draft.ts';
import type { ColumnKind } from './kinds.ts';

/** What a file is, that nobody described. Texts of cells are as the file has them. */
export interface Inspection {
  readonly file: string;
  readonly kind: FileDescription['kind'];
  readonly compression: FileDescription['compression'];
  readonly encoding?: EncodingGuess;
  readonly delimiter?: string;
  readonly sheet?: string;
  readonly sheets?: readonly SheetDescription[];
  readonly preamble: readonly string[];
  readonly headerRow: number | undefined;
  readonly rows: number;
  readonly totals?: { readonly row: number; readonly text: string; readonly verdict: string };
  readonly footer: readonly string[];
  readonly columns: readonly ColumnInspection[];
  readonly notes: readonly string[];
  /** What the file does not decide; a profile with one is refused. */
  readonly questions: readonly Question[];
  readonly profile: Readonly<Record<string, unknown>>;
}

export interface ColumnInspection {
  readonly header: string;
  readonly kind: ColumnKind;
  readonly field?: Field;
  readonly how: string;
  /** Of numbers as plain decimals, of dates as `2025-03-31`. */
  readonly smallest?: string;
  readonly largest?: string;
  readonly first: readonly string[];
  readonly blanks: number;
  readonly different: number;
  readonly differentIsBounded: boolean;
  /** Of numbers of loans, facilities or deals: rows with the number of an earlier row. */
  readonly repeats?: string;
  readonly unreadable: number;
}
