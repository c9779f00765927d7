// What it costs to be watched: node bench/observation.mjs
// Nanoseconds of processor time that metrics and traces add to a cached answer, to a request, and to a
// statement.
import { answerRecorder } from '../packages/shared/dist/src/http/request-log.js';
import { silentLog } from '../packages/shared/dist/src/log.js';
import { noMetrics } from '../packages/shared/dist/src/metrics/metrics.js';
import { prometheusMetrics } from '../packages/shared/dist/src/metrics/prometheus.js';
import { observation } from '../packages/shared/dist/src/service/observation.js';
import { openTelemetry } from '../packages/shared/dist/src/tracing/open-telemetry.js';

const TIMES = 50_000;
const route = '/api/v1/cls/balances';
const asked = { method: 'GET', url: route, headers: {}, once: (_, end) => end(), on: () => asked };
const answered = { requestId: 'req_1', method: 'GET', path: route, route, status: 200 };
const statement = async () => [];
const database = { query: statement, execute: statement, transaction: (work) => work({}) };

const rows = [];
// Nobody listens there: spans are made, and dropped when they are to be sent.
process.env.OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1';
for (const [name, metrics, traces] of [
  ['without', noMetrics],
  ['with metrics', prometheusMetrics()],
  ['with traces', noMetrics, () => openTelemetry('bench', '0')],
]) {
  const tracing = traces?.();
  const traced = tracing === undefined ? [] : [tracing.answered];
  const record = answerRecorder(silentLog, metrics, [route], { traced });
  const lookups = metrics.counter({
    ...{ name: 'cls_cache_lookups_total', help: 'x' },
    labels: { cache: ['answers'], result: ['hit', 'miss'] },
  });
  const observed = observation(metrics, tracing);
  const watched = observed.database(database);
  const request = observed.requests(() => record(answered, 0));
  rows.push({
    '': name,
    'cached answer': await nanoseconds(() => {
      record(answered, 0);
      lookups({ cache: 'answers', result: 'hit' });
    }),
    'whole request': await nanoseconds(() => request(asked, asked)),
    statement: await nanoseconds(() => watched.query('SELECT 1')),
  });
}
console.table(rows);
process.exit(0);

/** The best of five runs. */
async function nanoseconds(work) {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run += 1) {
    const before = process.cpuUsage();
    for (let n = 0; n < TIMES; n += 1) await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, ((user + system) * 1_000) / TIMES);
  }
  return Math.round(best);
}
