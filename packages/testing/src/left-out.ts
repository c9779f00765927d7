/** What a developer left out of a run of tests, by `ENGINES` and `npm run test:fast`. */

const NAMES = ['pglite', 'postgres'] as const;

/** @throws {Error} where `ENGINES` names something else. */
export function isEngineLeftOut(
  engine: (typeof NAMES)[number],
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const { ENGINES: words = '' } = env;
  if (words === '' || words === 'all') return false;
  const chosen = words.split(',');
  const unknown = chosen.find((word) => !NAMES.some((name) => name === word));
  if (unknown !== undefined) {
    throw new Error(`ENGINES: ${unknown} is not one of all, ${NAMES.join(', ')}`);
  }
  return !chosen.includes(engine);
}

/** Redis, pgbouncer, nginx and browsers. */
export function areServersLeftOut(
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  return env['CLS_TEST_SERVERS'] === '0';
}
