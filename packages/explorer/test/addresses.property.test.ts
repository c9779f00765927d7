import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Person } from './support/person.ts';
import { FULL, type Services, sharedServices } from './support/services.ts';

const { startGateway } = (await import(
  new URL('../../../../scripts/gateway.mjs', import.meta.url).href
)) as { startGateway: (gateway: Gateway) => Promise<() => Promise<void>> };
interface Gateway {
  readonly port: number;
  readonly upstreamOf: (path: string) => number | undefined;
  readonly pages: number;
  readonly baseUrl: string;
}

const RUNS = 150;
const PATHS = [
  ...['/', '/deals', '/deals/x', '/portfolio', '/changes', '/sign-in', '/callback', '/news'],
  ...['/signed-out', '/assets/x', '/facilities/x', '/deals/x/movements', '/health/live'],
  ...['/account', '/account/sessions', '/oauth/authorize', '/oauth/logout', '/oauth/token'],
  ...['/interaction/x', '/device', '/.well-known/openid-configuration', '/admin/v1/accounts'],
  ...['/api/v1/cls/balances', '/api/v1/cls/deals/x', '/api/v1/cls/facets', '/api/v1/openapi.json'],
  ...['/docs', '/docs/v1/operations/x', '/not-found/x', '/api'],
];
const PIECES = [
  ...[
    '/',
    '//',
    '///',
    '\\',
    '/\\',
    '.',
    '..',
    '/../',
    '/./',
    '%2e%2e',
    '%2f',
    '%5c',
    '%00',
    '%0a',
  ],
  ...[
    '%ff',
    '%',
    '%zz',
    '%c3%28',
    '%ed%a0%80',
    '%F0%9F%92%A9',
    ';',
    ';a=b',
    ':',
    '@',
    '*',
    '[',
    ']',
  ],
  ...[
    '|',
    '^',
    '`',
    '{id}',
    '<b>',
    '"',
    "'",
    '\x85',
    '\xa0',
    '\xff',
    '\xc3\xa9',
    '?',
    '&',
    '=',
    '#',
  ],
  ...['lang=de', '?lang=', '?lang=de&lang=xx', '?return=//x', '?asOf=%00', '?knownAt=9', '?q=%ff'],
  ...['__proto__', 'constructor', 'evil.example', 'x'.repeat(300), 'a/'.repeat(200)],
];
const WHOLE = [
  ...[
    '*',
    '//',
    '//evil.example',
    '//evil.example/..',
    '/\\evil.example',
    '///',
    '/..//x',
    '/%2f/x',
  ],
  ...[
    'http://evil.example/',
    'http://evil.example//x',
    'https://[',
    'http://',
    'http:x',
    'x',
    '?x',
  ],
  ...['ftp://x/', 'javascript:alert(1)', 'http://a:99999/', 'http://%00/', 'http://x', '/\xff\x00'],
  ...[`/${'x'.repeat(15_000)}`, `/${'%00'.repeat(2_000)}`, `/?${'a=b&'.repeat(3_000)}`],
];
const target = fc.oneof(
  fc.constantFrom(...WHOLE),
  fc
    .tuple(
      fc.constantFrom('', ...PATHS),
      fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }),
      fc.constantFrom('', ...PATHS),
    )
    .map(([before, pieces, after]) => `${before}${pieces.join('')}${after}`),
);
const request = fc.record({
  target,
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'PUT'),
  accept: fc.constantFrom('text/html', 'application/json', '*/*'),
});

describe('any address at all', () => {
  let services: Services;
  let person: Person;
  let stopGateway: () => Promise<void>;
  let ports: Readonly<Record<string, number>>;

  before(async () => {
    services = await sharedServices();
    person = await services.person(FULL);
    await person.signIn();
    const portOf = (url: string) => Number(new URL(url).port);
    const auth = portOf(services.auth.issuer);
    const api = portOf(services.api.baseUrl);
    const gateway = await freePort();
    stopGateway = await startGateway({
      port: gateway,
      pages: auth,
      baseUrl: services.auth.issuer,
      upstreamOf: (path) =>
        /^\/(api|docs)(\/|$)/.test(path)
          ? api
          : /^\/(account|oauth|interaction|device|assets|admin|\.well-known)(\/|$)/.test(path)
            ? auth
            : undefined,
    });
    ports = { explorer: portOf(services.url), 'auth-server': auth, 'resource-api': api, gateway };
  });
  after(() => stopGateway());

  /** The bytes as they are: a client would put them right. */
  const send = async (
    port: number,
    { target: address, method, accept }: { target: string; method: string; accept: string },
  ) => {
    const socket = connect(port, '127.0.0.1');
    const cookie = `cls_explorer=${person.cookie('cls_explorer')}`;
    const head = `${method} ${address} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nCookie: ${cookie}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    socket.write(Buffer.from(head, 'latin1'));
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    await once(socket, 'close');
    return /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 'none';
  };

  for (const server of ['explorer', 'auth-server', 'resource-api', 'gateway']) {
    it(`is no fault of the ${server}`, async () => {
      const port = ports[server] ?? 0;
      await fc.assert(
        fc.asyncProperty(request, async (asked) => {
          expect(await send(port, asked)).to.match(/^[234]\d\d$/);
        }),
        { numRuns: RUNS },
      );
    });
  }
});
