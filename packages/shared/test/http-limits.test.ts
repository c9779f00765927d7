import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { readExposition } from '@cls/testing/exposition';
import { freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import { countedLines } from '../src/http/counted-lines.ts';
import { REQUEST_ID_MARK } from '../src/http/early-answers.ts';
import {
  type HttpLimits,
  type HttpService,
  type HttpServiceOptions,
  startHttpService,
} from '../src/http/http-service.ts';
import { silentLog } from '../src/log.ts';
import { type Metrics, noMetrics } from '../src/metrics/metrics.ts';
import { openMetrics } from '../src/service/open-metrics.ts';

const HOST = 'Host: cls.example\r\n';
/** Short enough for a test; nothing here has to be faster than them. */
const SHORT: Partial<HttpLimits> = { headersMs: 300, requestMs: 600, silenceMs: 500, checkMs: 50 };

const running: HttpService[] = [];
const sockets: Socket[] = [];

async function start(
  limits: Partial<HttpLimits>,
  handle: RequestListener,
  warn: typeof silentLog.warn = () => undefined,
  healthPort = 0,
  metrics: Metrics = noMetrics,
  shedding: Pick<HttpServiceOptions, 'overloadPage' | 'findsFullQueue'> = {},
) {
  const service = await startHttpService(
    {
      ...{ host: '127.0.0.1', port: 0, drainDelayMs: 0, drainTimeoutMs: 100, trustedProxyHops: 1 },
      ...{ baseUrl: 'https://cls.test', log: { ...silentLog, warn }, limits, healthPort },
      ...{ metrics, ...shedding },
    },
    () => handle,
  );
  running.push(service);
  return service;
}

async function open({ port }: HttpService): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** All that comes until the server ends the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  if (!socket.destroyed) await once(socket, 'close');
  return text;
}

async function answerOf(socket: Socket): Promise<string> {
  const [chunk] = await once(socket, 'data');
  return String(chunk);
}

