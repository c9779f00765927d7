// A load of keep-alive connections from a process of its own, bounded in time.
import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';

/**
 * Requests per second and latencies of `url` under `connections` at once for `seconds`, and how many
 * requests were `answered`, those to warm up included.
 */
export function load({
  url,
  method = 'GET',
  headers = {},
  body = '',
  status = 200,
  connections = 16,
  seconds = 5,
}) {
  return new Promise((done, failed) => {
    const child = fork(import.meta.filename, ['--load'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.once('message', done);
    child.once('error', failed);
    child.send({ url, method, headers, body, status, connections, seconds });
  });
}

if (process.argv[2] === '--load') {
  process.once('message', async ({ url, method, headers, body, status, connections, seconds }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const once = () =>
      new Promise((done, failed) => {
        const started = performance.now();
        const outgoing = request(url, { method, headers, agent }, (response) => {
          response.resume();
          response.once('end', () => {
            if (response.statusCode !== status) failed(new Error(`status ${response.statusCode}`));
            else done(performance.now() - started);
          });
        });
        outgoing.once('error', failed);
        outgoing.end(body);
      });
    const run = async (durationMs) => {
      const latencies = [];
      const ends = performance.now() + durationMs;
      await Promise.all(
        Array.from({ length: connections }, async () => {
          while (performance.now() < ends) latencies.push(await once());
        }),
      );
      return latencies.sort((a, b) => a - b);
    };
    const warmUp = await run(1_500);
    const latencies = await run(seconds * 1000);
    const at = (part) =>
      Math.round((latencies[Math.floor(latencies.length * part)] ?? 0) * 100) / 100;
    process.send({
      perSecond: Math.round(latencies.length / seconds),
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      answered: warmUp.length + latencies.length,
    });
    agent.destroy();
    process.disconnect();
  });
}
