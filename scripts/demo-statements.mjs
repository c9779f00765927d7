// Statements of the World Bank's loans between the two that it published: made up, by interpolation, so
// that the demonstration has dates to look at. Nothing in them is the World Bank's but the loans and the
// two ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const require = createRequire(new URL('../packages/resource-api/package.json', import.meta.url));
const { parse } = require('csv-parse/sync');
const PACKAGE = new URL('../packages/resource-api/', import.meta.url);
const [FIRST, LAST] = ['2023-05-31', '2025-03-31'];

/** Dates of the statements of the demonstration, in their order, and whether each was made up. */
export const STATEMENTS = [
  { date: FIRST, sample: 'world-bank-2023' },
  { date: '2024-03-31' },
  { date: '2024-12-31' },
  { date: LAST, sample: 'world-bank' },
];

/** By the names of the profile: cumulative amounts that are interpolated as they are. */
const INTERPOLATED = [
  ...['originalPrincipal', 'cancelled', 'undisbursed', 'disbursed', 'repaid', 'due'],
  ...['exchangeAdjustment', 'sold', 'repaidThirdParty'],
];
/** Those that follow from others, where they do so at both ends: each by the signs of its terms. */
const FOLLOWING = [
  ['undisbursed', { originalPrincipal: 1n, cancelled: -1n, disbursed: -1n }],
  ['due', { disbursed: 1n, repaid: -1n, sold: -1n }],
  ['obligation', { due: 1n, exchangeAdjustment: 1n }],
  ['dueThirdParty', { sold: 1n, repaidThirdParty: -1n }],
  ['held', { due: 1n, undisbursed: 1n }],
];

/**
 * Writes the statements that are made up into a folder, as `2024-03-31.csv`. Another process makes them, because it
 * takes 200 MB, which a process that goes on would keep.
 */
export async function makeStatements(folder) {
  const child = spawn(process.execPath, [import.meta.filename, folder], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('the statements of the demonstration could not be made');
}

/**
 * @returns for a date, the text of a statement of every loan that is in the first statement: its amounts
 *   on a line between both ends, in whole cents, everything else as in the first one
 */
function madeStatements() {
  const profile = readProfile();
  const [first, last] = [FIRST, LAST].map(readStatement);
  const columnsOf = ([header]) =>
    new Map(
      Object.entries(profile.columns).map(([field, names]) => [
        field,
        header.findIndex((name) => names.includes(plain(name))),
      ]),
    );
  const [from, to] = [columnsOf(first), columnsOf(last)];
  const ends = new Map(last.slice(1).map((row) => [row[to.get('loanNumber')], row]));
  const [header, ...rows] = first;
  return (date) => {
    const made = rows.map((row) => {
      const end = ends.get(row[from.get('loanNumber')]);
      const cells = row.with(from.get('asOf'), date);
      if (end === undefined) return cells;
      const amountsOf = (cellsOf, columns) => (field) => cents(cellsOf[columns.get(field)]);
      const amounts = between(amountsOf(row, from), amountsOf(end, to), date);
      for (const [field, amount] of amounts) cells[from.get(field)] = decimal(amount);
      return cells;
    });
    return [header, ...made].map((cells) => `${cells.map(quoted).join(',')}\n`).join('');
  };
}

/** The profile under which they are imported: the import and its journals have its name. */
export function madeProfile() {
  return {
    ...readProfile(),
    name: 'interpolated-demo',
    title: 'Made up for the demonstration: interpolated between two statements of the World Bank',
  };
}

/** Amounts of a loan on a date, by field. @param a, b tell an amount of the first and the last date. */
function between(a, b, date) {
  const [part, whole] = [daysFrom(FIRST, date), daysFrom(FIRST, LAST)];
  const amounts = new Map(
    INTERPOLATED.map((field) => [field, a(field) + divided((b(field) - a(field)) * part, whole)]),
  );
  const sumOf = (terms, amount) =>
    Object.entries(terms).reduce((sum, [field, sign]) => sum + sign * amount(field), 0n);
  for (const [field, terms] of FOLLOWING) {
    const follows = [a, b].every((end) => end(field) === sumOf(terms, end));
    if (follows)
      amounts.set(
        field,
        sumOf(terms, (name) => amounts.get(name)),
      );
    else if (!amounts.has(field))
      throw new Error(`${field} does not follow from ${Object.keys(terms)}`);
  }
  return amounts;
}

function readProfile() {
  return JSON.parse(readFileSync(new URL('profiles/world-bank-ibrd.json', PACKAGE), 'utf8'));
}

function readStatement(date) {
  const file = new URL(`data/world-bank-ibrd-${date}.csv.gz`, PACKAGE);
  return parse(gunzipSync(readFileSync(file)), { bom: true });
}

/** A column's name as a profile writes it. */
function plain(name) {
  return name.replace('(US$)', '').trim().toLowerCase();
}

/** Rounded half away from zero: the files have the noise of floating-point numbers. */
function cents(text) {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text || '0');
  const thousandths = BigInt(`${whole}${fraction.padEnd(3, '0').slice(0, 3)}`);
  const rounded = (thousandths + 5n) / 10n;
  return sign === '-' ? -rounded : rounded;
}

function divided(amount, by) {
  const half = amount < 0n ? -by / 2n : by / 2n;
  return (amount + half) / by;
}

function daysFrom(from, to) {
  return BigInt((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

function decimal(amount) {
  const digits = `${amount < 0n ? -amount : amount}`.padStart(3, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function quoted(cell) {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

if (process.argv[1] === import.meta.filename) {
  const made = madeStatements();
  for (const { date } of STATEMENTS.filter(({ sample }) => sample === undefined)) {
    writeFileSync(join(process.argv[2], `${date}.csv`), made(date));
  }
}
