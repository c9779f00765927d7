// What callers see while more arrives than a process can answer: `node bench/overload.mjs [seconds, 8]
// [tokens, questions or pages]`.
// One of each service as in the drills, with PostgreSQL and Redis; callers in four processes of their
// own go to it directly: for tokens, for new questions about balances, and for the explorer's pages
// as a person who is signed in. Each asks again when it was answered, and as `Retry-After` says after a
// refusal. As root, the service under load has a processor before the callers and the databases, as on
// a machine that it does not share with them. Reported: answers by status, the times that callers measured, and with tcpdump (as root)
// those between the packets; what the kernel refused; the time of probes on the health port.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const PROCESSES = 4;
const PROBE_EVERY_MS = 50;
const AS_ROOT = process.getuid?.() === 0;
const REFUSED_PAUSE_MS = 2_000;
/** How many callers, and whether each keeps its connection. */
const LOADS = [
  { callers: 64, keep: true },
  { callers: 400, keep: true, pauseMs: 0 },
  { callers: 2_000, keep: true },
  { callers: 2_000, keep: false },
];

if (process.send === undefined) await measure();
else process.on('message', (message) => void call(message));

async function measure() {
  const seconds = Number(process.argv[2] ?? 8);
  const { startWorld } = await import('../scripts/drills/world.mjs');
  const { Person } = await import('../packages/explorer/dist/test/support/person.js');
  const { freePort } = await import('../packages/testing/dist/src/servers.js');
  const { CAN_CAPTURE, captureWire } = await import('./wire-times.mjs');
  const world = await startWorld({ start: false, env: { CALLER_REQUESTS_AT_ONCE: '0' } });
  await world.migrate();
  await world.createCallers();
  const ports = {};
  for (const name of ['auth-1', 'api-1', 'explorer-1']) {
    ports[name] = { health: await freePort(), metrics: await freePort() };
    const { health, metrics } = ports[name];
    const env = { HEALTH_PORT: `${health}`, METRICS_PORT: `${metrics}`, LOG_LEVEL: 'info' };
    await world.start(name, { env });
  }
  const { clientId, clientSecret } = world.callers.reader;
  const credentials = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
  }).toString();
  const form = 'application/x-www-form-urlencoded';
  const answer = await world.send('/oauth/token', {
    method: 'POST',
    headers: { 'content-type': form },
    body: credentials,
  });
  const { access_token: token } = await answer.json();
  const { email, password } = world.callers.person;
  let cookie;
  const person = new Person(world.explorer, email, password, (url, init) => {
    cookie = init.headers.cookie;
    return world.send(url, init);
  });
  const { url } = await person.signIn('/deals');
  await person.send('/deals');
  const host = new URL(world.issuer).host;
  const kinds = [
    {
      ...{ what: 'tokens', service: 'auth-1', named: '8081', host },
      ...{ method: 'POST', path: '/oauth/token', body: credentials },
      headers: { 'content-type': form },
    },
    {
      ...{ what: 'new questions', service: 'api-1', named: '8082', host, method: 'GET' },
      path: '/api/v1/cls/balances?level=deal&limit=7&asOf=DATE&currency=GBP&minOutstanding=NUMBER',
      headers: { authorization: `Bearer ${token}` },
    },
    {
      ...{ what: 'pages of the explorer', service: 'explorer-1', named: '8083', method: 'GET' },
      host: new URL(world.explorer).host,
      path: `/deals?asOf=DATE&knownAt=${url.searchParams.get('knownAt')}`,
      headers: { accept: 'text/html', cookie },
    },
  ];
  const children = Array.from({ length: PROCESSES }, () => fork(import.meta.filename));
  if (!CAN_CAPTURE) console.log('without tcpdump, or not as root: no times between the packets');
  for (const kind of kinds.filter(({ what }) => what.includes(process.argv[3] ?? ''))) {
    for (const load of LOADS) {
      const target = { ...kind, port: world.ports[kind.named], seconds };
      const { health, metrics } = ports[kind.service];
      const refused = refusedAt((await readMetrics(metrics)).text); // Its event loop until now is not of this load.
      const { pid } = world.childOf(kind.service);
      if (AS_ROOT) setPriority(pid, -15);
      const kernel = { ...kernelCounts(), ...schedulerMs(pid) };
      const wire = CAN_CAPTURE ? await captureWire(target.port) : undefined;
      const probing = probe(health, seconds);
      const parts = await Promise.all(children.map((child) => loadOf(child, { ...target, load })));
      const probes = await probing;
      const seen = await wire?.();
      report(kind, load, seconds, {
        ...{ parts, probes, seen },
        kernel: differences(kernel, { ...kernelCounts(), ...schedulerMs(pid) }),
        ...(await readMetrics(metrics).then(({ text, lagMs }) => ({
          ...{ lagMs, refused: differences(refused, refusedAt(text)) },
        }))),
      });
      await sleep(1_000);
    }
  }
  for (const child of children) child.kill();
  await world.close();
  process.exit(0);
}

async function loadOf(child, message) {
  child.send(message);
  const [answers] = await once(child, 'message');
  return answers;
}

