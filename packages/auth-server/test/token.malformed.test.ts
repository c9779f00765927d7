import { type IncomingHttpHeaders, request } from 'node:http';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { newClientSecret } from '../src/clients/client-secret.ts';
import { basic, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const LOGIN = '"email":"a@example.com","password":"x"';
const BASIC = { Authorization: `Basic ${btoa('svc_1:nobody')}` };
const GRANT = 'grant_type=client_credentials';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

describeOnDatabase('POST /oauth/token, malformed', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
  });
  after(() => server?.stop());

  /** fetch sets some headers itself and forbids others; an attacker does not. */
  const send = (headers: Record<string, string>, body: string | Buffer, method = 'POST') =>
    new Promise<Answer>((done, failed) => {
      const call = request(`${server.issuer}/oauth/token`, { method, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          done({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      call.once('error', failed);
      call.end(body);
    });

  const cases: Record<string, [type: string, body: string | Buffer, headers?: object]> = {
    'an e-mail given twice, once escaped': [JSON_TYPE, `{"\\u0065mail":"b@example.com",${LOGIN}}`],
    'a member __proto__ that is an object': [JSON_TYPE, `{${LOGIN},"__proto__":{"otp":"1"}}`],
    'a person’s and a client’s credentials at once': [JSON_TYPE, `{${LOGIN},"client_id":"svc_1"}`],
    'an mfa_token beside a password': [JSON_TYPE, `{${LOGIN},"mfa_token":"x","otp":"1"}`],
    'an mfa_token without a code': [JSON_TYPE, '{"mfa_token":"x"}'],
    'a number for the code': [JSON_TYPE, `{${LOGIN},"otp":123456}`],
    'an e-mail longer than any address': [
      JSON_TYPE,
      `{"email":"${'a'.repeat(255)}","password":"x"}`,
    ],
    'JSON behind a byte-order mark': [JSON_TYPE, `\uFEFF{${LOGIN}}`],
    'JSON nested as deep as fits': [JSON_TYPE, '['.repeat(50_000)],
    'JSON sent as text': ['text/plain', `{${LOGIN}}`],
    'two content types at once': [`${JSON_TYPE}, ${FORM}`, `{${LOGIN}}`],
    'a compressed body': [JSON_TYPE, `{${LOGIN}}`, { 'Content-Encoding': 'gzip' }],
    'a compressed form': [FORM, GRANT, { 'Content-Encoding': 'gzip' }],
    'a form in another charset': [`${FORM}; charset=iso-8859-1`, GRANT],
    'a form without a client': [FORM, GRANT],
    'a client id given twice': [FORM, `${GRANT}&client_id=a&client_id=b`],
    'Basic that is not base64': [FORM, GRANT, { Authorization: 'Basic ???' }],
    'another authorization scheme': [FORM, GRANT, { Authorization: 'Bearer abc' }],
  };
  for (const [what, [type, body, more]] of Object.entries(cases)) {
    it(`${what}: 400 invalid_request, with the request id`, async () => {
      const { status, headers, text } = await send({ 'Content-Type': type, ...more }, body);
      expect(status, text).to.equal(400);
      expect(JSON.parse(text)).to.include({ error: 'invalid_request' });
      expect(headers['content-type']).to.match(/^application\/json/);
      expect(headers['cache-control']).to.equal('no-store');
      expect(headers['x-request-id']).to.match(/^req_/);
      expect(headers['content-security-policy']).to.include("default-src 'none'");
    });
  }

  for (const type of [JSON_TYPE, FORM]) {
    for (const [how, framing] of Object.entries({
      announced: { 'Content-Length': '100000' },
      chunked: { 'Transfer-Encoding': 'chunked' },
    })) {
      it(`a body over the limit as ${type}, ${how}: 413 invalid_request`, async () => {
        const headers = { 'Content-Type': type, ...framing };
        const { status, text } = await send(headers, 'x'.repeat(100_000));
        expect(status, text).to.equal(413);
        expect(JSON.parse(text)).to.include({ error: 'invalid_request' });
      });
    }
  }

  for (const [what, type, body, more] of [
    ['as a form', FORM, 'grant_type=password&username=a@example.com&password=x', {}],
    ['as a form with a client', FORM, 'grant_type=password&username=a&password=x', BASIC],
    ['as JSON', JSON_TYPE, '{"grant_type":"password","username":"a","password":"x"}', {}],
  ] as const) {
    it(`points grant_type=password ${what} to the JSON request: 400 unsupported_grant_type`, async () => {
      const { status, text } = await send({ 'Content-Type': type, ...more }, body);
      expect(status, text).to.equal(400);
      const { error, error_description: description } = JSON.parse(text);
      expect(error).to.equal('unsupported_grant_type');
      expect(description).to.include('send JSON: {"email", "password"}');
    });
  }

  it('answers a fault of its own with JSON that tells nothing of it: 500 server_error', async () => {
    await server.database.query('ALTER TABLE throttle RENAME TO away');
    try {
      const answers = [
        await send({ 'Content-Type': JSON_TYPE }, `{${LOGIN}}`),
        await send(
          {
            'Content-Type': FORM,
            ...basic(server.client.id, newClientSecret().expose()),
            Accept: 'text/html',
          },
          GRANT,
        ),
      ];
      for (const { status, headers, text } of answers) {
        expect(status).to.equal(500);
        expect(headers['content-type']).to.match(/^application\/json/);
        expect(JSON.parse(text)).to.include({ error: 'server_error' });
        expect(text).not.to.match(/throttle|relation|SQL/);
      }
    } finally {
      await server.database.query('ALTER TABLE away RENAME TO throttle');
    }
  });

  it('takes each refusal into the audit log, also of what was never a token request', async () => {
    const { headers } = await send({ 'Content-Type': JSON_TYPE }, '{"email":');
    await eventually(async () => {
      const events = await server.database.query(
        'SELECT type, subject, reason FROM audit_event WHERE request_id = $1',
        [String(headers['x-request-id'])],
      );
      expect(events).to.deep.equal([
        { type: 'token.refused', subject: 'unknown', reason: 'invalid_request' },
      ]);
    });
  });

  it('takes a wrong password into the audit log under the one spelling of the e-mail', async () => {
    const credentials = { email: ' Audited@Example.com', password: 'wrong' };
    const { headers } = await send({ 'Content-Type': JSON_TYPE }, JSON.stringify(credentials));
    await eventually(async () => {
      const events = await server.database.query(
        'SELECT type, subject, reason FROM audit_event WHERE request_id = $1',
        [String(headers['x-request-id'])],
      );
      expect(events).to.deep.equal([
        { type: 'token.refused', subject: 'audited@example.com', reason: 'unknown_email' },
      ]);
    });
  });

  it('allows no page of another origin to read an answer', async () => {
    const { authorization } = basic(server.client.id, server.client.secret);
    for (const Origin of ['https://evil.example', 'null']) {
      const type = { 'Content-Type': FORM, Origin };
      const answers = [
        await send({ ...type, Authorization: authorization ?? '' }, GRANT),
        await send(type, 'grant_type=x&client_id=y&client_secret=z'),
        await send(type, GRANT),
        await send({ ...type, 'Access-Control-Request-Method': 'POST' }, '', 'OPTIONS'),
      ];
      for (const { status, headers } of answers) {
        expect(status).not.to.equal(200);
        expect(headers['access-control-allow-origin']).to.equal(undefined);
      }
    }
  });

  it('lets a page of its own origin have a token', async () => {
    const { authorization } = basic(server.client.id, server.client.secret);
    const headers = { 'Content-Type': FORM, Authorization: authorization ?? '' };
    const { status } = await send({ ...headers, Origin: server.issuer }, GRANT);
    expect(status).to.equal(200);
  });
});
