import { silentLog } from '@cls/shared/log';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { newWebhookSecret } from '@cls/shared/webhook/webhook-signature';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { type ResourceApi, startResourceApi } from '../../src/compose.ts';
import type { RetiredAt } from '../../src/lifecycle/registry.ts';
import { secretContext } from '../../src/notices/notice-outbox.ts';
import { sqlNoticeContacts } from '../../src/notices/sql-notice-contacts.ts';
import { sqlNotices } from '../../src/notices/sql-notices.ts';
import { sqlRetirements } from '../../src/notices/sql-retirements.ts';
import { sqlVersionUsage } from '../../src/usage/sql-version-usage.ts';
import { apiVersions } from '../../src/versions/api-versions.ts';
import { type V1Deps, v1 } from '../../src/versions/v1/index.ts';
import { apiConfig, startTestApi, type TestApi } from '../support/api.ts';
import { testClock, timesOf } from '../versions/support.ts';
import { ENDING, registryOf, v2 } from '../versions/v2/index.ts';
import {
  type MailServer,
  startMailServer,
  startWebhookReceiver,
  type WebhookReceiver,
} from './receivers.ts';
import { use } from './world.ts';

const KEY = 's'.repeat(43);
const BALANCES = '/api/v1/cls/balances?limit=1';

