import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { focusReaches, NARROW, objections, widthOf } from '@cls/testing/accessibility';
import { sharedBrowser } from '@cls/testing/browser';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import { expect } from 'chai';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { GALLERY } from '../support/gallery.ts';
import { type GalleryServer, startGallery } from '../support/gallery-server.ts';
import { virtualAuthenticator } from '../support/virtual-authenticator.ts';

/** WCAG 2.2 asks for 24 px; thumbs ask for more. */
const TARGET_PX = 44;
/** The buttons, fields and links that stand alone and are lower. */
const SMALL_TARGETS = `[...document.querySelectorAll(
    'button, .field input, .check, .button, nav a, .after a, .others a, .foot a, summary, .do a'
  )].filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < ${TARGET_PX} - 0.5)
    .map((each) => each.outerHTML + each.getBoundingClientRect().height)`;

describe('pages in Chromium', () => {
  let browser: Browser;
  let gallery: GalleryServer;
  const contexts: BrowserContext[] = [];

  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext(options);
    contexts.push(context);
    return context.newPage();
  };

  before(async function () {
    browser = await sharedBrowser(this);
    gallery = await startGallery();
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
  after(() => gallery?.stop());

  for (const [colorScheme, locale] of [
    ['light', 'en'],
    ['dark', 'de'],
  ] as const) {
    it(`meet WCAG, ask no other host, keep their policy, fit 320 px, and give targets ${TARGET_PX} px [${colorScheme}, ${locale}]`, async () => {
      const page = await open({ colorScheme });
      const found: string[] = [];
      let shown = '';
      const add = (what: string) => found.push(`${shown}: ${what}`);
      page.on('request', (request) => {
        if (!request.url().startsWith(gallery.origin)) add(`asks ${request.url()}`);
      });
      page.on('console', (message) => {
        if (message.type() === 'error') add(message.text());
      });
      page.on('pageerror', (error) => add(error.message));
      for (const [turn, { name }] of GALLERY.entries()) {
        shown = name;
        await page.setViewportSize({ width: 1280, height: 720 });
        await page.goto(gallery.href(name, locale));
        // What neither colours nor words decide is the same in both: all rules see one of them.
        const rules = EXHAUSTIVE || turn % 2 === (locale === 'en' ? 0 : 1) ? 'all' : 'colours';
        for (const objection of await objections(page, rules)) add(objection);
        await page.setViewportSize(NARROW);
        const width = await widthOf(page);
        if (width !== NARROW.width) add(`${width} px wide`);
        for (const small of await page.evaluate<string[]>(SMALL_TARGETS)) add(small);
      }
      expect(found).to.deep.equal([]);
    });
  }

  it('lead the keyboard through sign-in in reading order, each stop visible', async () => {
    const page = await open();
    await page.goto(gallery.href('sign-in'));
    await focusReaches(page, 'email');
    const stops: string[] = [];
    for (let stop = 0; stop < 8; stop += 1) {
      const { label, outline } = await page.evaluate<{ label: string; outline: string }>(`({
        label: document.activeElement.name || document.activeElement.ariaLabel || document.activeElement.textContent.trim(),
        outline: getComputedStyle(document.activeElement).outlineStyle })`);
      expect(outline, label).to.equal('solid');
      stops.push(label);
      await page.keyboard.press('Tab');
    }
    expect(stops).to.deep.equal([
      'email',
      'password',
      'Show password',
      'Forgot your password?',
      'remember_device',
      'Sign in',
      'Sign in with a passkey',
      'Sign in through your organisation',
    ]);
  });

  it('put the focus on the problems of a form that came back, with and without JavaScript', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open({ javaScriptEnabled });
      await page.goto(gallery.href('change-password--refused'));
      await page.locator('.problems:focus').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.hash === '#password');
      expect(await page.locator('.problems').getAttribute('role')).to.equal('alert');
    }
  });

  it('sign in without JavaScript', async () => {
    const page = await open({ javaScriptEnabled: false });
    await page.goto(gallery.href('sign-in'));
    expect(await page.locator('button:visible').allTextContents()).to.deep.equal(['Sign in']);
    await page.getByLabel('E-mail address').fill('anna@lindholm.example');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${gallery.origin}/sign-in`);
    expect(Object.fromEntries(gallery.received.at(-1) ?? [])).to.deep.equal({
      csrf: 'csrf-token',
      email: 'anna@lindholm.example',
      password: 'correct horse',
    });
  });

  for (const without of ['JavaScript', 'passkeys in the browser'] as const) {
    it(`announce no other way to sign in where there is none, without ${without}`, async () => {
      const page = await open({ javaScriptEnabled: without !== 'JavaScript' });
      await page.addInitScript('delete globalThis.PublicKeyCredential');
      await page.goto(gallery.href('sign-in--wrong-credentials'));
      expect(await page.locator('.or:visible, form[data-passkey]:visible').count()).to.equal(0);
      await page.goto(gallery.href('sign-in'));
      expect(await page.locator('.or:visible').count(), 'with an organisation').to.equal(1);
    });
  }

  it('announce a passkey where the browser knows passkeys', async () => {
    const page = await open();
    await page.goto(gallery.href('sign-in--wrong-credentials'));
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(await page.locator('.or:visible').count()).to.equal(1);
  });

  it('say that a passkey needs JavaScript where there is none, and offer the other ways', async () => {
    const page = await open({ javaScriptEnabled: false });
    await page.goto(gallery.href('second-factor--passkey'));
    expect(await page.getByText('Passkeys need JavaScript').isVisible()).to.equal(true);
    expect(await page.getByRole('link', { name: 'Use a recovery code' }).isVisible()).to.equal(
      true,
    );
  });

  it('show the password on demand and hide it again before it is sent', async () => {
    const page = await open();
    await page.goto(gallery.href('step-up'));
    const input = page.getByLabel('Password', { exact: true });
    const button = page.getByRole('button', { name: 'Show password' });
    await button.click();
    expect(await input.getAttribute('type')).to.equal('text');
    expect(await button.getAttribute('aria-pressed')).to.equal('true');
    await input.fill('correct horse');
    await page.evaluate(`document.querySelector('main form').addEventListener('submit', (event) => {
      event.preventDefault(); })`);
    await page.getByRole('button', { name: 'Confirm' }).click();
    expect(await input.getAttribute('type')).to.equal('password');
  });

  it('copy and download recovery codes, a line each', async () => {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(gallery.href('recovery-codes'));
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied.trim().split('\n')).to.have.length(10);
    expect(copied).to.match(/^k3vq-1o8t-n5xr\n/);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const file = await download;
    expect(file.suggestedFilename()).to.equal('cls-recovery-codes.txt');
    const text = readFileSync(await file.path(), 'utf8');
    expect(text).to.include('anna.lindholm@lindholm.example').and.include('\nk3vq-1o8t-n5xr\n');
  });

  it('print recovery codes with whose they are, and no button', async () => {
    const page = await open();
    await page.goto(gallery.href('recovery-codes'));
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.printed').isVisible()).to.equal(true);
    expect(await page.locator('#codes').isVisible()).to.equal(true);
    expect(await page.locator('button:visible').count()).to.equal(0);
  });

  it('send a form once, though its button is pressed again while the answer is awaited', async () => {
    const page = await open();
    await page.goto(gallery.href('consent'));
    let sent = 0;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(`${gallery.origin}/consent`, async (route) => {
      sent += 1;
      await answered;
      await route.fulfill({ contentType: 'text/html', body: '<title>done</title>' });
    });
    const pressed = page.waitForEvent('console', (message) => message.text() === 'pressed');
    await page.evaluate(`(() => {
      let presses = 0;
      const timer = setInterval(() => {
        document.querySelector('[value=allow]').click();
        presses += 1;
        if (presses === 3) { clearInterval(timer); console.log('pressed'); }
      }, 100);
    })()`);
    await pressed;
    answer();
    await page.waitForURL(`${gallery.origin}/consent`);
    expect(sent).to.equal(1);
  });

  it('follow a form’s redirect to the application that the policy names, and to no other', async () => {
    const application = createServer((_, response) => response.end('<title>arrived</title>'));
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    const { port } = application.address() as AddressInfo;
    const callback = `http://127.0.0.1:${port}/callback?code=x`;
    const own = await startGallery();
    try {
      for (const { targets, title } of [
        { targets: [callback], title: 'arrived' },
        { targets: [], title: 'Allow access? – CLS' },
      ]) {
        own.redirectForms(callback, targets);
        const page = await open();
        const blocked = page.waitForEvent('console', {
          predicate: (message) => message.text().includes('form-action'),
        });
        await page.goto(own.href('consent'));
        await page.getByRole('button', { name: 'Allow' }).click();
        if (title === 'arrived') {
          blocked.catch(() => undefined); // The page closes without such a message.
          await page.waitForURL(callback);
        } else {
          await blocked;
        }
        expect(await page.title()).to.equal(title);
      }
    } finally {
      application.closeAllConnections();
      application.close();
      await own.stop();
    }
  });

  describe('with an authenticator', () => {
    const sentCredential = () =>
      JSON.parse(gallery.received.at(-1)?.get('credential') ?? '{}') as {
        id?: string;
        type?: string;
        response?: Record<string, string>;
      };

    const register = async (page: Page) => {
      await page.goto(gallery.href('add-passkey'));
      await page.getByLabel('Name of this passkey').fill('Work laptop');
      await page.getByRole('button', { name: 'Create passkey' }).click();
      await page.waitForURL('**/account/factors/passkey');
      return sentCredential();
    };

    for (const api of ['standard', 'fallback'] as const) {
      it(`create a passkey and use it, by the ${api} JSON methods`, async () => {
        const page = await open();
        await virtualAuthenticator(page);
        if (api === 'fallback') {
          await page.addInitScript(`
            delete PublicKeyCredential.parseCreationOptionsFromJSON;
            delete PublicKeyCredential.parseRequestOptionsFromJSON;
            PublicKeyCredential.prototype.toJSON = () => { throw new TypeError('not here'); };`);
        }
        const created = await register(page);
        expect(gallery.received.at(-1)?.get('name')).to.equal('Work laptop');
        expect(created.type).to.equal('public-key');
        expect(created.response).to.include.keys('clientDataJSON', 'attestationObject');

        await page.goto(gallery.href('second-factor--passkey'));
        await page.getByRole('button', { name: 'Use passkey' }).click();
        await page.waitForURL('**/sign-in/second-factor');
        const used = sentCredential();
        expect(used.id).to.equal(created.id);
        expect(used.response).to.include.keys('clientDataJSON', 'authenticatorData', 'signature');
        const clientData = Buffer.from(used.response?.['clientDataJSON'] ?? '', 'base64url');
        expect(JSON.parse(clientData.toString())).to.include({
          type: 'webauthn.get',
          challenge: 'Y2hhbGxlbmdlLWNoYWxsZW5nZS1jaGFsbGVuZ2U',
        });
      });
    }

    it('sign in by the autofill of the e-mail field, nothing pressed', async () => {
      const page = await open();
      await virtualAuthenticator(page);
      const created = await register(page);
      await page.goto(gallery.href('sign-in'));
      await page.waitForURL('**/sign-in/passkey');
      expect(sentCredential().id).to.equal(created.id);
    });

    it('say that nothing was sent when the person gives up, and let them try again', async () => {
      const page = await open();
      const authenticator = await virtualAuthenticator(page);
      const created = await register(page);
      await authenticator.verify(false);
      await page.goto(gallery.href('second-factor--passkey'));
      await page.evaluate(`(() => {
        const form = document.querySelector('[data-passkey]');
        form.dataset.options = JSON.stringify({
          ...JSON.parse(form.dataset.options), userVerification: 'required' });
      })()`);
      const before = gallery.received.length;
      await page.getByRole('button', { name: 'Use passkey' }).click();
      await page.getByText('The request was cancelled').waitFor();
      expect(gallery.received).to.have.length(before);
      await authenticator.verify(true);
      await page.getByRole('button', { name: 'Use passkey' }).click();
      await page.waitForURL('**/sign-in/second-factor');
      expect(sentCredential().id).to.equal(created.id);
    });

    it('say that the device has a passkey already', async () => {
      const page = await open();
      await virtualAuthenticator(page);
      const { id } = await register(page);
      await page.goto(gallery.href('add-passkey'));
      await page.evaluate(`(() => {
        const form = document.querySelector('[data-passkey]');
        form.dataset.options = JSON.stringify({ ...JSON.parse(form.dataset.options),
          excludeCredentials: [{ type: 'public-key', id: '${id}' }] });
      })()`);
      await page.getByLabel('Name of this passkey').fill('Again');
      await page.getByRole('button', { name: 'Create passkey' }).click();
      await page.getByText('already has a passkey').waitFor();
    });
  });
});
