import { systemClock } from '@cls/shared/clock';
import { anyEngine, requireServer } from '@cls/testing/engines';
import { type FaultProxy, faultProxy } from '@cls/testing/fault-proxy';
import { eventually, redisServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlAccountLinks } from '../src/accounts/sql-account-links.ts';
import type { AuditEventType } from '../src/audit/audit-log.ts';
import {
  basic,
  createPerson,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
} from './support/auth-server.ts';
import { read, type Shown } from './support/failing-world.ts';
import { startOrganisation } from './support/organisation.ts';
import { authorizationUrl, Browser, relyingParty } from './support/relying-party.ts';

const DOMAIN = 'india.example';
const NEW_PASSWORD = 'another horse, another battery';
const LINKED = 'SELECT FROM upstream_link WHERE account_id = $1';
const PASSWORD_SET =
  "SELECT FROM account WHERE id = $1 AND password_changed_at > now() - interval '1 day'";

/** A request that is ready to be sent. */
interface Prepared {
  readonly accountId: string;
  readonly send: () => Promise<Shown>;
}

describe('a change that a person makes while Redis goes down', function () {
  this.timeout(120_000);
  let redis: FaultProxy;
  let server: TestAuthServer;
  let upstream: TestAuthServer;
  let people = 0;
  before(async function () {
    const running = await redisServer();
    requireServer(this, 'Redis', running);
    redis = await faultProxy(Number(new URL(running.url).port));
    server = await startTestAuthServer(anyEngine, { REDIS_URL: `redis://127.0.0.1:${redis.port}` });
  });
  after(async () => {
    redis?.heal();
    await upstream?.stop();
    await server?.stop();
    await redis?.close();
  });

  afterEach(() => redis?.heal());

  const healed = async () => {
    redis.heal();
    await eventually(async () => {
      expect((await fetch(`${server.issuer}/readyz`)).status).to.equal(200);
    });
  };
  const person = async () => {
    people += 1;
    const email = `person-${people}@${DOMAIN}`;
    const accountId = await createPerson(server.database, email);
    const before =
      "UPDATE account SET password_changed_at = now() - interval '1 year' WHERE id = $1";
    await server.database.query(before, [accountId]);
    return { email, accountId };
  };
  const isFound = async (sql: string, accountId: string) =>
    (await server.database.query(sql, [accountId])).length > 0;
  const countOf = async (type: AuditEventType, subject: string) => {
    const sql = 'SELECT FROM audit_event WHERE type = $1 AND subject = $2';
    return (await server.database.query(sql, [type, subject])).length;
  };

  /**
   * Redis goes down a command later each time, until the change is made and Redis fails what follows.
   *
   * @param stands finds a row once the change is made.
   */
  const untilHalfDone = async (
    type: AuditEventType,
    stands: string,
    prepare: () => Promise<Prepared>,
  ) => {
    for (let command = 0; ; command += 1) {
      const { accountId, send } = await prepare();
      const before = await countOf(type, accountId);
      redis.arm(command, 'cut before');
      const { response, text } = await send();
      if (response.status === 200) {
        // On a busy machine commands come together, and fewer messages than before were sent: from the first again.
        command = -1;
        await healed();
        continue;
      }
      expect(response.status, `without Redis from command ${command} on`).to.equal(503);
      expect(text).to.include('We cannot do this just now');
      const once = () =>
        eventually(async () => {
          expect(await countOf(type, accountId)).to.equal(before + 1);
        }, 30_000);
      const stood = await isFound(stands, accountId);
      if (stood) await once();
      await healed();
      if (!stood) continue;
      await send();
      return once();
    }
  };

  it('is in the audit once: a password that was changed', () =>
    untilHalfDone('account.password_changed', PASSWORD_SET, async () => {
      const { email, accountId } = await person();
      const browser = new Browser();
      const signIn = await browser.follow(`${server.issuer}/account/password`);
      const page = await read(await browser.submit(signIn, { email, password: PASSWORD }));
      const form = { password: PASSWORD, new_password: NEW_PASSWORD };
      return { accountId, send: async () => read(await browser.submit(page, form)) };
    }));

  it('is in the audit once: a password that was reset', () =>
    untilHalfDone('account.password_reset', PASSWORD_SET, async () => {
      const { accountId } = await person();
      const links = sqlAccountLinks(server.database, systemClock);
      const { token } = await links.create(accountId, 'password_reset', 600);
      const browser = new Browser();
      const page = await read(await browser.follow(`${server.issuer}/password/new?token=${token}`));
      const form = { new_password: NEW_PASSWORD };
      return { accountId, send: async () => read(await browser.submit(page, form)) };
    }));

  it('is in the audit once: an account that was linked to its organisation', async () => {
    upstream = await startOrganisation(server, DOMAIN);
    const portal = await relyingParty(server);
    const { email } = upstream.person;
    const [account] = await server.database.query<{ id: string }>(
      'SELECT id FROM account WHERE email = $1',
      [email],
    );
    const accountId = account?.id ?? '';
    await untilHalfDone('account.organisation_linked', LINKED, async () => {
      await server.database.query('DELETE FROM upstream_link');
      const browser = new Browser();
      const { url } = await authorizationUrl(portal, { login_hint: email });
      const there = await browser.submit(await browser.follow(url), { email });
      const theirs = new Browser();
      const form = await theirs.follow(there.url);
      const back = (await theirs.submit(form, { email, password: PASSWORD })).url;
      return {
        accountId,
        send: async () => read({ url: back, response: await browser.open(back) }),
      };
    });
  });

  it('is in the audit once: a token that its client revokes, and revokes again after a 503', async () => {
    const { id, secret } = server.client;
    for (let command = 0, failed = true; failed; command += 1) {
      const answer = await server.post('grant_type=client_credentials', basic(id, secret));
      const { access_token: token } = (await answer.json()) as { access_token: string };
      const revoke = async () => {
        const headers = basic(id, secret);
        const body = new URLSearchParams({ token });
        return (await fetch(`${server.issuer}/oauth/revoke`, { method: 'POST', headers, body }))
          .status;
      };
      redis.arm(command, 'cut before');
      failed = (await revoke()) === 503;
      await healed();
      expect(await revoke()).to.equal(200);
      await eventually(async () => {
        expect(await countOf('token.revoked', id)).to.equal(command + 1);
      }, 30_000);
    }
  });
});