/** On PostgreSQL there are two replicas, which share the database. */
describeOnDatabase('a service that tells its customers of the end of a version', (engine) => {
  const clock = testClock('2027-01-20T00:00:00Z');
  const versionsOf = (deps: V1Deps, retiredAt?: RetiredAt) =>
    apiVersions(registryOf(ENDING, retiredAt), [v1(deps), v2(deps)]);
  let mail: MailServer;
  let receiver: WebhookReceiver;
  let api: TestApi;
  let other: ResourceApi | undefined;
  before(async () => {
    mail = await startMailServer();
    receiver = await startWebhookReceiver(clock.now);
    const env = {
      ...{ SMTP_URL: mail.url, WEBHOOK_SECRETS_KEY: KEY, CURSOR_KEY: KEY },
      ...{ WEBHOOKS_TO_LOOPBACK: '1', NOTICE_INTERVAL_MS: '10' },
    };
    api = await startTestApi(engine, env, clock, versionsOf);
    if (engine.name === 'PostgreSQL') {
      const config = apiConfig(api.location, api.jwks.url, env);
      other = await startResourceApi(config, silentLog, clock, versionsOf);
    }
  });
  after(async () => {
    await other?.stop();
    await api?.stop();
    mail?.stop();
    await receiver?.stop();
  });

  /** The bank is told by e-mail and by webhook. */
  const setContacts = async () => {
    const contacts = sqlNoticeContacts(api.database);
    const [email, hook] = [
      { customer: 'bank', channel: 'email', target: 'api@bank.example' },
      { customer: 'bank', channel: 'webhook', target: `${receiver.origin}/bank` },
    ] as const;
    const secret = newWebhookSecret();
    receiver.secrets.set('/bank', secret);
    await contacts.add(email, null, clock.now());
    const sealer = aesGcmSealer(new Secret(KEY));
    await contacts.add(hook, sealer.seal(secret, secretContext(hook)), clock.now());
  };
  let batch = 0;
  const called = (customer: string, ...asked: string[]) => {
    const day = clock.now().toISOString().slice(0, 10);
    batch += 1;
    return sqlVersionUsage(api.database).add({
      ...{ source: 'test', number: batch },
      counts: asked.map((one) => use(customer, one, 'GET /cls/balances', day)),
    });
  };
  const subjects = () => mail.received.map(({ subject }) => subject.split(':')[0]).sort();
  const stages = () =>
    receiver.received.map(({ document: { type, data } }) => `${type} ${data.stage}`).sort();
  /** What the two channels have brought since the last time, once it is all there and written down. */
  const arrived = async (count: number) => {
    await eventually(async () => {
      if (mail.received.length < count || receiver.received.length < count) {
        throw new Error(`there are ${mail.received.length} and ${receiver.received.length}`);
      }
      // The clock must not move past the lease of a notice that is under way.
      const open = (await sqlNotices(api.database).list({})).filter(
        ({ deliveredAt }) => !deliveredAt,
      );
      if (open.length > 0) throw new Error(`${open.length} are under way`);
    });
    const found = [subjects(), stages()];
    mail.received.length = 0;
    receiver.received.length = 0;
    return found;
  };
  const statuses = async (given?: string) => {
    const token = given ?? (await api.token(timesOf(clock)));
    const ports = [new URL(api.baseUrl).port, ...(other === undefined ? [] : [other.port])];
    return Promise.all(
      ports.map(async (port) => {
        const authorization = `Bearer ${token}`;
        const answer = await fetch(`http://127.0.0.1:${port}${BALANCES}`, {
          headers: { authorization },
        });
        return answer.status;
      }),
    );
  };
  const everywhere = (status: number) => (other === undefined ? [status] : [status, status]);

  it('announces the end of a version and the promotion of the next one', async () => {
    await called('bank', 'v1', 'latest');
    await setContacts();
    expect(await arrived(2)).to.deep.equal([
      ['API latest becomes v2 on 2027-03-01', 'API v1 retires on 2028-12-01'],
      ['api_version.promotion 90 days', 'api_version.retirement announcement'],
    ]);
  });

  for (const [instant, stage] of [
    ['2028-09-02T00:00:00Z', '90 days'],
    ['2028-11-01T00:00:00Z', '30 days'],
    ['2028-11-24T00:00:00Z', '7 days'],
    ['2028-11-30T00:00:00Z', '1 day'],
  ] as const) {
    it(`tells again ${stage} before the end, once`, async () => {
      // Replicas look at what is due the moment that the clock is there: the call comes first.
      const day = instant.slice(0, 10);
      batch += 1;
      await sqlVersionUsage(api.database).add({
        ...{ source: 'test', number: batch },
        counts: [use('bank', 'v1', 'GET /cls/balances', day)],
      });
      clock.set(instant);
      expect(await arrived(1)).to.deep.equal([
        ['API v1 retires on 2028-12-01'],
        [`api_version.retirement ${stage}`],
      ]);
    });
  }

  it('goes on answering after the date while a customer was not told', async () => {
    await called('fund', 'v1');
    clock.set('2028-12-01T00:00:00Z');
    expect(await statuses()).to.deep.equal(everywhere(200));
    clock.set('2028-12-03T00:00:00Z');
    expect(await statuses()).to.deep.equal(everywhere(200));
    expect(await sqlRetirements(api.database).list()).to.deep.equal([]);
    expect(mail.received).to.deep.equal([]);
  });

  it('answers 410 on every replica after an operator has forced the retirement, and says so', async () => {
    await sqlRetirements(api.database).decide({
      ...{ version: 'v1', retiresAt: '2028-12-01T00:00:00Z', effectiveAt: '2028-12-03T00:01:00Z' },
      ...{ decision: 'forced', decidedAt: '2028-12-03T00:00:00Z', decidedBy: 'Ada' },
      ...{ reason: 'the fund was told by telephone', untold: ['fund'] },
    });
    clock.set('2028-12-03T00:00:59Z');
    const token = await api.token(timesOf(clock));
    // The second answer is a kept one, which must not be sent any more a second later.
    expect(await statuses(token)).to.deep.equal(everywhere(200));
    expect(await statuses(token)).to.deep.equal(everywhere(200));
    clock.set('2028-12-03T00:01:00Z');
    await eventually(async () => expect(await statuses(token)).to.deep.equal(everywhere(410)));
    expect(await arrived(1)).to.deep.equal([
      ['API v1 was retired'],
      ['api_version.retired retired'],
    ]);
  });

  it('knows after a restart that the version has retired', async () => {
    const config = apiConfig(api.location, api.jwks.url, { CURSOR_KEY: KEY });
    await other?.stop();
    other = undefined;
    await api.stopService();
    const restarted = await startResourceApi(config, silentLog, clock, versionsOf);
    const answer = await fetch(`http://127.0.0.1:${restarted.port}${BALANCES}`);
    expect(answer.status).to.equal(410);
    await restarted.stop();
  });

  it('never sent anything that the receiver could not verify', () => {
    expect(receiver.forged).to.deep.equal([]);
  });
});
