import { LOCALES } from '@cls/shared/pages/browser';
import { expect } from 'chai';
import { signInPage } from '../../src/views/sign-in/sign-in.ts';
import { readAssets } from '../../src/web/assets.ts';
import { errorKind, errorPage } from '../../src/web/error.ts';
import { readMessages } from '../../src/web/i18n.ts';
import { GALLERY } from '../support/gallery.ts';
import { galleryFrame, galleryI18n } from '../support/gallery-server.ts';

const assets = readAssets();

describe('pages', () => {
  for (const locale of LOCALES) {
    const i18n = galleryI18n(locale);
    for (const { name, render } of GALLERY) {
      it(`${name} [${locale}] is a whole page without inline code`, () => {
        const markup = render(galleryFrame(assets.paths, name), i18n);
        expect(markup).to.match(/^<!doctype html>\n<html lang="(en|de)">/);
        expect(markup).to.include(`<html lang="${locale}">`);
        expect(markup).to.match(/<title>[^<]+ – CLS<\/title>/);
        expect(markup.match(/<h1>/g)).to.have.length(1);
        expect(markup).not.to.match(/\{[a-zA-Z]+\}|undefined|\[object|\(\)/);
        expect(markup).not.to.match(/ style=| on[a-z]+=|<style/);
        for (const [, attributes] of markup.matchAll(/<script([^>]*)>/g)) {
          expect(attributes).to.include('src="/assets/');
        }
        const ids = [...markup.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
        expect(new Set(ids).size, 'unique ids').to.equal(ids.length);
      });
    }
  }

  it('put the session’s csrf token into every form that stays here', () => {
    for (const { name, render } of GALLERY) {
      if (name === 'continue') continue; // Goes to an application, which must not see it.
      const markup = render(galleryFrame(assets.paths, name), galleryI18n('en'));
      const forms = markup.match(/<form method="post"/g) ?? [];
      const tokens = markup.match(/name="csrf" value="csrf-token"/g) ?? [];
      expect(tokens.length, name).to.equal(forms.length);
    }
  });

  it('speak of no password to somebody who has none, who signs in through an organisation', () => {
    for (const name of ['account--upstream', 'security-log--upstream']) {
      const page = GALLERY.find((each) => each.name === name);
      const markup = page?.render(galleryFrame(assets.paths, name), galleryI18n('en')) ?? '';
      expect(markup).to.include('/account/factors').and.not.include('/account/password');
      expect(markup).not.to.match(/change your password|stolen password/);
    }
  });

  it('tell who never had recovery codes from who has used all of them', () => {
    const shown = (name: string) =>
      GALLERY.find((each) => each.name === name)?.render(
        galleryFrame(assets.paths, name),
        galleryI18n('en'),
      );
    expect(shown('account--no-codes')).to.include('You have no recovery codes yet.');
    expect(shown('account--used-codes')).to.include('You have no recovery codes left.');
    expect(shown('account--few-codes')).to.include('You have 1 recovery code left.');
  });

  it('tie each problem to its field, and say so in the title', () => {
    const page = GALLERY.find(({ name }) => name === 'sign-in--empty');
    const markup = page?.render(galleryFrame(assets.paths, 'x'), galleryI18n('en'));
    expect(markup).to.include('<title>Error: Sign in – CLS</title>');
    expect(markup).to.match(/role="alert" tabindex="-1" autofocus/);
    expect(markup).to.include('<a href="#email">Enter your e-mail address.</a>');
    expect(markup).to.match(/id="email"[^>]*aria-invalid="true" aria-describedby="email-problem"/);
    expect(markup).to.include('id="email-problem"');
  });

  it('say the problem of one field once, at the field, which gets the focus', () => {
    const failed = GALLERY.map(({ name, render }) =>
      render(galleryFrame(assets.paths, name), galleryI18n('en')),
    ).filter((markup) => markup.includes('<title>Error:') && !markup.includes('role="alert" tabi'));
    expect(failed).not.to.have.length(0);
    for (const markup of failed) {
      expect(markup.match(/ autofocus/g)).to.have.length(1);
      expect(markup).to.match(
        /<input[^>]* aria-invalid="true" autofocus aria-describedby="[^"]*-problem"/,
      );
    }
  });

  it('show what others typed as text, never as markup', () => {
    const hostile = `"><img src=x onerror=alert(1)>`;
    const markup = signInPage(
      {
        frame: { ...galleryFrame(assets.paths, 'x'), csrfToken: hostile },
        action: '/sign-in',
        email: hostile,
        application: { name: hostile, host: hostile },
        resetHref: '/reset',
        passkey: { action: '/passkey', options: { challenge: hostile } },
        upstream: { organisation: hostile, host: hostile, action: '/upstream' },
        problems: [],
      },
      galleryI18n('en'),
    );
    expect(markup).not.to.include('<img');
    expect(markup.split('&lt;img src=x onerror=alert(1)&gt;').length).to.be.greaterThan(6);
  });
});

describe('error page', () => {
  const frame = galleryFrame(assets.paths, 'error');

  it('is in the gallery for each kind of failure', () => {
    const kinds = Object.keys(readMessages('en')).flatMap(
      (key) => /^error\.([a-z_]+)\.title$/.exec(key)?.[1] ?? [],
    );
    for (const kind of kinds) {
      const name = `error--${kind.replaceAll('_', '-')}`;
      expect(GALLERY.map((each) => each.name)).to.include(name);
    }
  });

  for (const error of [
    'invalid_request',
    'invalid_client',
    'invalid_redirect_uri',
    'access_denied',
    'login_required',
    'server_error',
    'never_heard_of',
    '__proto__',
    'constructor',
  ]) {
    it(`tells ${error} in plain words, with a reference and without the bare code`, () => {
      const kind = errorKind(error);
      const markup = errorPage(
        { frame, kind, referenceId: 'req_1234', nextLink: { to: 'account', href: '/account' } },
        galleryI18n('en'),
      );
      expect(markup).to.include('<code>req_1234</code>').and.not.include(error);
      expect(markup).to.include('href="/account">Go to your account</a>');
    });
  }
});
