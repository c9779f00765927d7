/**
 * Splits text into records (RFC 4180, with any delimiter and any line end). csv-parse is not used: it
 * counts a line end of two characters twice within quotes, and refuses a quote within an unquoted
 * cell (`5" pipe`).
 */
import { RECORD_MAX_CHARS } from './limits.ts';
import { type TableRow, UnreadableFile } from './table.ts';

const NONE = Number.POSITIVE_INFINITY;

interface SplitRecord {
  readonly cells: readonly string[];
  /** Where the line end stands that ends the record, or the end of the text. */
  readonly end: number;
  readonly innerLines: number;
}

/** Takes a text in pieces, and gives the records that are complete. Empty records are left out. */
export class RecordSplitter {
  readonly #delimiter: string;
  /** What is no complete record yet. */
  #rest = '';
  /** Line of the file in which the rest begins. */
  #line = 1;

  /** @param delimiter one character that is no quote and no line end. */
  constructor(delimiter: string) {
    if (delimiter.length !== 1 || '"\r\n'.includes(delimiter)) {
      const message =
        'expected a delimiter of one character that is no quotation mark and no line end';
      throw new UnreadableFile('invalid_delimiter', message, { value: delimiter });
    }
    this.#delimiter = delimiter;
  }

  push(piece: string): readonly TableRow[] {
    return this.#split(this.#rest + piece, false);
  }

  /** The record that no line end follows. */
  end(): readonly TableRow[] {
    return this.#split(this.#rest, true);
  }

  #split(text: string, isLast: boolean): readonly TableRow[] {
    const rows: TableRow[] = [];
    const [lf, cr, quote] = [finder(text, '\n'), finder(text, '\r'), finder(text, '"')];
    let at = 0;
    while (at < text.length) {
      const lineEnd = Math.min(lf(at), cr(at));
      let record: SplitRecord | undefined;
      if (quote(at) < lineEnd) record = this.#quotedRecord(text, at, isLast);
      else if (lineEnd < NONE || isLast) {
        record = this.#plainRecord(text, at, Math.min(lineEnd, text.length));
      }
      // A record at the end of a piece may go on in the next one, or the second half of its line end.
      const cut =
        record !== undefined &&
        !isLast &&
        record.end + 1 >= text.length &&
        text[record.end] !== '\n';
      if ((record?.end ?? text.length) - at > RECORD_MAX_CHARS) throw this.#tooLong(text, at);
      if (record === undefined || cut) break;
      const row = this.#line + record.innerLines;
      const isFilled = record.cells.some((cell) => cell !== '' && cell.trim() !== '');
      if (isFilled) rows.push({ row, cells: record.cells });
      this.#line = row + 1;
      at = record.end + (text.startsWith('\r\n', record.end) ? 2 : 1);
    }
    this.#rest = text.slice(at);
    return rows;
  }

  #plainRecord(text: string, at: number, end: number): SplitRecord {
    return { cells: text.slice(at, end).split(this.#delimiter), end, innerLines: 0 };
  }

  /** Undefined where the text ends within quotes. */
  #quotedRecord(text: string, start: number, isLast: boolean): SplitRecord | undefined {
    const cells: string[] = [];
    let innerLines = 0;
    for (let at = start; ; at += 1) {
      let end: number;
      if (text[at] === '"') {
        end = closingQuote(text, at) + 1;
        if (end === 0 && isLast) throw this.#unclosed(this.#line + innerLines);
        if (end === 0) return undefined;
        const cell = text.slice(at + 1, end - 1).replaceAll('""', '"');
        innerLines += lineEndsIn(cell);
        cells.push(cell);
        const isClosed = end === text.length || this.#endsCell(text, end);
        if (!isClosed) {
          const message =
            'expected a delimiter or the end of the line after the closing quotation mark; within quotation marks, write "" for one';
          throw new UnreadableFile('malformed_csv', message, { row: this.#line + innerLines });
        }
      } else {
        end = at;
        while (end < text.length && !this.#endsCell(text, end)) end += 1;
        cells.push(text.slice(at, end));
      }
      if (text[end] !== this.#delimiter) return { cells, end, innerLines };
      at = end;
    }
  }

  #endsCell(text: string, at: number): boolean {
    const mark = text[at];
    return mark === this.#delimiter || mark === '\n' || mark === '\r';
  }

  #unclosed(row: number): UnreadableFile {
    const message = 'a cell begins with a quotation mark in this line, and no other one closes it';
    return new UnreadableFile('malformed_csv', message, { row });
  }

  #tooLong(text: string, at: number): UnreadableFile {
    if (/["]/.test(text.slice(at, at + RECORD_MAX_CHARS))) return this.#unclosed(this.#line);
    const message = `expected at most ${RECORD_MAX_CHARS} characters in a line`;
    return new UnreadableFile('record_too_long', message, { row: this.#line });
  }
}

/** Where a mark stands next; a place beyond the current one is searched for once. */
function finder(text: string, mark: string): (from: number) => number {
  let next = -1;
  return (from) => {
    if (next < from) {
      const found = text.indexOf(mark, from);
      next = found < 0 ? NONE : found;
    }
    return next;
  };
}

/** Where the quote stands that closes a cell; −1 where the text ends before. */
function closingQuote(text: string, opening: number): number {
  let at = text.indexOf('"', opening + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

export function lineEndsIn(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}