/** Answers by status: milliseconds, from the wish to send to the end of the answer. */
async function call({ port, host, method, path, headers, body = '', seconds, load }) {
  const { callers, keep, pauseMs = REFUSED_PAUSE_MS } = load;
  const answers = {};
  const until = performance.now() + seconds * 1_000;
  const lines = [
    ...Object.entries({
      ...{ host, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https', ...headers },
      connection: keep ? 'keep-alive' : 'close',
      ...(method === 'POST' && { 'content-length': Buffer.byteLength(body) }),
    }),
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  const text = () =>
    `${method} ${path.replace('DATE', someDate()).replace('NUMBER', someNumber())} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  const one = async () => {
    let socket;
    await sleep(Math.random() * 200); // Not all in one instant.
    while (performance.now() < until) {
      const startedMs = performance.now();
      if (socket === undefined || socket.destroyed) {
        socket = connect(port, '127.0.0.1').on('error', () => undefined);
        socket.setNoDelay(true);
      }
      const status = await exchange(socket, text(), keep);
      add(answers, status, performance.now() - startedMs);
      if (status !== '200' && pauseMs > 0) await sleep(pauseMs);
    }
    socket?.destroy();
  };
  await Promise.all(Array.from({ length: callers / PROCESSES }, one));
  process.send(answers);
}

/** @returns the status of the answer, once all of it is there; `cut` where there is none */
function exchange(socket, text, keep) {
  return new Promise((resolve) => {
    let got = '';
    const done = (status) => {
      socket.off('data', onData);
      socket.off('close', onClose);
      if (!keep) socket.destroy();
      resolve(status);
    };
    const onClose = () => done(got.slice(9, 12) || 'cut');
    const onData = (part) => {
      got += part.toString('latin1');
      const head = got.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = /\ncontent-length: (\d+)/i.exec(got.slice(0, head))?.[1];
      const whole =
        length === undefined ? got.endsWith('0\r\n\r\n') : got.length >= head + 4 + Number(length);
      if (whole) done(got.slice(9, 12));
    };
    socket.on('data', onData);
    socket.once('close', onClose);
    socket.write(text);
  });
}

/** Within the dates of the book. */
function someDate() {
  const day = new Date(Date.UTC(2024, 2, 1) + Math.floor(Math.random() * 600) * 86_400_000);
  return day.toISOString().slice(0, 10);
}

/** So that no answer is kept. */
function someNumber() {
  return `${1 + Math.floor(Math.random() * 1e6)}.00`;
}

function add(times, status, ms) {
  times[status] ??= [];
  times[status].push(ms);
}

async function probe(port, seconds) {
  const until = performance.now() + seconds * 1_000;
  const times = {};
  while (performance.now() < until) {
    const startedMs = performance.now();
    const status = await new Promise((resolve) => {
      request({ host: '127.0.0.1', port, path: '/livez' }, (response) => {
        response.resume().once('end', () => resolve(`${response.statusCode}`));
      })
        .once('error', ({ code }) => resolve(code))
        .end();
    });
    add(times, status, performance.now() - startedMs);
    await sleep(PROBE_EVERY_MS);
  }
  return times;
}

/** With the longest wait for the event loop since the last time they were read. */
async function readMetrics(port) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lag = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1];
  return { text, lagMs: Math.round(1_000 * Number(lag)) };
}

/** At the limit of requests, because of a full queue, and later than that. */
function refusedAt(text) {
  const sum = (pattern) =>
    [...text.matchAll(pattern)].reduce((all, [, value]) => all + Number(value), 0);
  return {
    atLimit: sum(/^cls_shed_total\{.*what="request".*\} (\d+)/gm),
    atQueue: sum(/^cls_shed_total\{.*what="queue".*\} (\d+)/gm),
    later: sum(/^cls_http_requests_total\{.*status="503".*\} (\d+)/gm),
  };
}

/** As `nstat -az TcpExtListenOverflows TcpExtListenDrops` shows them, of the whole machine. */
function kernelCounts() {
  const [names, values] = readFileSync('/proc/net/netstat', 'utf8').split('\n');
  const all = values.split(' ');
  const at = (name) => Number(all[names.split(' ').indexOf(name)]);
  return { ListenOverflows: at('ListenOverflows'), ListenDrops: at('ListenDrops') };
}

/** Of the main thread: how long it ran, and how long it could have run and others had the processors. */
function schedulerMs(pid) {
  const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return { ranMs: Math.round(ran / 1e6), waitedForProcessorMs: Math.round(waited / 1e6) };
}

function differences(before, after) {
  return Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
}

function report(
  { what },
  { callers, keep },
  seconds,
  { parts, probes, seen, lagMs, kernel, refused },
) {
  console.log(`${what}, ${callers} callers, ${keep ? 'connections kept' : 'a connection each'}`);
  const statuses = new Set(parts.flatMap((part) => Object.keys(part)));
  for (const status of [...statuses].sort()) {
    const times = parts.flatMap((part) => part[status] ?? []);
    console.log(`  ${status}: ${Math.round(times.length / seconds)}/s, callers: ${summary(times)}`);
    const wire = seen?.answers.get(status);
    if (wire !== undefined) console.log(`  ${status}: packets: ${summary(wire)}`);
  }
  for (const [status, times] of Object.entries(probes))
    console.log(`  probes ${status}: ${summary(times)}`);
  const { resets, repeated, lost } = seen ?? {};
  console.log(
    `  ${JSON.stringify({ eventLoopMaxMs: lagMs, ...kernel, ...refused, resets, repeated, lost })}`,
  );
}

function summary(times) {
  times.sort((a, b) => a - b);
  const at = (share) => `${Math.round(times[Math.floor((times.length - 1) * share)])} ms`;
  const soon = times.filter((ms) => ms < 1_000).length;
  const share = `${((100 * soon) / times.length).toFixed(2)} % within 1 s`;
  return `half ${at(0.5)}, 99 % ${at(0.99)}, all ${at(1)}; ${share} (of ${times.length})`;
}
