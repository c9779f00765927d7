// What callers see while more arrives than can be answered: `node bench/overload.mjs [seconds, 8]
// [tokens, questions, pages or all] [1 or 2 replicas behind nginx]`.
// One of each service as in the drills, with PostgreSQL and Redis; callers in four processes of their
// own go to it directly: for tokens, for new questions about balances, and for the explorer's pages
// as a person who is signed in. Each asks again when it was answered, and as `Retry-After` says after a
// refusal. With a number of replicas, callers go through deploy/nginx.conf and nginx.explorer.conf over
// TLS, each load first without the limits of those files, then with them; connections that are kept
// are there before the load begins. As root, nginx and the service under load have a processor before
// the callers and the databases, as on a machine that they do not share with them. Reported: answers by
// status, the times that callers measured, and with tcpdump (as root) those between the packets; what
// the kernel refused; the time of probes on the health port.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

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
/** A handshake takes a caller more than an answer takes a service: also without, to overload the services. */
const LOADS_OF_NGINX = [
  ...LOADS.map((load) => ({ ...load, tls: true })),
  { callers: 2_000, keep: false, tls: false },
];

/** In a process of callers: connections that are kept. */
let kept = [];

if (process.send === undefined) await measure();
else process.on('message', ({ step, ...load }) => void { prepare, call }[step](load));

async function measure() {
  const seconds = Number(process.argv[2] ?? 8);
  const { startWorld } = await import('../scripts/drills/world.mjs');
  const { Person } = await import('../packages/explorer/dist/test/support/person.js');
  const { freePort } = await import('../packages/testing/dist/src/servers.js');
  const { CAN_CAPTURE, captureWire } = await import('./wire-times.mjs');
  const replicas = Number(process.argv[4] ?? 0);
  const world = await startWorld({ start: false, env: { CALLER_REQUESTS_AT_ONCE: '0' } });
  await world.migrate();
  await world.createCallers();
  const ports = {};
  for (const service of ['auth', 'api', 'explorer']) {
    for (let n = 1; n <= Math.max(1, replicas); n += 1) {
      const [health, metrics] = [await freePort(), await freePort()];
      ports[`${service}-${n}`] = { health, metrics };
      const env = { HEALTH_PORT: `${health}`, METRICS_PORT: `${metrics}`, LOG_LEVEL: 'info' };
      await world.start(`${service}-${n}`, { env });
    }
  }
  const ways = replicas === 0 ? [{}] : await startBoth(world, replicas);
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
      ...{ what: 'tokens', service: 'auth', named: '8081', host },
      ...{ method: 'POST', path: '/oauth/token', body: credentials },
      headers: { 'content-type': form },
    },
    {
      ...{ what: 'new questions', service: 'api', named: '8082', host, method: 'GET' },
      path: '/api/v1/cls/balances?level=deal&limit=7&asOf=DATE&currency=GBP&minOutstanding=NUMBER',
      headers: { authorization: `Bearer ${token}` },
    },
    {
      ...{ what: 'pages of the explorer', service: 'explorer', named: '8083', method: 'GET' },
      host: new URL(world.explorer).host,
      path: `/deals?asOf=DATE&knownAt=${url.searchParams.get('knownAt')}`,
      headers: { accept: 'text/html', cookie },
    },
  ];
  const children = Array.from({ length: PROCESSES }, () => fork(import.meta.filename));
  if (!CAN_CAPTURE) console.log('without tcpdump, or not as root: no times between the packets');
  const asked = process.argv[3] ?? 'all';
  for (const kind of kinds.filter(({ what }) => asked === 'all' || what.includes(asked))) {
    const names = Object.keys(ports).filter((name) => name.startsWith(kind.service));
    const pids = names.map((name) => world.childOf(name).pid);
    const nginxPids = ways.flatMap(({ pid }) => pid ?? []);
    if (AS_ROOT) for (const pid of [...pids, ...nginxPids]) setPriority(pid, -15);
    for (const load of replicas === 0 ? LOADS : LOADS_OF_NGINX) {
      for (const { way, plain = world.ports[kind.named], secure } of ways) {
        const { tls = false } = load;
        const port = tls ? secure : plain;
        const target = { ...kind, port, seconds, load };
        await toAll(children, { step: 'prepare', ...target });
        const before = await readAll(names, pids, ports);
        const wire = CAN_CAPTURE ? await captureWire(port, tls) : undefined;
        const probing = probe(ports[names[0]].health, seconds);
        const meanUnderWay = underWayOnAverage(names, ports, seconds);
        const parts = await toAll(children, { step: 'call', ...target });
        const probes = await probing;
        const seen = await wire?.();
        if (tls && seen !== undefined) seen.answers = byStatus(seen.answers, parts);
        const underWay = await meanUnderWay;
        const { lagMs, counts } = await readAll(names, pids, ports);
        const changed = { underWay, ...differences(before.counts, counts) };
        report({ ...kind, way }, load, seconds, { parts, probes, seen, lagMs, changed });
        await sleep(1_000);
      }
    }
  }
  for (const child of children) child.kill();
  await world.close();
  process.exit(0);
}

