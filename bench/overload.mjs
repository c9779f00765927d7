// What callers see while more arrives than a process can answer: `node bench/overload.mjs`. One
// auth-server on PostgreSQL in a process of its own; callers that each ask again at once. It reports
// answers by status with the time they took, and the time that probes took meanwhile.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { freePort } from '../packages/testing/dist/src/servers.js';

const SECONDS = 10;
const HEALTH_EVERY_MS = 100;

if (process.send === undefined) await measure();
else await serve();

async function serve() {
  const { startTestAuthServer } = await import(
    '../packages/auth-server/dist/test/support/auth-server.js'
  );
  const { postgres } = await import('../packages/testing/dist/src/engines.js');
  const { issuer, client } = await startTestAuthServer(postgres, {
    HEALTH_PORT: process.argv[2],
  });
  process.send({ issuer, client });
}

async function measure() {
  const healthPort = await freePort();
  const child = fork(import.meta.filename, [`${healthPort}`]);
  const [{ issuer, client }] = await once(child, 'message');
  const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
  const token = {
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  };
  await load(issuer, healthPort, token, 8); // Warm.
  for (const [what, ask, callers] of [
    ['service tokens', token, 64],
    ['service tokens', token, 1_000],
    ['service tokens', token, 2_000],
  ]) {
    const { answers, probes } = await load(issuer, healthPort, ask, callers);
    process.stdout.write(`${what}, ${callers} callers\n`);
    for (const [status, times] of [...answers].sort()) report(`  ${status}`, times);
    report('  probe', probes);
  }
  child.disconnect();
  child.kill();
}

async function load(issuer, healthPort, ask, callers) {
  const { port } = new URL(issuer);
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const answers = new Map();
  const probes = [];
  const until = performance.now() + SECONDS * 1_000;
  const going = () => performance.now() < until;
  const health = (async () => {
    while (going()) {
      const [, ms] = await send({ port: healthPort, path: '/livez' });
      probes.push(ms);
      await new Promise((resolve) => setTimeout(resolve, HEALTH_EVERY_MS));
    }
  })();
  const work = Array.from({ length: callers }, async () => {
    while (going()) {
      const { headers, body } = ask;
      const [status, ms, retryAfter] = await send(
        { port, path: '/oauth/token', method: 'POST', headers, agent },
        body,
      );
      if (!answers.has(status)) answers.set(status, []);
      answers.get(status).push(ms);
      // Callers wait as `Retry-After` says, but a twentieth of it: the run is short.
      if (retryAfter) await new Promise((resolve) => setTimeout(resolve, Number(retryAfter) * 50));
    }
  });
  await Promise.all([health, ...work]);
  agent.destroy();
  return { answers, probes };
}

function send(options, body = '') {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', ...options }, (response) => {
      response.resume();
      response.once('end', () =>
        resolve([
          response.statusCode,
          performance.now() - startedMs,
          response.headers['retry-after'],
        ]),
      );
    })
      .once('error', ({ code }) => resolve([code, performance.now() - startedMs]))
      .end(body);
  });
}

function report(title, times) {
  times.sort((a, b) => a - b);
  const at = (share) => `${Math.round(times[Math.floor((times.length - 1) * share)])} ms`;
  const rate = Math.round(times.length / SECONDS);
  process.stdout.write(
    `${title}: ${rate}/s, half within ${at(0.5)}, 99 % within ${at(0.99)}, all within ${at(1)}\n`,
  );
}
