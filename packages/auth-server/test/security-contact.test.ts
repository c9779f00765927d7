import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { SEALED } from '../src/crypto/seal.ts';
import { KEY } from './support/auth-server.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

const WORDS = 'customers security-contact';
const URL = 'https://hooks.bank.example/cls';

describeOnDatabase('cls-auth customers security-contact', (engine) => {
  let world: ToolWorld;
  before(async () => {
    world = await toolWorld(engine);
    await world.done('customers create bank --name Bank');
  });
  after(() => world?.stop());

  it('sets an address and a webhook, whose secret is shown once and kept sealed', async () => {
    const { securityContact } = await world.done(
      `${WORDS} bank --email Security@bank.example --language de`,
    );
    const email = 'security@bank.example';
    expect(securityContact).to.deep.equal({ email, webhook: null, language: 'de' });
    const set = await world.done(`${WORDS} bank --webhook ${URL}`);
    expect(set.securityContact).to.deep.equal({ email, webhook: URL, language: 'de' });
    expect(set.webhookSecret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const [row] = await world.owner.query<{ sealed: string }>(
      'SELECT sealed_webhook_secret AS sealed FROM security_contact',
    );
    const { context } = SEALED.security_contact;
    const opened = aesGcmSealer(new Secret(KEY)).unseal(row?.sealed ?? '', context('bank'));
    expect(opened).to.equal(set.webhookSecret);
  });

  it('shows it, also in the list of customers, without the secret', async () => {
    const shown = await world.done(`${WORDS} bank`);
    const contact = { email: 'security@bank.example', webhook: URL, language: 'de' };
    expect(shown).to.deep.equal({ customer: 'bank', securityContact: contact });
    const list = await world.done('customers list');
    const contacts = list.map((one: { id: string; securityContact: object }) => [
      one.id,
      one.securityContact,
    ]);
    expect(contacts).to.deep.include.members([
      ['bank', contact],
      ['india', null],
    ]);
    const table = (await world.run('customers list')).stdout;
    expect(table).to.match(/^bank .* security@bank\.example, webhook$/m);
  });

  it('makes another secret when the webhook is set again', async () => {
    const first = await world.done(`${WORDS} bank --webhook ${URL}`);
    const second = await world.done(`${WORDS} bank --webhook ${URL}`);
    expect(second.webhookSecret).not.to.equal(first.webhookSecret);
  });

  it('removes one way, or all of them', async () => {
    const { securityContact } = await world.done(`${WORDS} bank --remove webhook`);
    expect(securityContact).to.include({ email: 'security@bank.example', webhook: null });
    const none = await world.done(`${WORDS} bank --remove email webhook`);
    expect(none.securityContact).to.equal(null);
    expect((await world.run(`${WORDS} bank`)).stdout).to.include('nobody is told');
  });

  for (const [why, words, code, message] of [
    ['a target that is not https', 'bank --webhook http://hooks.bank.example/', 1, 'an https URL'],
    ['a private address', 'bank --webhook https://10.0.0.1/', 1, 'not public'],
    ['no e-mail address', 'bank --email nobody', 2, 'e-mail address'],
    ['a way that there is not', 'bank --remove pigeon', 2, 'unknown: pigeon'],
    ['both a value and its removal', 'bank --email a@b.example --remove email', 2, 'not both'],
    ['a language for nobody', 'bank --language de', 1, 'no security contact'],
    ['an unknown customer', 'bnak --email a@b.example', 1, 'there is no customer bnak'],
  ] as const) {
    it(`refuses ${why}`, async () => {
      const refused = await world.run(`${WORDS} ${words}`);
      expect(refused.code).to.equal(code);
      expect(refused.stderr).to.include(message);
    });
  }

  it('is removed with a customer that is deleted', async () => {
    await world.done('customers create bnak --name Bnak');
    await world.done(`${WORDS} bnak --email a@b.example`);
    await world.done('customers delete bnak');
    const left = await world.owner.query(`SELECT FROM security_contact WHERE customer_id = 'bnak'`);
    expect(left).to.deep.equal([]);
  });

  it('records each change without addresses', async () => {
    const rows = await world.owner.query<{ about: string }>(
      `SELECT about FROM audit_event
       WHERE type = 'customer.security_contact_changed' AND subject = 'bank' ORDER BY id`,
    );
    expect(rows.map(({ about }) => about)).to.deep.equal([
      ...['email, locale', 'webhook', 'webhook', 'webhook'],
      ...['webhook removed', 'email removed, webhook removed'],
    ]);
  });
});
