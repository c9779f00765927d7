import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeStore } from '@cls/testing/embedded-template';
import { describeOnDatabase } from '@cls/testing/engines';
import { endWithTests, eventually, freePort, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import {
  canBeClientSecret,
  isClientSecret,
  newClientSecret,
} from '../src/clients/client-secret.ts';
import { type ClientSecretRecords, TooManySecrets } from '../src/clients/client-secret-records.ts';
import { sweepClientSecrets } from '../src/clients/sql-client-secrets.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { basic, startTestAuthServer, type TestAuthServer, VIEW } from './support/auth-server.ts';
import {
  applicationRecords,
  clientSecrets,
  serviceAccountRecords,
} from './support/client-records.ts';
import { runTool } from './support/tool.ts';

const GRANT = 'grant_type=client_credentials';
/** A secret of 0.5.0. */
const FORMER = 'x'.repeat(43);

describe('a client secret', () => {
  it('has the published form, and another one is another', () => {
    const made = Array.from({ length: 1_000 }, () => newClientSecret().expose());
    for (const text of made) expect(text).to.match(/^cls_[0-9A-Za-z]{49}$/);
    expect(made.every(isClientSecret)).to.equal(true);
    expect(new Set(made).size).to.equal(1_000);
  });

  it('with one wrong, missing or swapped character is known as none', () => {
    const text = newClientSecret().expose();
    for (let at = 0; at < text.length; at += 1) {
      const wrong = text[at] === 'x' ? 'y' : 'x';
      expect(canBeClientSecret(text.slice(0, at) + wrong + text.slice(at + 1)), `${at}`).to.equal(
        false,
      );
      expect(canBeClientSecret(text.slice(0, at) + text.slice(at + 1)), `${at}`).to.equal(false);
    }
    for (const garbage of [
      '',
      'secret',
      `${text}x`,
      ` ${text}`,
      text.toUpperCase(),
      'x'.repeat(42),
    ]) {
      expect(canBeClientSecret(garbage), garbage).to.equal(false);
    }
    expect(canBeClientSecret(FORMER)).to.equal(true);
  });
});

describeOnDatabase('secrets of a service account', (engine) => {
  let server: TestAuthServer;
  let secrets: ClientSecretRecords;
  before(async () => {
    server = await startTestAuthServer(engine);
    secrets = clientSecrets(server.database);
  });
  after(() => server?.stop());

  const newAccount = async () => {
    const name = `account ${Math.random()}`;
    const made = await serviceAccountRecords(server.database).create({
      ...{ name, customer: 'india', permissions: [VIEW] },
    });
    return { id: made.id, secret: made.secret.expose() };
  };
  const status = async (id: string, secret: string) =>
    (await server.post(GRANT, basic(id, secret))).status;
  /** The service hears of a change within milliseconds. */
  const answers = (id: string, secret: string, expected: number) =>
    eventually(async () => expect(await status(id, secret)).to.equal(expected), 2_000);

  it('are good together, ten at most, each until it is revoked or ends', async () => {
    const { id, secret } = await newAccount();
    const nightly = await secrets.create(id, { name: 'nightly' });
    const brief = await secrets.create(id, { endsInS: 2 });
    for (const text of [secret, nightly.secret.expose(), brief.secret.expose()]) {
      await answers(id, text, 200);
    }
    for (let n = 3; n < 10; n += 1) await secrets.create(id, {});
    const refused = await secrets.create(id, {}).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(TooManySecrets);
    await secrets.revoke({ id: nightly.id, clientId: id });
    await answers(id, nightly.secret.expose(), 401);
    await eventually(
      async () => expect(await status(id, brief.secret.expose())).to.equal(401),
      5_000,
    );
    expect(await status(id, secret)).to.equal(200);
  });

  it('are replaced one by one, or all together', async () => {
    const { id, secret } = await newAccount();
    const other = await secrets.create(id, { name: 'other' });
    const third = await secrets.replace({ clientId: id, id: other.id }, 0, { name: 'other' });
    await answers(id, other.secret.expose(), 401);
    await answers(id, third.secret.expose(), 200);
    expect(await status(id, secret)).to.equal(200);
    const last = await secrets.replace({ clientId: id }, 0, {});
    await answers(id, third.secret.expose(), 401);
    await answers(id, secret, 401);
    await answers(id, last.secret.expose(), 200);
    const live = (await secrets.list(id)).filter((one) => one.live);
    expect(live.map((one) => one.id)).to.deep.equal([last.id]);
  });

  it('are listed with when and from where each was used last, and never with their text', async () => {
    const { id, secret } = await newAccount();
    const unused = await secrets.create(id, { name: 'unused' });
    expect(await status(id, secret)).to.equal(200);
    await eventually(async () => {
      const listed = await secrets.list(id);
      const [of] = listed.filter((one) => one.id !== unused.id);
      expect(of?.lastUsedAt?.getTime()).to.be.within(Date.now() - 60_000, Date.now() + 5_000);
      expect(of?.lastUsedFrom).to.match(/127\.0\.0\.1|::1/);
      expect(listed.find((one) => one.id === unused.id)).not.to.have.property('lastUsedAt');
      expect(JSON.stringify(listed)).not.to.include(secret);
    });
  });

  it('are stored as keyed hashes; those of 0.5.0 stay good, and say whose they are', async () => {
    const { id, secret } = await newAccount();
    const { digest } = await import('../src/crypto/digest.ts');
    const stored = await server.database.query<{ sha256: string }>(
      'SELECT sha256 FROM service_account_secret WHERE service_account_id = $1',
      [id],
    );
    expect(stored.map(({ sha256 }) => sha256)).not.to.include(digest(secret));
    await server.database.query(
      'INSERT INTO service_account_secret (sha256, service_account_id) VALUES ($1, $2)',
      [digest(FORMER), id],
    );
    await answers(id, FORMER, 200);
    expect(await secrets.identify(FORMER)).to.include({ clientId: id, live: true });
    expect(await secrets.identify(secret)).to.include({ clientId: id, live: true });
    expect(await secrets.identify(newClientSecret().expose())).to.equal(undefined);
    await secrets.replace({ clientId: id }, 0, {});
    await answers(id, FORMER, 401);
  });

  it('are forgotten 90 days after their end, save the newest of a client', async () => {
    const { id } = await newAccount();
    for (let n = 0; n < 2; n += 1) await secrets.replace({ clientId: id }, 0, {});
    const ended = (days: number) =>
      server.database.query(
        `UPDATE service_account_secret SET expires_at = now() - make_interval(days => $2)
         WHERE service_account_id = $1`,
        [id, days],
      );
    await ended(89);
    await sweepClientSecrets(server.database);
    const [newest, ...others] = await secrets.list(id);
    expect(others).to.have.length(2);
    await ended(91);
    await sweepClientSecrets(server.database);
    expect((await secrets.list(id)).map((one) => one.id)).to.deep.equal([newest?.id]);
  });

  it('that were never made here ask no store, by any way of sending them', async () => {
    const { id } = await newAccount();
    const rows = async () => {
      const [row] = await server.database.query<{ n: bigint }>(
        `SELECT (SELECT count(*) FROM throttle) + (SELECT count(*) FROM audit_event) AS n`,
      );
      return Number(row?.n);
    };
    const guess = (n: number) => `cls_${`${n}`.padStart(49, 'x')}`;
    expect(await status(id, guess(0))).to.equal(401);
    await eventually(async () => {
      const found = await server.database.query(
        `SELECT FROM audit_event WHERE type = 'token.refused' AND subject = 'unknown'`,
      );
      expect(found).to.have.length(1);
    });
    const before = await rows();
    for (let n = 1; n <= 300; n += 1) {
      const form = `${GRANT}&client_id=${id}&client_secret=${guess(n)}`;
      const answer =
        n % 2 === 0
          ? await server.post(GRANT, basic(id, guess(n)))
          : await server.post(form, { 'content-type': 'application/x-www-form-urlencoded' });
      expect(answer.status, `${n}`).to.equal(401);
    }
    expect(await rows()).to.equal(before);
  });

  it('of an application that all ended leave it confidential', async () => {
    const applications = applicationRecords(server.database);
    const { id } = await applications.create({
      ...{ name: 'Portal', firstParty: true, confidential: true, device: false },
      redirectUris: ['https://portal.example/callback'],
      ...{ postLogoutRedirectUris: [], backchannelLogoutUri: null },
    });
    for (const secret of await secrets.list(id)) await secrets.revoke(secret);
    expect(await applications.find(id)).to.deep.include({ hadSecret: true, secrets: [] });
    const body = `grant_type=refresh_token&refresh_token=none&client_id=${id}`;
    await eventually(async () => {
      const answer = await server.post(body, {
        'content-type': 'application/x-www-form-urlencoded',
      });
      expect(await answer.json()).to.include({ error: 'invalid_client' });
    });
  });
});

describe('two secrets at once', function () {
  this.timeout(120_000);
  let running: ChildProcess | undefined;
  after(() => running?.kill('SIGKILL'));

  it('end on time, the old one first, also where the service was killed between', async () => {
    const port = await freePort();
    const issuer = `http://localhost:${port}`;
    const dataDir = join(temporaryDirectory('cls-secrets-'), 'data');
    const env = { ISSUER: issuer, AUTH_PORT: `${port}`, CLS_DATA_DIR: dataDir };
    await makeStore(join(dataDir, 'auth-server', 'database'), MIGRATIONS);
    const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
    const start = async () => {
      const child = endWithTests(
        spawn(process.execPath, [main], { env: { ...process.env, ...env } }),
      );
      running = child;
      await eventually(async () => expect((await fetch(`${issuer}/readyz`)).status).to.equal(200));
      return child;
    };
    const tool = async (...words: string[]) => {
      const { code, stdout, stderr } = await runTool([...words, '--json'], env);
      expect(code, stderr).to.equal(0);
      return JSON.parse(stdout);
    };
    const status = async (id: string, secret: string) =>
      (
        await fetch(`${issuer}/oauth/token`, {
          method: 'POST',
          headers: basic(id, secret),
          body: GRANT,
        })
      ).status;
    const first = await start();
    await tool('customers', 'create', 'bank', '--name', 'Bank');
    const options = ['--name', 'Ledger', '--customer', 'bank', '--permission', VIEW];
    const { clientId, clientSecret: old } = await tool('service-accounts', 'create', ...options);
    const { clientSecret: fresh } = await tool(
      'secrets',
      'replace',
      clientId,
      '--keep-old-for',
      '15s',
    );
    const replacedAt = Date.now();
    const exited = once(first, 'exit');
    first.kill('SIGKILL');
    await exited;
    await start();
    const early = await status(clientId, old);
    // A slow machine may take longer for the start than the overlap lasts.
    if (Date.now() - replacedAt < 15_000) expect(early).to.equal(200);
    expect(await status(clientId, fresh)).to.equal(200);
    await eventually(async () => expect(await status(clientId, old)).to.equal(401), 20_000);
    expect(Date.now() - replacedAt).to.be.greaterThan(14_000);
    expect(await status(clientId, fresh)).to.equal(200);
    const refused = await runTool(
      ['secrets', 'revoke', (await tool('secrets', 'list'))[0].secretId],
      env,
    );
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(/got a token at .* from .*--keep-old-for 7d/);
  });
});
