import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { type HttpService, startHttpService } from '../src/http/http-service.ts';
import { PortUnavailable } from '../src/http/listening.ts';
import { silentLog } from '../src/log.ts';

const OPTIONS = {
  host: '127.0.0.1',
  port: 0,
  drainDelayMs: 0,
  drainTimeoutMs: 5_000,
  trustedProxyHops: 0,
  baseUrl: 'https://cls.test',
  log: silentLog,
};

describe('an HTTP service', () => {
  it('stops without cutting a request, on connections that are never idle', async () => {
    const service = await startHttpService(OPTIONS, () => async (_, response) => {
      await sleep(20);
      response.end('ok');
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const get = () =>
      new Promise<string>((done) => {
        request({ port: service.port, host: '127.0.0.1', agent }, (response) => {
          response.resume();
          response.once('end', () => done('answered'));
          response.once('error', () => done('cut'));
        })
          .once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'error'))
          .end();
      });
    const outcomes: string[] = [];
    let going = true;
    const callers = Array.from({ length: 4 }, async () => {
      while (going) outcomes.push(await get());
    });
    while (outcomes.length <= 8) await sleep(10);
    await service.stop();
    going = false;
    await Promise.all(callers);
    agent.destroy();
    expect(
      outcomes.filter((outcome) => outcome === 'cut' || outcome === 'ECONNRESET'),
    ).to.deep.equal([]);
    expect(outcomes.filter((outcome) => outcome === 'answered').length).to.be.greaterThan(8);
  });

  it('answers connections that came while it was busy, and its time to stop with them', async () => {
    const service = await startHttpService(
      { ...OPTIONS, drainDelayMs: 50 },
      () => (_, response) => {
        response.end('ok');
      },
    );
    const sent = new Int32Array(new SharedArrayBuffer(4));
    // A thread of its own: here nothing connects while the event loop is held up.
    const callers = new Worker(
      `const { connect } = require('node:net');
      const { parentPort, workerData: { port, sent } } = require('node:worker_threads');
      const call = () => {
        let answer = '';
        const socket = connect(port, '127.0.0.1', () =>
          socket.write('POST / HTTP/1.1\\r\\nHost: cls.test\\r\\nContent-Length: 0\\r\\n\\r\\n', () => {
            Atomics.add(sent, 0, 1);
            Atomics.notify(sent, 0);
          }));
        socket.on('data', (data) => { answer += data; });
        socket.once('error', ({ code }) => { answer += code; });
        socket.once('close', () => parentPort.postMessage(answer.slice(0, 15)));
      };
      parentPort.once('message', () => { for (let n = 0; n < 4; n += 1) call(); });`,
      { eval: true, workerData: { port: service.port, sent } },
    );
    await once(callers, 'online');
    const stopped = service.stop();
    callers.postMessage('call');
    const since = performance.now();
    for (let count = 0; count < 4; count = Atomics.load(sent, 0)) Atomics.wait(sent, 0, count);
    Atomics.wait(sent, 0, 4, Math.max(0, 100 - (performance.now() - since)));
    const answers: string[] = [];
    callers.on('message', (answer) => answers.push(answer));
    await stopped;
    while (answers.length < 4) await sleep(5);
    await callers.terminate();
    expect(answers).to.deep.equal(Array(4).fill('HTTP/1.1 200 OK'));
  });

  it('ends each connection with its answer from the moment on that it is to stop', async () => {
    const options = { ...OPTIONS, drainDelayMs: 3_000 };
    const service = await startHttpService(options, () => (_, response) => response.end('ok'));
    const connection = async () => {
      const response = await fetch(`http://127.0.0.1:${service.port}`);
      expect(await response.text()).to.equal('ok');
      return response.headers.get('connection');
    };
    expect(await connection()).to.equal('keep-alive');
    const stopped = service.stop();
    expect(await connection()).to.equal('close');
    await stopped;
  });

  it('stops without waiting for a connection that never sent anything', async () => {
    const options = { ...OPTIONS, drainTimeoutMs: 600_000 };
    const service = await startHttpService(options, () => (_, response) => response.end('ok'));
    const silent = connect(service.port, '127.0.0.1');
    const closed = once(silent, 'close');
    const used = connect(service.port, '127.0.0.1');
    used.write('GET / HTTP/1.1\r\nHost: cls.test\r\n\r\n');
    expect(String(await once(used, 'data'))).to.include('200 OK');
    await service.stop();
    await closed;
    used.destroy();
  });

  it('names a port that is taken', async () => {
    const first = await startHttpService(OPTIONS, () => (_, response) => response.end());
    const second = await startHttpService(
      { ...OPTIONS, port: first.port },
      () => () => undefined,
    ).catch((error: unknown) => error);
    expect(second).to.be.instanceOf(PortUnavailable);
    expect(String(second)).to.include(`port ${first.port} is already in use`);
    await first.stop();
  });

  for (const [hops, header, warnings] of [
    [0, 'x-forwarded-for', 1],
    [0, 'forwarded', 1],
    [0, 'x-request-id', 0],
    [1, 'x-forwarded-for', 0],
  ] as const) {
    it(`that trusts ${hops} proxies warns ${warnings} times of three requests with ${header}`, async () => {
      const lines: string[] = [];
      const log = { ...silentLog, warn: (_: object, text: string) => void lines.push(text) };
      const service = await startHttpService(
        { ...OPTIONS, trustedProxyHops: hops, log },
        () => (_, response) => response.end(),
      );
      for (let n = 0; n < 3; n += 1) {
        await fetch(`http://127.0.0.1:${service.port}`, { headers: { [header]: '203.0.113.1' } });
      }
      await service.stop();
      expect(lines).to.have.length(warnings);
      if (warnings > 0) expect(lines[0]).to.include('TRUSTED_PROXY_HOPS');
    });
  }
});

