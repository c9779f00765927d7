// The images' HEALTHCHECK, where there is no shell and no curl: `node health-check.mjs [/readyz]`.
const { HEALTH_PORT } = process.env;
const path = process.argv[2] ?? '/livez';
try {
  const answer = await fetch(`http://127.0.0.1:${HEALTH_PORT}${path}`, {
    signal: AbortSignal.timeout(4_000),
  });
  process.stdout.write(`${answer.status} ${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${path} does not answer: ${error.cause?.message ?? error.message}\n`);
  process.exitCode = 1;
}
