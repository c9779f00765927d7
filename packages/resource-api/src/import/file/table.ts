/** Encodings that a profile can declare; a byte order mark takes precedence. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1'] as const;

/**
 * A cell as the file has it: a text; a number of a workbook, a double of at most 15 digits; a date of
 * a workbook, which is its time in UTC.
 */
export type Cell = string | number | Date;

export interface TableRow {
  /** Line of the text file where the record ends, or row of the sheet, from 1. */
  readonly row: number;
  readonly cells: readonly Cell[];
  /** Columns, from 0, whose number a workbook shows as a percentage: 0.0475 as 4.75 %. */
  readonly percentColumns?: readonly number[];
}

/** What a profile says about the file as a file; the inspector may not know where the header is. */
export interface FileDialect {
  readonly encoding: (typeof ENCODINGS)[number];
  readonly delimiter: string;
  readonly sheet?: string | undefined;
  readonly headerRow?: number | undefined;
}

/** What is wrong with a file, or odd in it. Row 0: all of it. */
export interface FileFault {
  readonly row: number;
  /** Its name, or its letters in a sheet; empty where all of the row is meant. */
  readonly column: string;
  readonly code: string;
  readonly message: string;
  readonly value: string;
}

/** The file cannot be read to its end, so nothing of it counts. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly fault: FileFault;

  constructor(code: string, message: string, at: Partial<FileFault> = {}) {
    super(message);
    this.fault = { row: 0, column: '', value: '', ...at, code, message };
  }
}

/** A file, in a folder or in memory. It is read more than once. */
export interface StatementSource {
  readonly name: string;
  readonly size: number;
  /** The bytes from `start` to the one before `end`, again at each call; by default all. */
  bytes(start?: number, end?: number): AsyncIterable<Uint8Array>;
}
