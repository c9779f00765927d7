import { expect } from 'chai';
import type { Account } from '../src/accounts/account.ts';
import { MFA_ACR } from '../src/library/sign-in-policy.ts';
import { createPerson, PASSWORD, type TestAuthServer, totpCode } from './support/auth-server.ts';
import {
  describeOnFailingStores,
  type FailingWorld,
  read,
  type Shown,
} from './support/failing-world.ts';
import {
  authorizationUrl,
  Browser,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';
import { type SoftPasskey, softPasskey } from './support/soft-authenticator.ts';
import { useCasesBeside } from './support/use-cases.ts';

type UseCases = Awaited<ReturnType<typeof useCasesBeside>>;

const title = ({ text }: Shown) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
const codesOn = ({ text }: Shown) =>
  [...text.matchAll(/<li><code>([^<]*)<\/code>/g)].map(([, code = '']) => code);
const secretOn = ({ text }: Shown) => /secret=([A-Z2-7]+)/.exec(text)?.[1] ?? '';
/** The form of a passkey on a page, and what it asks the browser for. */
const passkeyFormOn = (page: Shown) => {
  const [, options = ''] = /data-options="([^"]*)"/.exec(page.text) ?? [];
  const start = page.text.lastIndexOf('<form', page.text.indexOf('data-options'));
  const text = page.text.slice(start);
  return { form: { ...page, text }, options: JSON.parse(options.replaceAll('&quot;', '"')) };
};

describeOnFailingStores('a form that failed, sent again', (open) => {
  let world: FailingWorld;
  let server: TestAuthServer;
  let people: UseCases;
  let portal: RelyingParty;
  let account: Account;
  let n = 0;
  before(async () => {
    world = await open();
    ({ server } = world);
    people = await useCasesBeside(server);
    portal = await relyingParty(server);
  });
  after(async () => {
    await people?.close();
    await world?.stop();
  });
  beforeEach(async () => {
    n += 1;
    await createPerson(server.database, `person-${n}@india.example`);
    account = await reload();
  });
  const reload = async () => {
    const found = await people.records.findByEmail(`person-${n}@india.example`);
    if (found === undefined) throw new Error('no such account');
    return found;
  };
  const withoutFactors = async () => {
    await server.database.query('DELETE FROM factor WHERE account_id = $1', [account.id]);
    await server.database.query('DELETE FROM recovery_code WHERE account_id = $1', [account.id]);
  };
  const at = async (browser: Browser, path: string) =>
    read(await browser.follow(`${server.issuer}${path}`));
  const signedIn = async () => {
    const browser = new Browser(world.again);
    const page = await browser.follow(`${server.issuer}/account`);
    await browser.submit(page, { email: account.email, password: PASSWORD });
    return browser;
  };
  const expectFirstCodes = async (page: Shown, name: string) => {
    expect(title(page)).to.equal('Save your recovery codes');
    const codes = codesOn(page);
    expect(codes).to.have.length(10);
    expect(await people.recoveryCodes.areCurrent(account, codes), 'codes that open').to.equal(true);
    const factors = await people.manageFactors.list(account);
    expect(factors.map((factor) => factor.name)).to.deep.equal([name]);
  };

  it('adds the authenticator app that was scanned, and shows its recovery codes', async () => {
    const browser = await signedIn();
    await world.atEachPlace(
      async () => {
        await withoutFactors();
        return at(browser, '/account/factors/totp');
      },
      async (page) =>
        read(await browser.submit(page, { code: totpCode(secretOn(page)), name: 'Phone' })),
      (page) => expectFirstCodes(page, 'Phone'),
    );
  });

  it('adds the passkey that the browser has made, and shows its recovery codes', async () => {
    const browser = await signedIn();
    await world.atEachPlace(
      async () => {
        await withoutFactors();
        const { form, options } = passkeyFormOn(await at(browser, '/account/factors/passkey'));
        const credential = softPasskey(server.issuer, account.id).create(options);
        return { form, credential };
      },
      async ({ form, credential }) =>
        read(await browser.submit(form, { credential, name: 'Laptop' })),
      (page) => expectFirstCodes(page, 'Laptop'),
    );
  });

  it('adds an authenticator app in the middle of a sign-in, which then goes on', async () => {
    await world.atEachPlace(
      async () => {
        await withoutFactors();
        const browser = new Browser(world.again);
        const flow = await authorizationUrl(portal, { acr_values: MFA_ACR });
        const { url } = await browser.submit(await browser.follow(flow.url), {
          ...{ email: account.email, password: PASSWORD },
        });
        return { browser, page: await at(browser, `${url.pathname}/enrol/totp`) };
      },
      async ({ browser, page }) =>
        read(await browser.submit(page, { code: totpCode(secretOn(page)), name: 'Phone' })),
      async (page, { browser }) => {
        await expectFirstCodes(page, 'Phone');
        const { url } = await browser.submit(page, { saved: 'yes' });
        expect(url.searchParams.get('code'), `back at ${url.href}`).to.be.a('string');
      },
    );
  });

  it('shows new recovery codes, and those that it shows count', async () => {
    const browser = await signedIn();
    const adding = await at(browser, '/account/factors/totp');
    await browser.submit(adding, { code: totpCode(secretOn(adding)), name: 'Phone' });
    await world.atEachPlace(
      () => at(browser, '/account/factors/recovery-codes'),
      async (page) => read(await browser.submit(page, { confirm: 'yes' })),
      (page) => expectFirstCodes(page, 'Phone'),
    );
  });

  describe('with a passkey', () => {
    let passkey: SoftPasskey;
    let counter = 1;
    beforeEach(async () => {
      passkey = softPasskey(server.issuer, account.id);
      const options = await people.passkeys.beginCreation(account, 'tests');
      const form = { credential: passkey.create(options, { counter: 1 }), name: 'Key' };
      const added = await people.passkeys.finishCreation(account, 'tests', form, {});
      expect(added).to.have.property('factor');
    });
    /** Presses the button on a page; each use raises the key's counter. */
    const prepared = (browser: Browser, page: Shown) => {
      const { form, options } = passkeyFormOn(page);
      counter += 1;
      return { browser, form, credential: passkey.get(options, { counter }) };
    };
    type Prepared = ReturnType<typeof prepared>;
    const press = async ({ browser, form, credential }: Prepared) =>
      read(await browser.submit(form, { credential }));
    const expectSignedIn = async ({ url }: Shown) =>
      expect(url.searchParams.get('code'), `back at ${url.href}`).to.be.a('string');

    it('signs the person in', async () => {
      await world.atEachPlace(
        async () => {
          const browser = new Browser(world.again);
          const flow = await authorizationUrl(portal);
          return prepared(browser, await read(await browser.follow(flow.url)));
        },
        press,
        expectSignedIn,
      );
    });

    it('takes the second step after a password', async () => {
      await world.atEachPlace(
        async () => {
          const browser = new Browser(world.again);
          const page = await browser.follow((await authorizationUrl(portal)).url);
          const person = { email: account.email, password: PASSWORD };
          return prepared(browser, await read(await browser.submit(page, person)));
        },
        press,
        expectSignedIn,
      );
    });
  });
});
