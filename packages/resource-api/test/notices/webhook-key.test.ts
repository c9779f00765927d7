import { silentLog } from '@cls/shared/log';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { checks } from '../../src/cli/check.ts';
import { startResourceApi } from '../../src/compose.ts';
import { secretContext } from '../../src/notices/notice-outbox.ts';
import { openNoticeSecret } from '../../src/notices/open-webhook-sealer.ts';
import { resealWebhooks, sqlNoticeContacts } from '../../src/notices/sql-notice-contacts.ts';
import { apiConfig, startTestApi, type TestApi } from '../support/api.ts';

const [OLD, NEW] = ['s'.repeat(43), 't'.repeat(43)];
const [OLD_KEY, NEW_KEY] = [new Secret(OLD), new Secret(NEW)];

describe('the secret of a webhook', () => {
  it('is not opened without a key, and the answer says what to set', () => {
    const notice = { customer: 'bank', target: 'https://bank.example/', sealedSecret: 'v1.x' };
    expect(() => openNoticeSecret(undefined, notice)).to.throw('set WEBHOOK_SECRETS_KEY');
  });
});

describeOnDatabase('a WEBHOOK_SECRETS_KEY that another one replaces', (engine) => {
  const contact = {
    customer: 'bank',
    channel: 'webhook',
    target: 'https://bank.example/',
  } as const;
  const context = secretContext(contact);
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine, { WEBHOOK_SECRETS_KEY: OLD });
    const sealed = aesGcmSealer(OLD_KEY).seal('whsec_secret', context);
    const contacts = sqlNoticeContacts(api.database);
    await contacts.add(contact, sealed, new Date());
    const person = { customer: 'bank', channel: 'email', target: 'api@bank.example' } as const;
    await contacts.add(person, null, new Date());
  });
  after(() => api?.stop());

  const openedWith = async (key: Secret) => {
    const [row] = await api.database.query<{ sealed: string }>(
      `SELECT sealed_secret AS sealed FROM notice_contact WHERE channel = 'webhook'`,
    );
    return aesGcmSealer(key).unseal(row?.sealed ?? '', context);
  };

  const replacing = { WEBHOOK_SECRETS_KEY: NEW, PREVIOUS_WEBHOOK_SECRETS_KEY: OLD };
  const previousKey = async () => {
    const config = apiConfig(api.location, api.jwks.url, replacing);
    const findings = (await Promise.all(checks(config))).flat();
    const { result, found } = findings.find(({ check }) => check === 'previous key') ?? {};
    return `${result}: ${found}`;
  };

  it('seals the secrets anew, once, and `check` says when the previous key can go', async () => {
    expect(await openedWith(OLD_KEY)).to.equal('whsec_secret');
    expect(await previousKey()).to.equal('warning: values that only it opens: 1');
    const current = aesGcmSealer(NEW_KEY);
    if (engine.name === 'PostgreSQL') {
      // As the first replica that has the new key.
      const config = apiConfig(api.location, api.jwks.url, replacing);
      const replica = await startResourceApi(config, silentLog);
      await eventually(async () => {
        expect(await openedWith(NEW_KEY)).to.equal('whsec_secret');
      });
      await replica.stop();
    } else {
      const any = aesGcmSealer(NEW_KEY, undefined, OLD_KEY);
      expect(await resealWebhooks(api.database, current, any)).to.include({ values: 1 });
      expect(await openedWith(NEW_KEY)).to.equal('whsec_secret');
    }
    expect(await resealWebhooks(api.database, current, current)).to.include({ values: 0 });
    expect(await previousKey()).to.match(/^ok: opens no value: remove/);
  });
});
