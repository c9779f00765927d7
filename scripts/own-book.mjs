// `npm start -- --book FILE`: somebody's own loans in place of the demonstration's, in a store of their own.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, root } from './bootstrap.mjs';

const TOOL = join(root, 'packages', 'resource-api', 'bin', 'cls-api.mjs');
const USAGE =
  'npm start -- --book FILE [--profile FILE] [--as-of DATE] [--shares FILE] [--accept CHECK=REASON]';

/** What the command line says of a book; undefined where it names none. */
export function ownBookOf(words) {
  const option = { type: 'string' };
  const accept = { type: 'string', multiple: true, default: [] };
  const options = { book: option, profile: option, 'as-of': option, shares: option, accept };
  let values;
  try {
    values = parseArgs({ args: words, options }).values;
  } catch (error) {
    fail(`${error.message}\n${USAGE}`);
  }
  const { book: file, 'as-of': asOf, ...given } = values;
  if (file === undefined) {
    if (words.length > 0) fail(`These options need --book.\n${USAGE}`);
    return undefined;
  }
  for (const path of [file, given.shares]) {
    if (path !== undefined && !existsSync(path)) fail(`There is no file ${path}.\n${USAGE}`);
  }
  return { file, asOf, ...given };
}

/**
 * The book with a profile. A file that came without one is inspected, and the proposal is written into
 * the working directory; where the file does not decide all of it, this ends the process.
 */
export function withProfile(book) {
  if (book.profile !== undefined) return book;
  const profile = `${basename(book.file).replace(/[^\w-]+/g, '-')}.profile.yaml`;
  const next = `npm start -- --book ${book.file} --profile ${profile}`;
  if (existsSync(profile)) fail(`${profile} is there already. Give it: ${next}`);
  process.stdout.write(inspect(book.file, '--out', profile));
  const proposal = readFileSync(profile, 'utf8');
  const lacksDate = !/^ {2}asOf:/m.test(proposal) && book.asOf === undefined;
  if (!/: ["']?\?/.test(proposal) && !lacksDate) return { ...book, profile };
  const asOf = lacksDate ? 'YYYY-MM-DD' : book.asOf;
  const date = asOf === undefined ? '' : ` --as-of ${asOf}`;
  process.stdout.write(`\nAnswer the open questions in ${profile}, then:\n  ${next}${date}\n`);
  return process.exit(0);
}

function inspect(...words) {
  const run = spawnSync(process.execPath, [TOOL, 'import', 'inspect', ...words], {
    encoding: 'utf8',
  });
  if (run.status !== 0) fail(run.stderr.trim());
  return run.stdout;
}

/** A folder for each book as it was given: another file, profile or date makes another one. */
export function dataDirOf(dataDir, { file, profile, shares, asOf = '' }) {
  const hash = createHash('sha256').update(asOf);
  for (const path of [file, profile, shares]) {
    if (path !== undefined && existsSync(path)) hash.update(readFileSync(path));
    else hash.update(path ?? '');
  }
  const name = basename(file).replace(/\W+/g, '-').slice(0, 40);
  return join(dataDir, 'books', `${name}-${hash.digest('hex').slice(0, 12)}`);
}

/** Loads the book by the command-line tool. Its only user looks at it: control totals are not demanded. */
export async function loadOwnBook(api, { file, profile, shares, asOf, accept }) {
  await api('migrate');
  const given = [
    ...(shares === undefined ? [] : ['--shares', shares]),
    ...(asOf === undefined ? [] : ['--as-of', asOf]),
    ...accept.flatMap((one) => ['--accept', one]),
    ...['--without-totals', 'tried with npm start'],
  ];
  await api('import', file, '--profile', profile, '--apply', ...given);
}