describe('an HTTP service and slow or many peers', () => {
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(running.splice(0).map((service) => service.stop()));
  });

  it('ends a connection whose headers come too slowly, with 408', async () => {
    const service = await start(SHORT, (_, response) => response.end());
    const socket = await open(service);
    socket.write(`GET / HTTP/1.1\r\n${HOST}`);
    // A byte from time to time keeps no connection.
    const drip = setInterval(() => socket.write('X: y\r\n'), 40);
    const text = await untilClosed(socket).finally(() => clearInterval(drip));
    expect(text)
      .to.match(/^HTTP\/1\.1 408 /)
      .and.contain('"code":"request_timeout"')
      .and.contain('within 10 seconds, and all of it within 30');
  });

  it('ends a connection on which nothing is ever sent', async () => {
    const service = await start(SHORT, (_, response) => response.end());
    await untilClosed(await open(service));
  });

  it('ends a connection whose body comes too slowly', async () => {
    const service = await start(SHORT, (request, response) => {
      request.resume();
      request.once('end', () => response.end());
    });
    const socket = await open(service);
    socket.write(`POST / HTTP/1.1\r\n${HOST}Content-Length: 10000\r\n\r\n`);
    const drip = setInterval(() => socket.write('x'), 40);
    const text = await untilClosed(socket).finally(() => clearInterval(drip));
    expect(text).to.match(/^HTTP\/1\.1 408 /);
  });

  it('ends the connection of a reader who stopped reading', async () => {
    let closed = false;
    const service = await start(SHORT, (_, response) => {
      response.once('close', () => {
        closed = true;
      });
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', more);
      };
      more();
    });
    const socket = await open(service);
    socket.pause();
    socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    while (!closed) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  /** Writes without an end, and says when its connection is closed. */
  const endless = (onClose: () => void): RequestListener => {
    return (_, response) => {
      response.once('close', onClose);
      const more = () => {
        if (response.destroyed) return;
        while (response.write(Buffer.alloc(65_536)));
        response.once('drain', more);
      };
      more();
    };
  };

  it('resets the connection of a reader who takes a little from time to time', async () => {
    let closed = false;
    const lines: string[] = [];
    const service = await start(
      { readerMs: 300, readerBytesPerS: 1e9 },
      endless(() => {
        closed = true;
      }),
      (_, text) => void lines.push(text),
    );
    const socket = await open(service);
    socket.on('readable', () => undefined);
    socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    while (!closed) {
      socket.read(1_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('SLOW_READER_BYTES_PER_S');
  });

  it('lets a reader take its time who keeps the pace, and an answer that nobody has made yet', async () => {
    let response: ServerResponse | undefined;
    const service = await start({ readerMs: 60, readerBytesPerS: 1 }, (request, made) => {
      if (request.url === '/slow') response = made;
      else endless(() => undefined)(request, made);
    });
    const slow = await open(service);
    slow.write(`GET /slow HTTP/1.1\r\n${HOST}\r\n`);
    const socket = await open(service);
    socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    let bytes = 0;
    for await (const chunk of socket) {
      bytes += (chunk as Buffer).length;
      if (bytes > 50_000_000) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bytes).to.be.above(50_000_000);
    response?.end('made');
    expect(await answerOf(slow)).to.contain('made');
  });

  it('counts what it refuses unread by status, and writes one line, without what was sent', async () => {
    const metrics = await openMetrics(
      { host: '127.0.0.1', port: 0 },
      'test',
      new URL('../../package.json', import.meta.url),
      silentLog,
    );
    const lines: string[] = [];
    const service = await start(
      SHORT,
      (_, response) => response.end(),
      (fields, text) => void lines.push(JSON.stringify([fields, text])),
      0,
      metrics,
    );
    const send = async (text: string) => {
      const socket = await open(service);
      socket.write(text);
      return (await untilClosed(socket)).split(' ')[1];
    };
    expect(await send('hidden-word\r\n\r\n')).to.equal('400');
    expect(await send('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).to.equal('400');
    expect(await send('CONNECT hidden-word:443 HTTP/1.1\r\nHost: x\r\n\r\n')).to.equal('400');
    expect(await send(`GET / HTTP/1.1\r\n${HOST}X: ${'y'.repeat(40_000)}\r\n\r\n`)).to.equal('431');
    expect(await send(`GET /hidden-word HTTP/1.1\r\n`)).to.equal('408');
    for (let n = 0; n < 50; n += 1) await send(`hidden-word-${n}\r\n\r\n`);
    const { value, series } = await readExposition(metrics.port);
    const unreadable = (status: string) => value('cls_unreadable_requests_total', { status });
    expect(['400', '408', '413', '431'].map(unreadable)).to.deep.equal([53, 1, 0, 1]);
    expect(series.filter((one) => one.startsWith('cls_unreadable'))).to.have.length(4);
    await metrics.stop();
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('{"refused":{"400":1}}').and.not.to.contain('hidden-word');
  });

  it('says at the end of a minute how many more there were, and falls silent when nothing comes', async () => {
    const lines: object[] = [];
    const count = countedLines((counts) => void lines.push(counts), 20);
    for (const kind of ['400', '400', '431', '400']) count(kind);
    expect(lines).to.deep.equal([{ 400: 1 }]);
    while (lines.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(lines[1]).to.deep.equal({ 400: 2, 431: 1 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(lines).to.have.length(2);
    count('408');
    expect(lines[2]).to.deep.equal({ 408: 1 });
  });

  it('refuses headers of more than 32 KiB with 431, and goes on serving others', async () => {
    const service = await start({}, (_, response) => response.end('ok'));
    const socket = await open(service);
    socket.write(`GET / HTTP/1.1\r\n${HOST}X: ${'y'.repeat(40_000)}\r\n\r\n`);
    expect(await untilClosed(socket)).to.match(/^HTTP\/1\.1 431 /);
    expect((await fetch(`http://127.0.0.1:${service.port}/`)).status).to.equal(200);
  });

  it('closes connections beyond the limit unread, says so once, and takes others when some end', async () => {
    const lines: string[] = [];
    const warn = (_: object, text: string) => void lines.push(text);
    const service = await start({ connections: 3 }, (_, response) => response.end('ok'), warn);
    const first = await Promise.all([open(service), open(service), open(service)]);
    for (let n = 0; n < 5; n += 1) expect(await untilClosed(await open(service))).to.equal('');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('MAX_CONNECTIONS');
    first[1]?.destroy();
    for (;;) {
      const socket = await open(service);
      socket.write(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
      if ((await untilClosed(socket)).startsWith('HTTP/1.1 200')) break;
    }
  });

  it('refuses requests beyond the limit while the others wait, answers probes, and recovers', async () => {
    const waiting: (() => void)[] = [];
    const overloadPage = () => ({
      headers: { 'Content-Language': 'en' },
      markup: `<p>Übervoll: ${REQUEST_ID_MARK}</p>`,
    });
    const handle: RequestListener = ({ url }, response) => {
      if (url === '/slow') waiting.push(() => response.end('ok'));
      else response.end('ok');
    };
    const service = await start({ requestsAtOnce: 3 }, handle, undefined, 0, noMetrics, {
      overloadPage,
    });
    const slow = await Promise.all([1, 2, 3].map(() => open(service)));
    for (const socket of slow) socket.write(`GET /slow HTTP/1.1\r\n${HOST}\r\n`);
    const answers = Promise.all(slow.map(answerOf));
    const url = `http://127.0.0.1:${service.port}`;
    while (waiting.length < 3) await new Promise((resolve) => setImmediate(resolve));
    for (const method of ['GET', 'POST']) {
      const refused = await fetch(url, { method });
      expect(refused.status).to.equal(503);
      expect(refused.headers.get('retry-after')).to.equal('2');
      expect(refused.headers.get('content-type')).to.equal('application/problem+json');
      expect(await refused.json()).to.include({ code: 'unavailable' });
    }
    for (const accept of ['text/html', 'text/html,application/json', '*/*, text/html']) {
      const page = await fetch(url, { headers: { accept, 'x-request-id': '<mine>' } });
      expect(page.status).to.equal(503);
      expect(page.headers.get('retry-after')).to.equal('2');
      expect(page.headers.get('x-request-id')).to.equal('<mine>');
      expect(page.headers.get('content-language')).to.equal('en');
      expect(await page.text()).to.equal('<p>Übervoll: &lt;mine&gt;</p>');
    }
    const head = await fetch(url, { method: 'HEAD', headers: { accept: 'text/html' } });
    expect([head.status, await head.text()]).to.deep.equal([503, '']);
    const program = await fetch(url, { headers: { accept: 'application/json, text/html' } });
    expect(program.headers.get('content-type')).to.equal('application/problem+json');
    for (const probe of ['/livez', '/readyz']) {
      expect((await fetch(`${url}${probe}`)).status).to.equal(200);
    }
    for (const go of waiting.splice(0)) go();
    expect((await answers).every((text) => text.startsWith('HTTP/1.1 200'))).to.equal(true);
    expect((await fetch(url)).status).to.equal(200);
  });

  it('refuses what would join a full queue, counts it apart, and answers the rest', async () => {
    const metrics = await openMetrics(
      { host: '127.0.0.1', port: 0 },
      'test',
      new URL('../../package.json', import.meta.url),
      silentLog,
    );
    const findsFullQueue = ({ url }: { url?: string | undefined }) => url === '/question';
    const answer: RequestListener = (_, response) => response.end('ok');
    const service = await start({}, answer, undefined, 0, metrics, { findsFullQueue });
    const url = `http://127.0.0.1:${service.port}`;
    const refused = await fetch(`${url}/question`);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '2']);
    expect(await refused.json()).to.include({ code: 'unavailable' });
    expect(await (await fetch(`${url}/kept`)).text()).to.equal('ok');
    const { value } = await readExposition(metrics.port);
    const shed = ['request', 'queue'].map((what) => value('cls_shed_total', { what }));
    expect(shed).to.deep.equal([0, 1]);
    await metrics.stop();
  });

  it('takes the connections of a burst before it works on requests, so that it refuses what is beyond its limit', async () => {
    const [burst, limit] = [150, 10];
    let begun = 0;
    const service = await start({ requestsAtOnce: limit }, (_, response) => {
      begun += 1;
      // Work that keeps the event loop busy.
      const until = performance.now() + 10;
      while (performance.now() < until);
      setTimeout(() => response.end('ok'), 10);
    });
    // Sent from another process: this one is busy while it works.
    const script = `const { connect } = require('node:net');
      const statuses = [];
      for (let n = 0; n < ${burst}; n += 1) {
        const socket = connect(${service.port}, '127.0.0.1');
        socket.write('GET / HTTP/1.1\\r\\nHost: cls.example\\r\\nConnection: close\\r\\n\\r\\n');
        let text = '';
        socket.on('data', (part) => { text += part; });
        socket.on('close', () => {
          statuses.push(text.slice(9, 12));
          if (statuses.length === ${burst}) console.log(JSON.stringify(statuses));
        });
      }`;
    const caller = spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = await once(caller.stdout, 'data');
    const statuses: string[] = JSON.parse(String(text));
    const refused = statuses.filter((status) => status === '503').length;
    expect(statuses.filter((status) => status === '200')).to.have.length(burst - refused);
    expect(begun).to.equal(burst - refused);
    expect(refused, 'of a burst of fifteen times the limit').to.be.above(burst / 2);
  });

  it('answers probes on a port of its own while all connections are taken', async () => {
    const healthPort = await freePort();
    const service = await start(
      { connections: 2 },
      (_, response) => response.end('ok'),
      undefined,
      healthPort,
    );
    await Promise.all([open(service), open(service)]);
    expect(await untilClosed(await open(service))).to.equal('');
    const health = `http://127.0.0.1:${healthPort}`;
    for (const probe of ['/livez', '/readyz']) {
      expect((await fetch(`${health}${probe}`)).status).to.equal(200);
    }
    expect((await fetch(`${health}/oauth/token`, { method: 'POST' })).status).to.equal(404);
    await service.stop();
    const gone = await fetch(`${health}/livez`).catch((error: unknown) => error);
    expect(gone).to.be.instanceOf(TypeError);
  });

  it('counts a request whose caller went away as ended', async () => {
    const begun: unknown[] = [];
    const ended: unknown[] = [];
    const service = await start({ requestsAtOnce: 1 }, (request, response) => {
      if (request.url !== '/slow') {
        response.end('ok');
        return;
      }
      begun.push(0);
      response.once('close', () => ended.push(0));
    });
    const socket = await open(service);
    socket.write(`GET /slow HTTP/1.1\r\n${HOST}\r\n`);
    while (begun.length < 1) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    while (ended.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect((await fetch(`http://127.0.0.1:${service.port}/`)).status).to.equal(200);
  });
});
