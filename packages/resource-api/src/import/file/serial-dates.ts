import { DAY_MS } from '@cls/shared/clock';

/** Dates of workbooks: days since an epoch, with the time of day as a fraction. */

const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** One day early: Excel takes 1900 for a leap year, and counts a 29 February that never was. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
/** Day 60, as Excel shows it. */
export const PHANTOM_DAY = '1900-02-29';
const LAST_DAY_1900 = 2_958_465;
const DAYS_BETWEEN = (EPOCH_1904 - EPOCH_1900) / DAY_MS;

/**
 * The date of a serial number; a number that is none stays as it is. Day 0 and day 60 of the system
 * of 1900 are no dates, and come as Excel shows them: `1900-01-00`, `1900-02-29`.
 */
export function serialDate(serial: number, is1904: boolean): Date | string | number {
  const last = is1904 ? LAST_DAY_1900 - DAYS_BETWEEN : LAST_DAY_1900;
  if (serial < 0 || serial >= last + 1) return serial;
  if (is1904) return new Date(EPOCH_1904 + Math.round(serial * DAY_MS));
  const day = Math.floor(serial);
  if (day === 0) return '1900-01-00';
  if (day === 60) return PHANTOM_DAY;
  const early = day < 60 ? 1 : 0;
  return new Date(EPOCH_1900 + Math.round((serial + early) * DAY_MS));
}