describe('a request that is not answered by a service', () => {
  let service: HttpService;
  before(async () => {
    service = await startHttpService(OPTIONS, () => (request, response) => {
      request.resume();
      request.once('end', () => response.end('ok'));
    });
  });
  after(() => service.stop());

  /** What comes back on one connection until it ends. */
  const answerTo = async (bytes: string): Promise<string> => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(bytes);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };
  const HOST = 'Host: cls.example\r\n';

  for (const [what, bytes, status, code] of [
    ['a method that does not exist', `FOO / HTTP/1.1\r\n${HOST}\r\n`, 400, 'invalid_request'],
    ['a space in the address', `GET /a b HTTP/1.1\r\n${HOST}\r\n`, 400, 'invalid_request'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
    ['TLS instead of HTTP', '\x16\x03\x01\x02\r\n\r\n', 400, 'invalid_request'],
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`,
      400,
      'invalid_request',
    ],
    [
      'a bad chunk',
      `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
      'invalid_request',
    ],
    ['CONNECT', `CONNECT a:443 HTTP/1.1\r\n${HOST}\r\n`, 400, 'invalid_request'],
    ['an address of 40 KB', `GET /${'a'.repeat(40_000)} HTTP/1.1\r\n${HOST}\r\n`, 431, 'too_large'],
    [
      'headers of 40 KB',
      `GET / HTTP/1.1\r\n${HOST}X: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
      'too_large',
    ],
  ] as const) {
    it(`is answered ${status} ${code} as a problem document: ${what}`, async () => {
      const [head = '', body = ''] = (await answerTo(bytes)).split('\r\n\r\n');
      expect(head).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).to.match(/^Content-Type: application\/problem\+json$/m);
      const problem = JSON.parse(body) as Record<string, unknown>;
      expect(problem).to.include({ status, code, type: `https://cls.test/docs/errors/${code}` });
      expect(problem['requestId']).to.match(/^req_/);
      expect(head).to.include(`X-Request-Id: ${problem['requestId']}`);
    });
  }

  it('leaves requests in a row on one connection as they are', async () => {
    const [good, last] = ['keep-alive', 'close'].map(
      (connection) => `GET / HTTP/1.1\r\n${HOST}Connection: ${connection}\r\n\r\n`,
    );
    const answers = await answerTo(`${good}${good}${last}`);
    expect(answers.match(/HTTP\/1.1 200 /g)).to.have.length(3);
  });

  it('ignores an expectation that nobody knows, and HTTP/1.0 needs no Host', async () => {
    const odd = `GET / HTTP/1.1\r\n${HOST}Expect: bananas\r\nConnection: close\r\n\r\n`;
    expect(await answerTo(odd)).to.match(/^HTTP\/1.1 200 /);
    expect(await answerTo('GET / HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1.1 200 /);
  });

  it('does not write into an answer that has begun', async () => {
    const begun = await startHttpService(OPTIONS, () => (_, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('half');
    });
    const socket = connect(begun.port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
    const received: string[] = [];
    for await (const chunk of socket) {
      received.push(String(chunk));
      if (received.join('').endsWith('half')) socket.write('zz\r\n');
    }
    expect(received.join('')).to.match(/half$/);
    await begun.stop();
  });
});
