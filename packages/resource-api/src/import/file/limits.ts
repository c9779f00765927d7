/** What a file may cost to read. A file beyond a limit is refused with a sentence. */

/** Bytes that a compressed file may unpack to: 2 GiB. */
const UNPACKED_MAX_BYTES = 2 * 1024 ** 3;
/** Bytes that may come out of a compressed file of any size. */
export const UNPACKED_FREE_BYTES = 10 * 1024 ** 2;
/** How many times its own size a compressed file may unpack to, beyond `UNPACKED_FREE_BYTES`. */
const EXPANSION_MAX = 200;
export const RECORD_MAX_CHARS = 1024 ** 2;
/** Bytes of a workbook as it is stored, which is compressed: 256 MiB. */
export const WORKBOOK_MAX_BYTES = 256 * 1024 ** 2;
/** Bytes of a workbook that is in a compressed file, and is unpacked in memory: 64 MiB. */
export const PACKED_WORKBOOK_MAX_BYTES = 64 * 1024 ** 2;
/** Sheets of a workbook: each is read to say which have rows. */
export const SHEETS_MAX = 256;
/** Rows and columns of a sheet: what Excel can hold. */
export const SHEET_MAX_ROWS = 1_048_576;
export const SHEET_MAX_COLUMNS = 16_384;
/** Cells of a sheet, with the blank ones before the last one of each row. */
export const SHEET_MAX_CELLS = 100_000_000;
/**
 * Characters of all texts that the cells of a workbook share, which are held in memory. Each text
 * counts `SHARED_TEXT_COST_CHARS` more.
 */
export const SHARED_TEXT_MAX_CHARS = 100_000_000;
export const SHARED_TEXT_COST_CHARS = 16;
/** Characters of a cell, and between two tags of a workbook's XML. */
export const XML_TEXT_MAX_CHARS = 1024 ** 2;
/** Elements of a workbook's XML that stand in each other. */
export const XML_DEPTH_MAX = 256;
/** Formats of a workbook. Excel can hold 65,490 cell formats. */
export const FORMATS_MAX = 65_536;
/** Files of a workbook that one of its files names. */
export const RELATIONS_MAX = 10_000;
export const ZIP_MAX_ENTRIES = 10_000;
/** Characters of text that `describeFile` shows. */
export const SAMPLE_MAX_CHARS = 256 * 1024;

/** What a compressed file of this size may unpack to, in bytes. */
export function unpackedMaxBytes(packedBytes: number): number {
  return Math.min(UNPACKED_MAX_BYTES, Math.max(UNPACKED_FREE_BYTES, EXPANSION_MAX * packedBytes));
}