/** nginx as it is shipped, in front of the replicas that run: without its limits, and with them. */
async function startBoth(world, replicas) {
  const { startNginxOfBoth } = await import('../scripts/drills/nginx.mjs');
  const { freePort } = await import('../packages/testing/dist/src/servers.js');
  const ways = [];
  for (const way of ['without limits', 'with limits']) {
    const folder = join(world.folder, way.replace(' ', '-'));
    mkdirSync(folder);
    const [plain, secure] = [await freePort(), await freePort()];
    const ports = { ...world.ports, 80: await freePort(), 443: secure };
    const { child } = startNginxOfBoth(folder, ports, (text) => {
      const open = text.replace('listen 443', `listen 127.0.0.1:${plain};\nlisten 443`);
      const there = replicas === 1 ? open.replaceAll(/ +server 127.0.0.1:81.*\n/g, '') : open;
      return way === 'with limits' ? there : there.replaceAll(/ max_conns=\d+/g, '');
    });
    ways.push({ way, pid: child.pid, plain, secure });
  }
  return ways;
}

/** @returns what each child answers */
function toAll(children, message) {
  return Promise.all(
    children.map(async (child) => {
      child.send(message);
      const [answer] = await once(child, 'message');
      return answer;
    }),
  );
}

/** What the replicas and the kernel counted so far, and the longest wait for an event loop since the last time. */
async function readAll(names, pids, ports) {
  const read = await Promise.all(names.map((name) => readMetrics(ports[name].metrics)));
  const counts = kernelCounts();
  for (const part of [...read.map(({ text }) => refusedAt(text)), ...pids.map(schedulerMs)]) {
    for (const [name, value] of Object.entries(part)) counts[name] = (counts[name] ?? 0) + value;
  }
  return { lagMs: Math.max(...read.map(({ lagMs }) => lagMs)), counts };
}

/** Of each replica, while callers ask: what the metric shows when it is read now and then. */
async function underWayOnAverage(names, ports, seconds) {
  const samples = [];
  for (let n = 1; n < seconds; n += 1) {
    await sleep(1_000);
    for (const name of names) {
      const { text } = await readMetrics(ports[name].metrics);
      samples.push(Number(/^cls_requests_under_way (\S+)/m.exec(text)?.[1]));
    }
  }
  return Math.round(samples.reduce((sum, one) => sum + one, 0) / samples.length);
}

/** Times of the packets, which are by port, by the statuses that the callers read there. */
function byStatus(times, parts) {
  const answers = {};
  for (const { ports } of parts) {
    for (const [port, statuses] of Object.entries(ports)) {
      // The last packets of a capture can be missing.
      for (const [n, ms] of (times.get(Number(port)) ?? []).entries()) {
        if (n < statuses.length) add(answers, statuses[n], ms);
      }
    }
  }
  return new Map(Object.entries(answers));
}

