import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createConnections, type Server } from 'node:net';
import { startWebhookReceiver, type WebhookReceiver } from '@cls/testing/webhook-receiver';
import { expect } from 'chai';
import type { Resolve } from '../src/http/checked-lookup.ts';
import { listening } from '../src/http/listening.ts';
import { isPublicAddress } from '../src/http/public-address.ts';
import { UnsealFailed } from '../src/seal.ts';
import type { Tracing } from '../src/tracing/tracing.ts';
import {
  type WebhookMessage,
  type WebhookOptions,
  webhookSender,
} from '../src/webhook/webhook-sender.ts';
import { newWebhookSecret, webhookHeaders } from '../src/webhook/webhook-signature.ts';
import { webhookUrl } from '../src/webhook/webhook-target.ts';

const DOCUMENT = { type: 'api_version.retirement', data: { customer: 'bänk' } };
const REFUSED = 'not sent: the host has an address that is not public';

const NOT_PUBLIC = [
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.255', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.168.1.1', '198.18.0.1'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['168.63.129.16', '::', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
  ...['::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  ...['fc00::1', 'fd00:ec2::254', 'ff02::1', '2001::1', '2001:db8::1', '2002:7f00:1::'],
  ...['3fff::1', '100::1', '5f00::1', 'localhost', ''],
];
const PUBLIC = [
  ...['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1'],
  ...['169.253.255.255', '192.167.1.1', '223.255.255.255', '2606:4700:4700::1111', '2a00:1450::1'],
];
/** Spellings of addresses that are not public, and other URLs that no webhook may have. */
const BAD_URLS = [
  ...['http://hooks.bank.example/', 'ftp://hooks.bank.example/', 'file:///etc/passwd', 'hooks'],
  ...['https://user:pass@hooks.bank.example/', 'https://hooks.bank.example/#part'],
  ...['https://127.0.0.1/', 'https://127.1/', 'https://2130706433/', 'https://0x7f000001/'],
  ...['https://0177.0.0.1/', 'https://0/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/'],
  ...[
    'https://[::ffff:a9fe:a9fe]/latest/meta-data',
    'https://169.254.169.254/',
    'https://[fe80::1]/',
  ],
  ...['https://①②⑦.0.0.1/', `https://hooks.bank.example/${'x'.repeat(2_000)}`],
];

describe('the addresses that a webhook may go to', () => {
  it('are those of the public Internet alone', () => {
    expect(NOT_PUBLIC.filter(isPublicAddress)).to.deep.equal([]);
    expect(PUBLIC.filter((address) => !isPublicAddress(address))).to.deep.equal([]);
  });

  for (const url of BAD_URLS) {
    it(`do not include ${url.slice(0, 60)}`, () => {
      expect(() => webhookUrl(url, { allowLoopback: false })).to.throw();
    });
  }

  it('include this machine by http only where a developer allows it', () => {
    const url = 'http://127.0.0.1:8080/hooks';
    expect(webhookUrl(url, { allowLoopback: true }).href).to.equal(url);
    expect(() => webhookUrl(url, { allowLoopback: false })).to.throw('https');
    expect(() => webhookUrl('http://hooks.bank.example', { allowLoopback: true })).to.throw(
      'https',
    );
    expect(() => webhookUrl('https://10.0.0.1', { allowLoopback: true })).to.throw('not public');
  });
});

describe('a webhook', () => {
  const secret = newWebhookSecret();
  let receiver: WebhookReceiver<typeof DOCUMENT>;
  before(async () => {
    receiver = await startWebhookReceiver<typeof DOCUMENT>(() => new Date());
    receiver.secrets.set('/hook', secret);
  });
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.forged.length = 0;
    receiver.answer = () => 204;
  });
  after(() => receiver?.stop());

  const send = (target: string, options: Partial<WebhookOptions<WebhookMessage>> = {}) => {
    const sender = webhookSender({ allowLoopback: true, openSecret: () => secret, ...options });
    const document = JSON.stringify(DOCUMENT);
    return sender({ id: 'ntc_1', target, document }, new Date());
  };
  const byName = (path = '/hook') => `http://localhost:${new URL(receiver.origin).port}${path}`;

  it('is signed so that the library of the specification accepts it', async () => {
    const sent = await send(`${receiver.origin}/hook`);
    expect(sent).to.deep.equal({ outcome: 'delivered', answer: 'HTTP 204' });
    expect(receiver.received[0]?.id).to.equal('ntc_1');
    expect(receiver.received[0]?.document.data.customer).to.equal('bänk');
  });

  it('passes the trace of its sending on', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const spans: string[] = [];
    const tracing = {
      headers: () => ({ traceparent }),
      during: (name: string, work: () => Promise<unknown>) => {
        spans.push(name);
        return work();
      },
    } as unknown as Tracing;
    const asked: IncomingHttpHeaders[] = [];
    const server = createServer(({ headers }, response) => {
      asked.push(headers);
      response.end();
    });
    const port = await listening(server, { host: '127.0.0.1', port: 0 });
    await send(`http://127.0.0.1:${port}/`, { tracing });
    server.close();
    expect(asked[0]?.['traceparent']).to.equal(traceparent);
    expect(spans).to.deep.equal(['webhook']);
  });

  it('has the signature of the specification’s own example', () => {
    const example = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const headers = webhookHeaders(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": 2432232314}',
      example,
      new Date(1_614_265_330_000),
    );
    expect(headers['webhook-signature']).to.equal(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  for (const [status, outcome] of [
    [200, 'delivered'],
    [302, 'later'],
    [307, 'later'],
    [401, 'later'],
    [410, 'refused'],
    [503, 'later'],
  ] as const) {
    it(`answered with ${status} is ${outcome}, and leads nowhere else`, async () => {
      receiver.answer = () => status;
      const sent = await send(`${receiver.origin}/hook`);
      expect(sent).to.deep.equal({ outcome, answer: `HTTP ${status}` });
      expect(receiver.received).to.have.length(status === 200 ? 1 : 0);
      expect(receiver.forged).to.deep.equal([]);
    });
  }

  for (const addresses of [
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['::ffff:127.0.0.1'],
    ['93.184.216.34', '192.168.0.1'],
    ['fd00:ec2::254'],
  ]) {
    it(`is not sent to a name that resolves to ${addresses.join(' and ')}`, async () => {
      const sent = await send('https://hooks.bank.example/', { resolve: async () => addresses });
      expect(sent).to.deep.equal({ outcome: 'later', answer: REFUSED });
    });
  }

  it('is not sent to this machine unless a developer allows it', async () => {
    const strict = { allowLoopback: false };
    const https = await send('https://localhost/hook', {
      ...strict,
      resolve: async () => ['127.0.0.1'],
    });
    expect(https.answer).to.equal(REFUSED);
    expect((await send(byName(), strict)).answer).to.equal('not sent: expected an https URL');
    expect(receiver.received).to.deep.equal([]);
  });

  it('goes to the address that was checked, whatever the name resolves to afterwards', async () => {
    const hello = await listen(
      createConnections((socket) => socket.once('data', () => socket.end())),
    );
    const asked: string[] = [];
    const rebinding: Resolve = async (host) => {
      asked.push(host);
      return asked.length === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
    };
    const heard = new Promise<Buffer>((resolve) =>
      hello.server.once('connection', (socket) => socket.once('data', resolve)),
    );
    await send(`https://hooks.bank.example:${hello.port}/`, { resolve: rebinding });
    // The certificate must be the name's: the connection says that it wants it.
    expect((await heard).toString('latin1')).to.include('hooks.bank.example');
    expect(asked).to.deep.equal(['hooks.bank.example']);
    hello.server.close();
  });

  it('goes to the next address of the name where the first does not answer', async () => {
    const sent = await send(byName(), { resolve: async () => ['::1', '127.0.0.1'] });
    expect(sent).to.deep.equal({ outcome: 'delivered', answer: 'HTTP 204' });
  });

  it('waits no longer than its time, for a name or for an answer', async () => {
    const silent = createServer(() => undefined);
    const { port } = await listen(silent);
    const expected = { outcome: 'later', answer: 'no answer within 0.05 seconds' };
    const hanging = { timeoutMs: 50, resolve: () => new Promise<never>(() => undefined) };
    expect(await send('https://hooks.bank.example/', hanging)).to.deep.equal(expected);
    expect(await send(`http://127.0.0.1:${port}/`, { timeoutMs: 50 })).to.deep.equal(expected);
    silent.closeAllConnections();
    silent.close();
  });

  it('says why it was not sent, without the address', async () => {
    const closed = createServer();
    const { port } = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    expect((await send(`http://127.0.0.1:${port}/`)).answer).to.equal('ECONNREFUSED');
    const unknown = () =>
      Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    expect((await send(byName(), { resolve: unknown })).answer).to.equal('ENOTFOUND');
    expect((await send(byName(), { resolve: async () => [] })).answer).to.include('no address');
  });

  it('is not sent where its secret cannot be opened', async () => {
    const openSecret = () => {
      throw new UnsealFailed('a webhook', 'KEY');
    };
    const sent = await send(`${receiver.origin}/hook`, { openSecret });
    expect(sent.answer).to.equal('not sent: the secret was sealed with another key');
    expect(receiver.received).to.deep.equal([]);
  });
});

async function listen<T extends Server>(server: T): Promise<{ server: T; port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}
