import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { ADMIN_PERMISSION, type Permission } from '@cls/shared/access-token';
import { type Log, silentLog } from '@cls/shared/log';
import { openDatabase, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { type FailingDatabase, failingDatabase } from '@cls/testing/failing-database';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { newClientSecret } from '../src/clients/client-secret.ts';
import { type AuthServer, startAuthServer } from '../src/compose.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { basic, claimsOf, createCallers, testConfig, VIEW } from './support/auth-server.ts';
import { serviceAccountRecords } from './support/client-records.ts';

const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';
/** It could be one. */
const WRONG = newClientSecret().expose();
const UNKNOWN = `svc_${'0'.repeat(26)}`;

interface Case {
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly method?: string;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Observed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly token?: {
    readonly header: unknown;
    readonly claims: unknown;
    readonly members: unknown;
  };
  readonly lines: readonly Record<string, unknown>[];
  readonly events: readonly unknown[];
}

describeOnDatabase('a service account’s token, by the short way and by the long one', (engine) => {
  let server: AuthServer;
  let database: Database;
  let store: FailingDatabase;
  let issuer: string;
  let client: { readonly id: string; readonly secret: string };
  let disabled: { readonly id: string; readonly secret: string };
  let administrator: { readonly id: string; readonly secret: string };
  let guessedAt: { readonly id: string };
  const lines: Record<string, unknown>[] = [];
  const collect =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, message, ...fields });
  const log: Log = {
    ...silentLog,
    info: collect('info'),
    warn: collect('warn'),
    error: collect('error'),
  };

  before(async () => {
    const location = await engine.createLocation(MIGRATIONS);
    const config = await testConfig(location);
    ({ issuer } = config);
    server = await startAuthServer(config, log, async (...words) => {
      store = failingDatabase(await openDatabase(...words));
      return store.database;
    });
    database = await openDatabaseAsOperator(location, 'test', silentLog);
    ({ client } = await createCallers(database));
    const records = serviceAccountRecords(database);
    const create = async (name: string, ...permissions: readonly Permission[]) => {
      const { id, secret } = await records.create({ name, customer: 'india', permissions });
      return { id, secret: secret.expose() };
    };
    disabled = await create('Disabled', VIEW);
    await records.setDisabled(disabled.id, true);
    administrator = await create('Administrator', VIEW, ADMIN_PERMISSION);
    guessedAt = await create('Guessed at', VIEW);
  });
  after(async () => {
    await database?.close();
    await server?.stop();
  });

  const ours = () => basic(client.id, client.secret);
  const scope = () => encodeURIComponent(`${issuer}/auth/cls-deal.view`);

  let requests = 0;

  /** An expectation that nobody knows is ignored (RFC 9110 §10.1.1), and is not ordinary. */
  const answer = ({ body, headers = {}, method = 'POST' }: Case, way: 'short' | 'long') => {
    requests += 1;
    const ofTheWay = way === 'long' ? { expect: 'the long way' } : {};
    const all = { 'x-request-id': `case-${requests}`, ...headers, ...ofTheWay };
    return send(`${issuer}/oauth/token`, method, defined(all), body);
  };

  const observed = async ({ status, headers, text }: Answer): Promise<Observed> => {
    // A token is a few bytes longer where its place in the list has more digits.
    const { date: _, 'content-length': length, 'x-request-id': id = '', ...kept } = headers;
    expect(Number(length)).to.equal(text.length);
    const events = await eventually(async () => {
      const found = await database.query<Record<string, unknown>>(
        `SELECT type, subject, client_id, address, reason, browser, system, about
         FROM audit_event WHERE request_id = $1`,
        [id],
      );
      if (status !== 405 && found.length === 0) throw new Error('not stored yet');
      return found;
    });
    const own = lines.filter(({ requestId }) => requestId === id);
    return {
      status,
      headers: kept,
      ...answerOf(text),
      lines: own.map(({ requestId: __, durationMs, ...line }) => {
        // A member without a value is not in the line.
        return JSON.parse(JSON.stringify({ ...line, timed: typeof durationMs === 'number' }));
      }),
      events,
    };
  };

  const both = async (asked: Case): Promise<Observed> => {
    const answers = [await answer(asked, 'short'), await answer(asked, 'long')];
    const [short, long] = await Promise.all(answers.map(observed));
    expect(short).to.deep.equal(long);
    return short as Observed;
  };

  it('is the same for an ordinary request, with its claims, event and line', async () => {
    const { status, token, events, lines: own } = await both({ body: GRANT, headers: ours() });
    expect(status).to.equal(200);
    expect(token?.claims).to.include({ sub: client.id, customer: 'india' });
    expect(events).to.have.length(1);
    expect(events[0]).to.include({ type: 'token.issued', client_id: client.id });
    expect(own).to.deep.equal([
      {
        level: 'info',
        message: 'request answered',
        method: 'POST',
        path: '/oauth/token',
        status: 200,
        timed: true,
      },
    ]);
  });

  const good: Record<string, () => Case> = {
    'with the secret in the form': () => ({
      body: `${GRANT}&client_id=${client.id}&client_secret=${client.secret}`,
      headers: { 'content-type': FORM },
    }),
    'with a scope': () => ({ body: `${GRANT}&scope=${scope()}`, headers: ours() }),
    'for the administrators’ API': () => ({
      body: `${GRANT}&scope=${issuer}/auth/${ADMIN_PERMISSION}`,
      headers: basic(administrator.id, administrator.secret),
    }),
    'of a caller that has more scopes elsewhere': () => ({
      body: GRANT,
      headers: basic(administrator.id, administrator.secret),
    }),
    'with a scope twice': () => ({ body: `${GRANT}&scope=${scope()}+${scope()}`, headers: ours() }),
    'with spaces around and between scopes': () => ({
      body: `${GRANT}&scope=+${scope()}++${scope()}+`,
      headers: ours(),
    }),
    'with an empty scope': () => ({ body: `${GRANT}&scope=`, headers: ours() }),
    'with its resource': () => ({
      body: `${GRANT}&resource=${encodeURIComponent(`${issuer}/api`)}`,
      headers: ours(),
    }),
    'with a parameter that nobody knows': () => ({ body: `${GRANT}&audience=x`, headers: ours() }),
    'with its own id beside HTTP Basic': () => ({
      body: `${GRANT}&client_id=${client.id}`,
      headers: ours(),
    }),
    'in UTF-8 by name': () => ({
      body: GRANT,
      headers: { ...ours(), 'content-type': `${FORM}; charset=UTF-8` },
    }),
    'with basic in lower case': () => ({
      body: GRANT,
      headers: { ...ours(), authorization: ours()['authorization']?.replace('Basic', 'basic') },
    }),
    'with Basic that is not padded': () => ({
      body: GRANT,
      headers: { ...ours(), authorization: ours()['authorization']?.replace(/=+$/, '') },
    }),
    'with an id that is escaped as in a form': () => ({
      body: GRANT,
      headers: basic(client.id.replace('s', '%73'), client.secret),
    }),
    'as JSON': () => ({
      body: JSON.stringify({ client_id: client.id, client_secret: client.secret }),
      headers: { 'content-type': 'application/json' },
    }),
    'for a browser’s Accept': () => ({ body: GRANT, headers: { ...ours(), accept: 'text/html' } }),
    'in chunks': () => ({
      body: GRANT,
      headers: { ...ours(), 'transfer-encoding': 'chunked' },
    }),
    'with a page of this origin': () => ({ body: GRANT, headers: { ...ours(), origin: issuer } }),
    'with cookies and a forwarded address': () => ({
      body: GRANT,
      headers: { ...ours(), cookie: 'cls_session=x', 'x-forwarded-for': '192.0.2.1' },
    }),
  };
  it('is the same for what is ordinary or nearly so', async () => {
    await Promise.all(
      Object.entries(good).map(async ([name, asked]) => {
        expect((await both(asked())).status, name).to.equal(200);
      }),
    );
  });

  const refused: Record<string, [asked: () => Case, status: number]> = {
    'a wrong secret': [() => ({ body: GRANT, headers: basic(client.id, WRONG) }), 401],
    'a wrong secret in the form': [
      () => ({
        body: `${GRANT}&client_id=${client.id}&client_secret=${WRONG}`,
        headers: { 'content-type': FORM },
      }),
      401,
    ],
    'an unknown client': [() => ({ body: GRANT, headers: basic(UNKNOWN, WRONG) }), 401],
    'an id that is none': [() => ({ body: GRANT, headers: basic('somebody', WRONG) }), 401],
    'a disabled client': [
      () => ({ body: GRANT, headers: basic(disabled.id, disabled.secret) }),
      401,
    ],
    'a scope that was not granted': [
      () => ({ body: `${GRANT}&scope=${issuer}/auth/external-api.fullcontrol`, headers: ours() }),
      400,
    ],
    'a scope of the administrators’ API': [
      () => ({ body: `${GRANT}&scope=${issuer}/auth/${ADMIN_PERMISSION}`, headers: ours() }),
      400,
    ],
    'scopes of two APIs': [
      () => ({
        body: `${GRANT}&scope=${scope()}+${issuer}/auth/${ADMIN_PERMISSION}`,
        headers: basic(administrator.id, administrator.secret),
      }),
      400,
    ],
    'an unknown scope': [() => ({ body: `${GRANT}&scope=x`, headers: ours() }), 400],
    'a scope with a character that it may not have': [
      () => ({ body: `${GRANT}&scope=%22`, headers: ours() }),
      400,
    ],
    'two scopes': [
      () => ({ body: `${GRANT}&scope=${scope()}&scope=${scope()}`, headers: ours() }),
      400,
    ],
    'an unknown resource': [
      () => ({ body: `${GRANT}&resource=https%3A%2F%2Fx.example`, headers: ours() }),
      400,
    ],
    'a grant twice': [() => ({ body: `${GRANT}&${GRANT}`, headers: ours() }), 400],
    'another grant': [() => ({ body: 'grant_type=refresh_token', headers: ours() }), 400],
    'an unknown grant': [() => ({ body: 'grant_type=x', headers: ours() }), 400],
    'no grant': [() => ({ body: 'scope=x', headers: ours() }), 400],
    'a grant whose name is nearly right': [
      () => ({ body: 'grant_type=client_credentials%20', headers: ours() }),
      400,
    ],
    'no client': [() => ({ body: GRANT, headers: { 'content-type': FORM } }), 400],
    'an id alone': [
      () => ({ body: `${GRANT}&client_id=${client.id}`, headers: { 'content-type': FORM } }),
      401,
    ],
    'a secret alone': [
      () => ({ body: `${GRANT}&client_secret=x`, headers: { 'content-type': FORM } }),
      400,
    ],
    'two ways of authentication': [
      () => ({
        body: `${GRANT}&client_id=${client.id}&client_secret=${client.secret}`,
        headers: ours(),
      }),
      400,
    ],
    'another id than that of HTTP Basic': [
      () => ({ body: `${GRANT}&client_id=${UNKNOWN}`, headers: ours() }),
      400,
    ],
    'two ids': [
      () => ({
        body: `${GRANT}&client_id=${client.id}&client_id=${client.id}&client_secret=x`,
        headers: { 'content-type': FORM },
      }),
      400,
    ],
    'Basic that is no base64': [
      () => ({ body: GRANT, headers: { ...ours(), authorization: 'Basic ???' } }),
      400,
    ],
    'Basic without a colon': [
      () => ({ body: GRANT, headers: { ...ours(), authorization: `Basic ${btoa('x')}` } }),
      400,
    ],
    'Basic without a secret': [() => ({ body: GRANT, headers: basic(client.id, '') }), 400],
    'Basic with three parts': [
      () => ({ body: GRANT, headers: { ...ours(), authorization: 'Basic a b' } }),
      400,
    ],
    'a bearer token': [
      () => ({ body: GRANT, headers: { ...ours(), authorization: 'Bearer abc' } }),
      400,
    ],
    'an assertion of a private key': [
      () => ({
        body: `${GRANT}&client_assertion=x&client_assertion_type=y`,
        headers: { 'content-type': FORM },
      }),
      400,
    ],
    'an attestation of the client': [
      () => ({ body: GRANT, headers: { ...ours(), 'oauth-client-attestation': 'x' } }),
      400,
    ],
    'plain text': [
      () => ({ body: GRANT, headers: { ...ours(), 'content-type': 'text/plain' } }),
      400,
    ],
    'no content type': [
      () => ({ body: GRANT, headers: { ...ours(), 'content-type': undefined } }),
      400,
    ],
    'another charset': [
      () => ({
        body: GRANT,
        headers: { ...ours(), 'content-type': `${FORM}; charset=iso-8859-1` },
      }),
      400,
    ],
    'a compressed body': [
      () => ({ body: GRANT, headers: { ...ours(), 'content-encoding': 'gzip' } }),
      400,
    ],
    'bytes that are no UTF-8': [
      () => ({ body: Buffer.from(`${GRANT}\xff`, 'latin1'), headers: ours() }),
      400,
    ],
    'an empty body': [() => ({ body: '', headers: ours() }), 400],
    'a body over the limit': [
      () => ({ body: `${GRANT}&x=${'x'.repeat(60_000)}`, headers: ours() }),
      413,
    ],
    'a page of another origin': [
      () => ({ body: GRANT, headers: { ...ours(), origin: 'https://x.example' } }),
      400,
    ],
    'a reading by GET': [() => ({ method: 'GET', body: '', headers: ours() }), 405],
    'a PUT': [() => ({ method: 'PUT', body: GRANT, headers: ours() }), 405],
  };
  it('is refused alike for whatever is wrong', async () => {
    await Promise.all(
      Object.entries(refused).map(async ([name, [asked, status]]) => {
        expect((await both(asked())).status, name).to.equal(status);
      }),
    );
  });

  it('is answered alike while the database does not answer: 503', async () => {
    const asked = { body: GRANT, headers: basic(`svc_${'1'.repeat(26)}`, WRONG) };
    const answers: Observed[] = [];
    for (const way of ['short', 'long'] as const) {
      store.arm(0, 'cut before');
      const answered = answer(asked, way);
      await answered.finally(() => store.heal());
      answers.push(await observed(await answered));
    }
    const [short, long] = answers.map((each) => ({
      ...each,
      // One line speaks for all refusals of an outage.
      lines: each.lines.filter(({ message }) => message === 'request answered'),
    }));
    expect(short).to.deep.equal(long);
    expect(short).to.include({ status: 503 });
    expect(short?.lines[0]).to.include({ reason: 'temporarily_unavailable' });
    expect(short?.events[0]).to.include({ reason: 'temporarily_unavailable' });
  });

  it('is refused alike for a secret that was guessed at too often: 429', async () => {
    const asked = { body: GRANT, headers: basic(guessedAt.id, WRONG) };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 100) {
      const { status } = await answer(asked, statuses.length % 2 === 0 ? 'short' : 'long');
      statuses.push(status);
    }
    expect(new Set(statuses)).to.deep.equal(new Set([401, 429]));
    const [short, long] = [await answer(asked, 'short'), await answer(asked, 'long')];
    expect(short.status).to.equal(429);
    const { 'x-request-id': _, 'retry-after': shortS, date: __, ...kept } = short.headers;
    const { 'x-request-id': ___, 'retry-after': longS, date: ____, ...others } = long.headers;
    expect(kept).to.deep.equal(others);
    expect([Number(shortS), Number(longS)].every((seconds) => seconds > 0)).to.equal(true);
  });

  it('tells the log alike of a caller who breaks off in the middle of the body', async () => {
    for (const way of ['short', 'long']) {
      const id = `broken-${way}`;
      const socket = connect(Number(new URL(issuer).port), 'localhost');
      await new Promise((done) => socket.once('connect', done));
      const extra = way === 'long' ? 'Expect: x\r\n' : '';
      socket.write(
        `POST /oauth/token HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\nContent-Type: ${FORM}\r\n${extra}Content-Length: 29\r\n\r\n`,
      );
      await new Promise((done) => setImmediate(done));
      socket.end();
      await eventually(async () => {
        expect(lines.filter(({ requestId }) => requestId === id)).to.have.length(1);
      });
      socket.destroy();
    }
    const [short, long] = ['short', 'long'].map((way) => {
      const line = lines.find(({ requestId }) => requestId === `broken-${way}`);
      return { ...line, requestId: '', durationMs: 0 };
    });
    expect(short).to.deep.equal(long);
  });

  it('answers requests that follow each other on one connection, by either way', async () => {
    const socket = connect(Number(new URL(issuer).port), 'localhost');
    const head = `Host: x\r\nContent-Type: ${FORM}\r\nAuthorization: ${ours()['authorization']}\r\n`;
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const one = (extra: string, body: string) =>
      `POST /oauth/token HTTP/1.1\r\n${head}${extra}Content-Length: ${body.length}\r\n\r\n${body}`;
    socket.write(
      one('', GRANT) + one('', 'grant_type=x') + one('Expect: x\r\n', GRANT) + one('', GRANT),
    );
    await eventually(async () => {
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      expect(statuses).to.deep.equal(['200', '400', '200', '200']);
    });
    socket.destroy();
  });

  for (const [pieces, status] of [
    [['grant_', 'type=client_cred', 'entials'], 200],
    [[GRANT, '&scope=not-granted'], 400],
    [[GRANT, `&${GRANT}`], 400],
  ] as const) {
    it(`answers the whole of a body that comes as ${pieces.join(' + ')}: ${status}`, async () => {
      const socket = connect(Number(new URL(issuer).port), 'localhost');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      const head = `Host: x\r\nContent-Type: ${FORM}\r\nAuthorization: ${ours()['authorization']}\r\n`;
      const length = pieces.join('').length;
      socket.write(`POST /oauth/token HTTP/1.1\r\n${head}Content-Length: ${length}\r\n\r\n`);
      for (const piece of pieces) {
        await new Promise((done) => socket.write(piece, done));
        // The service has met the piece when it answers a request that was sent after it.
        await fetch(`${issuer}/livez`);
      }
      await eventually(async () => expect(text).to.match(/^HTTP\/1\.1 \d/));
      expect(text).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      socket.destroy();
    });
  }
});

