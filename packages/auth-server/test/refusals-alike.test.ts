import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyEngine } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { newClientSecret } from '../src/clients/client-secret.ts';
import {
  basic,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  VIEW,
} from './support/auth-server.ts';
import { serviceAccountRecords } from './support/client-records.ts';
import {
  authorizationUrl,
  Browser,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';

const WRONG = 'correct horse battery stapel';

/** Who is refused; each is another person, so that nobody is slowed. */
const REFUSED = [
  { who: 'an unknown e-mail', email: 'nobody', password: PASSWORD },
  { who: 'a wrong password', email: 'person', password: WRONG },
  { who: 'a wrong password of somebody with a second factor', email: 'guarded', password: WRONG },
  { who: 'a wrong password of a disabled account', email: 'disabled-a', password: WRONG },
  { who: 'the right password of a disabled account', email: 'disabled-b', password: PASSWORD },
  { who: 'an account of a disabled customer', email: 'closed', password: PASSWORD },
  { who: 'an account that was invited', email: 'invited', password: PASSWORD },
].map((one) => ({ ...one, email: `${one.email}@india.example` }));

describe('refusals that must not tell which accounts there are', () => {
  let server: TestAuthServer;
  let portal: RelyingParty;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    portal = await relyingParty(server);
    const { database } = server;
    await database.query(
      `INSERT INTO customer (id, name, disabled_at) VALUES ('closed', 'Closed', now())`,
    );
    for (const [name, customer] of [
      ['disabled-a', 'india'],
      ['disabled-b', 'india'],
      ['closed', 'closed'],
      ['invited', 'india'],
    ] as const) {
      const email = `${name}@india.example`;
      await sqlAccounts(database).create({ email, customer, permissions: [VIEW] });
    }
    await database.query(
      `UPDATE account SET password_hash = (SELECT password_hash FROM account WHERE email = $1),
         disabled_at = CASE WHEN email LIKE 'disabled-%' THEN now() END
       WHERE email LIKE 'disabled-%' OR email LIKE 'closed%'`,
      [server.person.email],
    );
  });
  after(() => server?.stop());

  /** All that an answer says, save what is of this one request alone. */
  const answerOf = async (response: Response, ...own: string[]) => {
    const names = [...response.headers.keys()].filter((name) => name !== 'date').sort();
    const cookies = response.headers.getSetCookie().map((line) => line.split('=')[0]);
    const text = own.reduce(
      (shown, value, index) => shown.replaceAll(value, `own ${index}`),
      (await response.text()).replaceAll('<wbr>', ''),
    );
    const once = /name="csrf" value="[^"]*"|&quot;challenge&quot;:&quot;[^&]*&quot;/g;
    return { status: response.status, names, cookies, text: text.replace(once, '') };
  };

  const expectAlike = async <One extends { who: string }>(
    cases: readonly One[],
    status: number,
    ask: (one: One) => ReturnType<typeof answerOf>,
  ) => {
    const [first, ...others] = cases;
    if (first === undefined) throw new Error('no cases');
    const expected = await ask(first);
    expect(expected.status).to.equal(status);
    expect(expected.names).to.include('content-length');
    for (const one of others) expect(await ask(one), one.who).to.deep.equal(expected);
  };

  it('are one at the sign-in form: status, headers, cookies and page', () =>
    expectAlike(REFUSED, 422, async ({ email, password }) => {
      const browser = new Browser();
      const page = await browser.follow((await authorizationUrl(portal)).url);
      const { response } = await browser.submit(page, { email, password });
      return answerOf(response, email, page.url.pathname.split('/').at(-1) ?? '');
    }));

  it('are one at the token endpoint: status, headers and body', () =>
    expectAlike(REFUSED, 400, async ({ email, password }) =>
      answerOf(await server.postJson({ email, password })),
    ));

  it('are one where a password is forgotten, though only some get a message', async () => {
    await expectAlike(REFUSED, 200, async ({ email }) => {
      const browser = new Browser();
      const page = await browser.follow(`${server.issuer}/password/reset`);
      const { response } = await browser.submit(page, { email });
      return answerOf(response, email);
    });
    const { mailOutbox } = server.config;
    await eventually(async () => {
      const texts = readdirSync(mailOutbox)
        .filter((name) => name.endsWith('.txt'))
        .map((name) => readFileSync(join(mailOutbox, name), 'utf8'));
      const to = texts.map((text) => /^To: (.*)$/m.exec(text)?.[1]).sort();
      expect(to).to.deep.equal([server.guarded.email, server.person.email]);
    });
  });

  it('are one for a service account: unknown, wrong, disabled', async () => {
    const { id, secret } = server.client;
    const grant = 'grant_type=client_credentials';
    const ask = async (clientId: string, tried: string) =>
      answerOf(await server.post(grant, basic(clientId, tried)));
    const unknown = await ask(`svc_${'0'.repeat(26)}`, secret);
    expect(unknown.status).to.equal(401);
    expect(await ask(id, newClientSecret().expose())).to.deep.equal(unknown);
    await serviceAccountRecords(server.database).setDisabled(id, true);
    await eventually(async () => expect(await ask(id, secret)).to.deep.equal(unknown));
  });
});
