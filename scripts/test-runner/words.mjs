// The command line of `npm test`.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** Half of a test's time is spent waiting for a store or a browser: two for each processor. */
const WORKERS = 2 * availableParallelism();

export const HELP = `npm test -- [options] [test files, .ts or .js]

  --grep TEXT     only tests whose title matches this expression
  --fgrep TEXT    only tests whose title contains this text
  --invert        only tests that do not match
  --unit          only what starts nothing: no server, no database, no browser (npm run test:unit)
  --changed       only what imports a file that differs from the last commit, or with --since REF
                  from that one (npm run test:changed)
  --fast          leave out browsers, servers (PGlite alone) and the files that take longest
                  (npm run test:fast)
  --slowest       list the files that took longest
  --record        write what each file took to scripts/test-runner/seconds.json, by which they are ordered
  --workers N     test files at once (default: ${WORKERS}, two per processor)
  --help

Without files, every test runs. --unit, --changed and --fast leave out the checks of npm run lint.
npm run test:one FILE compiles and runs one file without them.
Suites about the database itself run on PGlite and PostgreSQL, others on PostgreSQL where it is
installed. ENGINES=all runs each of them on both, ENGINES=pglite or ENGINES=postgres on one.
CLS_REQUIRE_SERVERS=1 fails what would be skipped because a server is not installed.
CLS_COVERAGE=1 prints the coverage.
`;

/** @throws {Error} where a word is not known. */
export function readWords(words) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      grep: { type: 'string', short: 'g' },
      fgrep: { type: 'string', short: 'f' },
      invert: { type: 'boolean', short: 'i' },
      unit: { type: 'boolean' },
      changed: { type: 'boolean' },
      since: { type: 'string' },
      fast: { type: 'boolean' },
      record: { type: 'boolean' },
      slowest: { type: 'boolean' },
      workers: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { grep, fgrep, invert, workers = `${WORKERS}` } = values;
  if (!/^[1-9]\d?$/.test(workers)) throw new Error('--workers: expected a number from 1 to 99');
  const stray = positionals.find((word) => !/\.test\.(ts|m?js)$/.test(word));
  if (stray !== undefined) throw new Error(`${stray} is not a test file (….test.ts)`);
  return {
    files: positionals,
    filter: { ...(grep && { grep }), ...(fgrep && { fgrep }), ...(invert && { invert }) },
    unit: values.unit === true,
    since: values.since ?? (values.changed === true ? 'HEAD' : undefined),
    fast: values.fast === true,
    record: values.record === true,
    slowest: values.slowest === true,
    help: values.help === true,
    workers: Number(workers),
  };
}