function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): Promise<Answer> {
  return new Promise((done, failed) => {
    const length = method === 'GET' ? {} : { 'content-length': `${body.length}` };
    const chunked = headers['transfer-encoding'] === undefined ? length : {};
    const call = request(
      url,
      { method, headers: { ...chunked, ...headers } },
      (response: IncomingMessage) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const found = response.rawHeaders.flatMap((name, n, all) =>
            n % 2 === 0 ? [[name.toLowerCase(), all[n + 1] ?? '']] : [],
          );
          done({ status: response.statusCode ?? 0, headers: Object.fromEntries(found), text });
        });
      },
    );
    call.once('error', failed);
    call.end(body);
  });
}

function defined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Without what is another in each token: its id, its place in the status list, its times and its signature. */
function answerOf(text: string): Pick<Observed, 'body' | 'token'> {
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  const { access_token: token, ...rest } = body;
  if (typeof token !== 'string') return { body: text };
  const [head = ''] = token.split('.');
  const { jti: _jti, status: _status, iat, exp, ...claims } = claimsOf(token);
  return {
    body: rest,
    token: {
      header: JSON.parse(Buffer.from(head, 'base64url').toString()),
      claims: { ...claims, lives: Number(exp) - Number(iat) },
      members: [Object.keys(body), Object.keys(claimsOf(token))],
    },
  };
}
