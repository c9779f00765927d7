import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { listening } from '@cls/shared/http/listening';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { startWebhookReceiver, type WebhookReceiver } from '@cls/testing/webhook-receiver';
import { expect } from 'chai';
import type { NoticeDocument } from '../src/notices/customer-notice.ts';
import { basic, startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { applicationRecords, clientSecrets } from './support/client-records.ts';
import { setWebhook } from './support/security-contacts.ts';

/** From the documentation of GitHub's partner programme. */
const EXAMPLE = {
  id: 'f9525bf080f75b3506ca1ead061add62b8633a346606dc5fe544e29231c6ee0d',
  signature:
    'MEUCIFLZzeK++IhS+y276SRk2Pe5LfDrfvTXu6iwKKcFGCrvAiEAhHN2kDOhy2I6eGkOFmxNkOJ+L2y8oQ9A2T9GGJo6WJY=',
  body: '[{"token":"some_token","type":"some_type","url":"some_url","source":"some_source"}]',
  key: `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsz9ugWDj5jK5ELBK42ynytbo38gP
HzZFI03Exwz8Lh/tCfL3YxwMdLjB+bMznsanlhK0RwcGP3IDb34kQDIo3Q==
-----END PUBLIC KEY-----
`,
};
const TYPE = 'cls_client_secret';
const URL = 'https://github.com/octocat/Hello-World/blob/12345600/foo/bar.txt';

const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describeOnDatabase('reports of secrets that were found in public', (engine) => {
  const scanner = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const otherCurve = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  let keyServer: Server;
  let keyReads = 0;
  let server: TestAuthServer;
  let receiver: WebhookReceiver<NoticeDocument>;
  before(async () => {
    keyServer = createServer((_, response) => {
      keyReads += 1;
      const keys = [
        { key_identifier: EXAMPLE.id, key: EXAMPLE.key, is_current: false },
        { key_identifier: 'unreadable', key: 'no key at all', is_current: true },
        { key_identifier: 'scanner', key: pem(scanner.publicKey), is_current: true },
        { key_identifier: 'other-curve', key: pem(otherCurve.publicKey), is_current: true },
      ];
      response.end(JSON.stringify({ public_keys: keys }));
    });
    const port = await listening(keyServer, { host: '127.0.0.1', port: 0 });
    receiver = await startWebhookReceiver<NoticeDocument>(() => new Date());
    server = await startTestAuthServer(engine, {
      ...{ SECRET_SCANNING_KEYS_URL: `http://127.0.0.1:${port}/`, WEBHOOKS_TO_LOOPBACK: '1' },
    });
    await setWebhook(server.database, 'india', receiver);
  });
  after(async () => {
    await server?.stop();
    await receiver?.stop();
    keyServer?.close();
  });

  const post = (body: string, headers: Record<string, string>) =>
    fetch(`${server.issuer}/secret-scanning/reports`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  const signed = (body: string, id = 'scanner', key = scanner.privateKey) => ({
    'Github-Public-Key-Identifier': id,
    'Github-Public-Key-Signature': sign('sha256', Buffer.from(body), key).toString('base64'),
  });
  const report = (...tokens: string[]) =>
    JSON.stringify(tokens.map((token) => ({ token, type: TYPE, url: URL, source: 'content' })));
  const tokenStatus = async () =>
    (
      await server.post(
        'grant_type=client_credentials',
        basic(server.client.id, server.client.secret),
      )
    ).status;
  const answered = () =>
    server.database.query<{ type: string; about: string; reason: string }>(
      `SELECT type, about, reason FROM audit_event WHERE type LIKE '%.compromised' ORDER BY id`,
    );

  it('are taken with the signature of the documented example', async () => {
    const { id, signature, body } = EXAMPLE;
    const headers = {
      'Github-Public-Key-Identifier': id,
      'Github-Public-Key-Signature': signature,
    };
    const answer = await post(body, headers);
    expect(answer.status).to.equal(200);
    expect(await answer.json()).to.deep.equal([
      { token_hash: sha256('some_token'), token_type: 'some_type', label: 'false_positive' },
    ]);
  });

  for (const [why, headersOf] of [
    ['no signature', () => ({})],
    ['no key', (body: string) => ({ ...signed(body), 'Github-Public-Key-Identifier': '' })],
    ['an unknown key', (body: string) => signed(body, 'stranger', stranger.privateKey)],
    ['the signature of another', (body: string) => signed(body, 'scanner', stranger.privateKey)],
    ['the signature of another body', (body: string) => signed(`${body} `)],
    [
      'a key of another curve',
      (body: string) => signed(body, 'other-curve', otherCurve.privateKey),
    ],
    ['a signature that is none', () => ({ ...signed(''), 'Github-Public-Key-Signature': 'x' })],
  ] as const) {
    it(`are refused with ${why}, and nothing is looked at`, async () => {
      const body = report(server.client.secret);
      const answer = await post(body, headersOf(body) as Record<string, string>);
      expect(answer.status).to.equal(403);
      const problem = await answer.json();
      expect(problem).to.include({ code: 'signature_invalid' });
      expect(JSON.stringify(problem)).not.to.include(server.client.secret);
      expect(await tokenStatus()).to.equal(200);
      expect(await answered()).to.deep.equal([]);
    });
  }

  it('read the keys once, however many unknown keys come', () => {
    expect(keyReads).to.equal(1);
  });

  for (const [why, status, body] of [
    ['no JSON', 400, 'token'],
    ['no list', 400, '{}'],
    ['an empty list', 400, '[]'],
    ['no token', 400, '[{"type":"x","url":""}]'],
    ['too many', 400, report(...Array.from({ length: 1_001 }, (_, n) => `${n}`))],
    ['too much', 413, report('x'.repeat(262_144))],
  ] as const) {
    it(`are refused with ${status} where they have ${why}`, async () => {
      expect((await post(body, signed(body))).status).to.equal(status);
    });
  }

  it('end the secrets of the service account, and its customer is told', async () => {
    const { id, secret } = server.client;
    const body = report('cls_nothing', secret, secret);
    const answer = await post(body, signed(body));
    expect(answer.status).to.equal(200);
    const truth = { token_hash: sha256(secret), token_type: TYPE, label: 'true_positive' };
    expect(await answer.json()).to.deep.equal([
      { token_hash: sha256('cls_nothing'), token_type: TYPE, label: 'false_positive' },
      ...[truth, truth],
    ]);
    await eventually(async () => expect(await tokenStatus()).to.equal(401));
    const { document, body: told } = await eventually(async () => {
      const [first] = receiver.received;
      if (first === undefined) throw new Error('nobody was told');
      return first;
    });
    const { secretIds, tokensRevokedBefore } = document.data;
    expect(Date.parse(tokensRevokedBefore)).to.be.within(Date.now() - 600_000, Date.now() + 5_000);
    expect(document.data).to.deep.equal({
      ...{ format: 1, customer: 'india', serviceAccount: id, name: 'Test integration' },
      ...{ secretIds, tokensRevokedBefore, reportedBy: 'secret_scanning', foundAt: URL },
    });
    expect(secretIds).to.have.length(1);
    expect(told).not.to.include(secret);
    await eventually(async () => {
      expect(await answered()).to.deep.equal([
        { type: 'service_account.compromised', about: secretIds[0], reason: 'secret_scanning' },
      ]);
    });
  });

  it('end the secrets of an application, which has no customer to tell', async () => {
    const { id, secret } = await applicationRecords(server.database).create({
      ...{ name: 'Portal', firstParty: false, confidential: true, device: false },
      ...{ redirectUris: ['https://portal.example/'], postLogoutRedirectUris: [] },
      ...{ backchannelLogoutUri: null, withoutPkce: false, allowedOrigins: [], scopes: ['openid'] },
    });
    const token = secret?.expose() ?? '';
    const body = JSON.stringify([{ token, type: TYPE, url: '' }]);
    const answer = await post(body, signed(body));
    expect(await answer.json()).to.deep.equal([
      { token_hash: sha256(token), token_type: TYPE, label: 'true_positive' },
    ]);
    const live = (await clientSecrets(server.database).list(id)).filter((one) => one.live);
    expect(live).to.deep.equal([]);
    await eventually(async () => {
      const types = (await answered()).map(({ type }) => type);
      expect(types).to.deep.equal(['service_account.compromised', 'application.compromised']);
    });
  });

  it('do nothing new when they come again, and get the same answer', async () => {
    const body = report(server.client.secret);
    const answers = await Promise.all([1, 2, 3].map(() => post(body, signed(body))));
    for (const answer of answers) {
      expect(await answer.json()).to.deep.equal([
        { token_hash: sha256(server.client.secret), token_type: TYPE, label: 'true_positive' },
      ]);
    }
    const notices = await server.database.query('SELECT FROM customer_notice');
    expect(notices).to.have.length(1);
    expect(await answered()).to.have.length(2);
  });
});

describeOnDatabase('reports of leaked secrets without SECRET_SCANNING_KEYS_URL', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
  });
  after(() => server?.stop());

  it('find nothing there', async () => {
    const url = `${server.issuer}/secret-scanning/reports`;
    const answer = await fetch(url, { method: 'POST', body: EXAMPLE.body });
    expect(answer.status).to.equal(404);
  });
});

describeOnDatabase('reports of leaked secrets while their keys cannot be read', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine, { SECRET_SCANNING_KEYS_URL: 'http://127.0.0.1:9/' });
  });
  after(() => server?.stop());

  it('are to be sent again later', async () => {
    const { id, signature, body } = EXAMPLE;
    const answer = await fetch(`${server.issuer}/secret-scanning/reports`, {
      ...{ method: 'POST', body },
      headers: { 'Github-Public-Key-Identifier': id, 'Github-Public-Key-Signature': signature },
    });
    expect(answer.status).to.equal(503);
    expect(Number(answer.headers.get('retry-after'))).to.be.greaterThan(0);
  });
});
