import { readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { NOTHING_HERE } from '../../packages/shared/dist/src/http/problem.js';
import { startGateway } from '../gateway.mjs';
import { freePorts } from './platform.mjs';

/** Longer than Node takes of an answer's head without being told. */
const LONG_ADDRESS = `/up?${'x'.repeat(20_000)}`;
const nginx = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');

describe('the gateway', () => {
  let port;
  let upstream;
  let stop;
  before(async () => {
    port = await freePorts();
    upstream = createServer((incoming, outgoing) => {
      const chunks = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => {
        outgoing.setHeader('Set-Cookie', ['a=1', 'b=2']);
        outgoing.setHeader('Connection', 'keep-alive, X-Internal');
        outgoing.setHeader('X-Internal', 'yes');
        if (incoming.url.includes('redirect')) outgoing.setHeader('Location', LONG_ADDRESS);
        const { method, url, headers } = incoming;
        outgoing.end(JSON.stringify({ method, url, headers, body: `${Buffer.concat(chunks)}` }));
      });
    });
    await new Promise((done) => upstream.listen(port + 1, '127.0.0.1', done));
    const ports = new Map([
      ['/up', port + 1],
      ['/down', port + 2],
    ]);
    const upstreamOf = (path) => ports.get(path);
    const baseUrl = 'https://cls.test';
    stop = await startGateway({ port, upstreamOf, pages: port + 1, baseUrl });
  });
  after(async () => {
    await stop();
    upstream.close();
  });

  const send = (path, { headers = {}, body, method = 'POST', agent } = {}) =>
    new Promise((done, failed) => {
      const to = { port, host: '127.0.0.1', path, method, maxHeaderSize: 32_768 };
      const outgoing = request({ ...to, headers, agent }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => done({ response, text }));
      });
      outgoing.once('error', failed);
      outgoing.end(body);
    });

  it('passes method, path, query and body on, and repeated headers back', async () => {
    const { response, text } = await send('/up?a=1&a=2', { body: 'hello' });
    expect(JSON.parse(text)).to.include({ method: 'POST', url: '/up?a=1&a=2', body: 'hello' });
    expect(response.headers['set-cookie']).to.deep.equal(['a=1', 'b=2']);
  });

  it('passes on a body that came in chunks', async () => {
    const headers = { 'transfer-encoding': 'chunked' };
    const { text } = await send('/up', { headers, body: 'in chunks' });
    expect(JSON.parse(text).body).to.equal('in chunks');
  });

  it('speaks HTTP/1.0 without a Host, and answers what is not HTTP as the services do', async () => {
    const answerTo = async (bytes) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(bytes);
      let text = '';
      for await (const chunk of socket) text += chunk;
      return text;
    };
    const [head, body] = (await answerTo('GET /up HTTP/1.0\r\n\r\n')).split('\r\n\r\n');
    expect(head).to.match(/^HTTP\/1.1 200 /);
    expect(JSON.parse(body).headers.host).to.equal('localhost');
    const malformed = await answerTo('FOO /up HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(malformed).to.match(/^HTTP\/1.1 400 /);
    expect(JSON.parse(malformed.split('\r\n\r\n')[1]).code).to.equal('invalid_request');
  });

  it('says itself where a caller comes from, whatever the caller says', async () => {
    const headers = { 'X-Forwarded-For': '6.6.6.6', Forwarded: 'for=6.6.6.6' };
    const { text } = await send('/up', { headers });
    const seen = JSON.parse(text).headers;
    expect(seen['x-forwarded-for']).to.equal('127.0.0.1');
    expect(seen).not.to.have.property('forwarded');
  });

  it('keeps headers that belong to one connection from crossing', async () => {
    const headers = { Connection: 'X-Hop', 'X-Hop': 'secret' };
    const { response, text } = await send('/up', { headers });
    expect(JSON.parse(text).headers).not.to.have.property('x-hop');
    expect(response.headers).not.to.have.property('x-internal');
  });

  it('answers 503 with Retry-After where a service is down', async () => {
    const { response, text } = await send('/down');
    expect(response.statusCode).to.equal(503);
    expect(response.headers['retry-after']).to.equal('2');
    expect(JSON.parse(text)).to.include({ status: 503, code: 'unavailable', instance: '/down' });
  });

  it('answers the next request of a connection whose large body no service took', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const down = await send('/down', { body: 'x'.repeat(3_000_000), agent });
      expect(down.response.statusCode).to.equal(503);
      const { response } = await send('/up', { body: 'hello', agent });
      expect(response.statusCode).to.equal(200);
    } finally {
      agent.destroy();
    }
  });

  it('answers a browser with a page in its language where a service is down', async () => {
    const accept = 'text/html,*/*;q=0.8';
    for (const [language, title] of [
      ['en', 'We cannot do this just now'],
      ['de-AT,de;q=0.9', 'Das ist im Moment nicht möglich'],
    ]) {
      const headers = { accept, 'accept-language': language, 'x-request-id': '<b>' };
      const { response, text } = await send('/down', { method: 'GET', headers });
      expect([response.statusCode, response.headers['retry-after']]).to.deep.equal([503, '2']);
      expect(response.headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(text).to.include(`<h1>${title}</h1>`).and.not.include('<b>');
      expect(text).to.include(`lang="${language.slice(0, 2)}"`);
      expect(nginx, 'nginx says the same').to.include(`"${title}"`);
    }
  });

  it('passes a redirect on that is longer than any address that it takes', async () => {
    const { response } = await send('/up?redirect', { method: 'GET' });
    expect(response.statusCode).to.equal(200);
    expect(response.headers.location).to.equal(LONG_ADDRESS);
  });

  it('refuses a longer address than nginx takes, in the same words', async () => {
    expect((await send(`/up?${'x'.repeat(16_000)}`)).response.statusCode).to.equal(200);
    const { response, text } = await send(`/up?${'x'.repeat(16_384)}`);
    expect(response.statusCode).to.equal(414);
    const { code, title, detail } = JSON.parse(text);
    expect(code).to.equal('too_long');
    expect(nginx).to.include(`"title":"${title}","status":414,"detail":"${detail}"`);
  });

  it('answers 404 where there is no service, in the shape of the services', async () => {
    const headers = { 'x-request-id': 'Root=1-67891233-abcdef' };
    const { response, text } = await send('/elsewhere?a=1', { method: 'GET', headers });
    expect(response.statusCode).to.equal(404);
    expect(response.headers['content-type']).to.equal('application/problem+json');
    expect(response.headers['x-request-id']).to.equal('Root=1-67891233-abcdef');
    expect(JSON.parse(text)).to.deep.equal({
      type: 'https://cls.test/docs/errors/not_found',
      title: NOTHING_HERE.title,
      status: 404,
      detail: NOTHING_HERE.detail,
      instance: '/elsewhere',
      code: 'not_found',
      requestId: 'Root=1-67891233-abcdef',
    });
    const unnamed = await send('/elsewhere', { method: 'GET' });
    const { requestId } = JSON.parse(unnamed.text);
    expect(requestId).to.match(/^req_/);
    expect(unnamed.response.headers['x-request-id']).to.equal(requestId);
  });

  it('has a browser told by a page that there is nothing', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const { text } = await send('/elsewhere?lang=de', { method: 'GET', headers });
    expect(JSON.parse(text).url).to.equal('/not-found/elsewhere?lang=de');
  });
});
