import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { sqlAuditReader } from '../src/audit/sql-audit-reader.ts';
import {
  claimsOf,
  createPerson,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  totpCode,
} from './support/auth-server.ts';

describeOnDatabase('POST /oauth/token, a person', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
  });
  after(() => server?.stop());
  const signIn = (body: object, headers?: Record<string, string>) => server.postJson(body, headers);

  it('answers the specification’s example with the bare JWT as text/javascript', async () => {
    const response = await signIn(server.person, { accept: 'gzip, deflate, br' });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/javascript');
    expect(response.headers.get('vary')).to.equal('Accept');
    expect(response.headers.get('cache-control')).to.equal('no-store');
    const token = await response.text();
    expect(token).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const claims = claimsOf(token);
    expect(claims).to.include({
      account_type: 'account',
      customer: 'india',
      client_id: 'cls-account',
    });
    expect(claims['sub']).to.match(/^acc_/);
    expect(claims['amr']).to.deep.equal(['pwd']);
    expect(claims['auth_time']).to.be.closeTo(Date.now() / 1000, 5);
    expect(Number(claims['exp']) - Number(claims['iat'])).to.equal(3_600);
  });

  it('answers with the JSON object when application/json is asked for by name alone', async () => {
    const json = await signIn(server.person, { accept: 'text/html, application/json;q=0.5' });
    expect(await json.json()).to.include({ token_type: 'Bearer', expires_in: 3_600 });
    for (const accept of ['*/*', 'application/*', 'application/json;q=0', 'image/png']) {
      const response = await signIn(server.person, { accept });
      expect(response.headers.get('content-type'), accept).to.match(/^text\/javascript/);
    }
  });

  it('is a first sign-in: of a browser that comes later the owner is told', async () => {
    const email = 'first@india.example';
    const records = sqlAccounts(server.database);
    const id = await createPerson(server.database, email);
    expect((await signIn({ email, password: 'wrong' })).status).to.equal(400);
    expect((await signIn({ email, password: PASSWORD })).status).to.equal(200);
    expect(await records.recordSignIn(id)).to.equal(false);
  });

  it('finds the account under any spelling of its e-mail', async () => {
    const response = await signIn({ ...server.person, email: ' PERSON@India.Example ' });
    expect(response.status).to.equal(200);
  });

  it('answers an unknown e-mail, a wrong password and a disabled account alike', async () => {
    await server.database.query(
      `INSERT INTO account (id, email, customer_id, permissions, password_hash, disabled_at)
       SELECT 'acc_0000000000000000000000000D', 'disabled@india.example', customer_id, permissions,
              password_hash, now() FROM account WHERE email = 'person@india.example'`,
    );
    const answers = await Promise.all(
      [
        { email: 'nobody@india.example', password: PASSWORD },
        { email: 'person@india.example', password: `${PASSWORD}!` },
        { email: 'disabled@india.example', password: PASSWORD },
      ].map(async (body) => {
        const response = await signIn(body);
        return { status: response.status, text: await response.text() };
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
    expect(answers[0]?.status).to.equal(400);
    expect(JSON.parse(answers[0]?.text ?? '')).to.include({ error: 'invalid_grant' });
    await signIn(server.person); // Clears the count of the wrong password.
  });

  it('asks for the second factor where one is enrolled, and takes the code with the token', async () => {
    const { email, password, totpSecret } = server.guarded;
    const first = await signIn({ email, password });
    expect(first.status).to.equal(403);
    const { error, mfa_token: mfaToken } = (await first.json()) as Record<string, string>;
    expect(error).to.equal('mfa_required');
    const second = await signIn({ mfa_token: mfaToken, otp: totpCode(totpSecret) });
    expect(second.status).to.equal(200);
    const claims = claimsOf(await second.text());
    expect(claims['amr']).to.deep.equal(['pwd', 'otp', 'mfa']);
    expect(claims['acr']).to.equal('urn:cls:acr:mfa');
    const again = await signIn({ mfa_token: mfaToken, otp: totpCode(totpSecret, 30) });
    expect(again.status, 'the mfa_token is spent').to.equal(400);
  });

  it('accepts a code once, of twenty that come at once too', async () => {
    const { email, password, totpSecret } = server.guarded;
    const otp = totpCode(totpSecret, 30);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signIn({ email, password, otp })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.length(1);
    await server.database.query('DELETE FROM throttle');
    expect((await signIn({ email, password, otp })).status).to.equal(400);
  });

  for (const { given, body, status } of [
    { given: 'no password', body: '{"email":"a@b.example"}', status: 400 },
    { given: 'an array', body: '["a"]', status: 400 },
    { given: 'a number for a password', body: '{"email":"a@b.example","password":1}', status: 400 },
    {
      given: 'an object for a password',
      body: '{"email":"a@b.example","password":{"$ne":""}}',
      status: 400,
    },
    {
      given: 'a member twice',
      body: '{"email":"a@b.example","email":"c@d.example","password":"x"}',
      status: 400,
    },
    {
      given: 'an unknown member',
      body: '{"email":"a@b.example","password":"x","grant_type":"password"}',
      status: 400,
    },
    {
      given: '__proto__',
      body: '{"__proto__":"x","email":"a@b.example","password":"x"}',
      status: 400,
    },
    { given: 'cut JSON', body: '{"email":"a@b.example","pass', status: 400 },
    {
      given: 'a NUL in the e-mail',
      body: '{"email":"a\\u0000@b.example","password":"x"}',
      status: 400,
    },
    { given: 'nothing', body: '', status: 400 },
    { given: '200,000 levels of nesting', body: '['.repeat(50_000), status: 400 },
    {
      given: 'a body over the limit',
      body: `{"email":"a@b.example","password":"${'x'.repeat(60_000)}"}`,
      status: 413,
    },
    { given: 'a body that is no UTF-8', body: Buffer.from([0x7b, 0xff, 0x7d]), status: 400 },
  ]) {
    it(`refuses ${given}: ${status} invalid_request`, async () => {
      const response = await server.post(body, { 'content-type': 'application/json' });
      expect(response.status).to.equal(status);
      expect(response.headers.get('cache-control')).to.equal('no-store');
      expect(await response.json()).to.include({ error: 'invalid_request' });
    });
  }

  it('refuses JSON in another charset', async () => {
    const response = await server.post(JSON.stringify(server.person), {
      'content-type': 'application/json; charset=utf-7',
    });
    expect(response.status).to.equal(400);
  });

  it('evaluates no more than the free guesses, however many come at once', async () => {
    const email = 'guessed-at@india.example';
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => signIn({ email, password: `guess number ${n}` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).to.have.length(10);
    expect(statuses.filter((status) => status === 429)).to.have.length(20);
    const blocked = await signIn({ email: ` ${email.toUpperCase()}`, password: 'another guess' });
    expect(blocked.status, 'another spelling is the same account').to.equal(429);
    expect(Number(blocked.headers.get('retry-after'))).to.be.within(1, 3_600);
    expect(await blocked.json()).to.include({ error: 'too_many_attempts' });
  });

  it('counts wrong codes apart from wrong passwords', async () => {
    await server.database.query('DELETE FROM throttle'); // What the tests before have counted.
    const { email, password, totpSecret } = server.guarded;
    await server.database.query('DELETE FROM throttle');
    const statuses: number[] = [];
    for (let tries = 0; tries < 7; tries += 1) {
      statuses.push((await signIn({ email, password, otp: '000000' })).status);
    }
    expect(statuses.at(0)).to.equal(400);
    expect(statuses.at(-1)).to.equal(429);
    const right = await signIn({ email, password, otp: totpCode(totpSecret) });
    expect(right.status, 'a right code after too many wrong ones').to.equal(429);
    expect((await signIn({ email, password })).status, 'the password is not blocked').to.equal(403);
  });
});

describeOnDatabase('POST /oauth/token, wrong codes with an mfa_token', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
  });
  after(() => server?.stop());

  it('are in the log of the account, those that came too often among them', async () => {
    const { id, email, password } = server.guarded;
    const asked = await server.postJson({ email, password });
    const { mfa_token } = (await asked.json()) as { mfa_token: string };
    const guess = async () => (await server.postJson({ mfa_token, otp: '000000' })).status;
    let guesses = 1;
    while ((await guess()) === 400) guesses += 1;
    expect(await guess()).to.equal(429);
    const reader = sqlAuditReader(server.database);
    const reasons = await eventually(async () => {
      const found = await reader.eventsOf([id], { types: ['token.refused'], limit: 50 });
      expect(found).not.to.have.length.below(guesses);
      return found.map(({ reason }) => reason);
    });
    expect(reasons.filter((reason) => reason === 'code_wrong')).to.have.length(guesses - 1);
    expect(reasons).to.include('too_many_attempts');
  });
});

describeOnDatabase('POST /oauth/token under MFA_POLICY=required', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine, {
      MFA_POLICY: 'required',
      ACCOUNT_TOKEN_TTL: '900',
    });
  });
  after(() => server?.stop());

  it('refuses an account without a second factor', async () => {
    const response = await server.postJson(server.person);
    expect(response.status).to.equal(403);
    expect(await response.json()).to.include({ error: 'mfa_enrolment_required' });
  });

  it('gives an account with one a token of the configured lifetime', async () => {
    const { email, password, totpSecret } = server.guarded;
    const response = await server.postJson({ email, password, otp: totpCode(totpSecret) });
    const claims = claimsOf(await response.text());
    expect(Number(claims['exp']) - Number(claims['iat'])).to.equal(900);
  });
});