/** Makes the connections that a load keeps. */
async function prepare({ port, load: { callers, keep, tls } }) {
  kept = [];
  for (let n = 0; tls && keep && n < callers / PROCESSES; n += 1) {
    const socket = open(port, tls);
    kept.push(socket);
    await once(socket, 'secureConnect');
  }
  process.send('ready');
}

function open(port, tls) {
  const to = { port, host: '127.0.0.1' };
  // What is in the records of TLS 1.3 cannot be seen from outside. The certificate is its own.
  const socket = tls
    ? connectTls({ ...to, maxVersion: 'TLSv1.2', rejectUnauthorized: false })
    : connect(to);
  socket.setNoDelay(true);
  return socket.on('error', () => undefined);
}

/**
 * Sends `times`, milliseconds by status, from the wish to send to the end of the answer; and `ports`,
 * the statuses in their order by the callers' ports.
 */
async function call({ port, host, method, path, headers, body = '', seconds, load }) {
  const { callers, keep, tls, pauseMs = REFUSED_PAUSE_MS } = load;
  const times = {};
  const ports = {};
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
    let socket = kept.pop();
    await sleep(Math.random() * 200); // Not all in one instant.
    while (performance.now() < until) {
      const startedMs = performance.now();
      if (socket === undefined || socket.destroyed) {
        socket = open(port, tls);
      }
      const { status, localPort } = await exchange(socket, text(), keep);
      add(times, status, performance.now() - startedMs);
      if (status !== 'cut') add(ports, localPort, status);
      if (status !== '200' && pauseMs > 0) await sleep(pauseMs);
    }
    socket?.destroy();
  };
  await Promise.all(Array.from({ length: callers / PROCESSES }, one));
  process.send({ times, ports });
}

/** @returns the status of the answer, once all of it is there, or `cut` where there is none; the caller's port */
function exchange(socket, text, keep) {
  return new Promise((resolve) => {
    let got = '';
    const done = (status) => {
      socket.off('data', onData);
      socket.off('close', onClose);
      const { localPort } = socket;
      if (!keep) socket.destroy();
      resolve({ status, localPort });
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
  { what, way },
  { callers, keep, tls },
  seconds,
  { parts, probes, seen, lagMs, changed },
) {
  const through = way === undefined ? '' : `, ${tls ? 'TLS' : 'no TLS'}, nginx ${way}`;
  console.log(
    `${what}, ${callers} callers, ${keep ? 'connections kept' : 'a connection each'}${through}`,
  );
  const statuses = new Set(parts.flatMap(({ times }) => Object.keys(times)));
  for (const status of [...statuses].sort()) {
    const times = parts.flatMap(({ times: part }) => part[status] ?? []);
    console.log(`  ${status}: ${Math.round(times.length / seconds)}/s, callers: ${summary(times)}`);
    const wire = seen?.answers.get(status);
    if (wire !== undefined) console.log(`  ${status}: packets: ${summary(wire)}`);
  }
  for (const [status, times] of Object.entries(probes))
    console.log(`  probes ${status}: ${summary(times)}`);
  const { resets, repeated, lost } = seen ?? {};
  console.log(`  ${JSON.stringify({ eventLoopMaxMs: lagMs, ...changed, resets, repeated, lost })}`);
}

function summary(times) {
  times.sort((a, b) => a - b);
  const at = (share) => `${Math.round(times[Math.floor((times.length - 1) * share)])} ms`;
  const soon = times.filter((ms) => ms < 1_000).length;
  const share = `${((100 * soon) / times.length).toFixed(2)} % within 1 s`;
  return `half ${at(0.5)}, 99 % ${at(0.99)}, all ${at(1)}; ${share} (of ${times.length})`;
}
