// What it costs to be watched: node bench/observation.mjs
// Nanoseconds of processor time that metrics add to a kept answer, to any request, and to a statement.
import { answerRecorder } from '../packages/shared/dist/src/http/request-log.js';
import { silentLog } from '../packages/shared/dist/src/log.js';
import { noMetrics } from '../packages/shared/dist/src/metrics/metrics.js';
import { prometheusMetrics } from '../packages/shared/dist/src/metrics/prometheus.js';
import { observation } from '../packages/shared/dist/src/service/observation.js';

const TIMES = 500_000;
const route = '/api/v1/cls/balances';
const answered = { requestId: 'req_1', method: 'GET', path: route, route, status: 200 };
const statement = async () => [];
const database = { query: statement, execute: statement, transaction: (work) => work({}) };

const rows = [];
for (const [name, metrics] of [
  ['without metrics', noMetrics],
  ['with metrics', prometheusMetrics()],
]) {
  const record = answerRecorder(silentLog, metrics, [route]);
  const lookups = metrics.counter({
    ...{ name: 'cls_cache_lookups_total', help: 'x' },
    labels: { cache: ['answers'], result: ['hit', 'miss'] },
  });
  const watched = observation(metrics).database(database);
  rows.push({
    '': name,
    'kept answer': await nanoseconds(() => {
      record(answered, 0);
      lookups({ cache: 'answers', result: 'hit' });
    }),
    'other request': await nanoseconds(() => record(answered, 0)),
    statement: await nanoseconds(() => watched.query('SELECT 1')),
  });
}
console.table(rows);

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
