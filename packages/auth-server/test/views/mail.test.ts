import { API_PERMISSIONS } from '@cls/shared/access-token';
import { LOCALES } from '@cls/shared/pages/browser';
import { expect } from 'chai';
import type { SecretCompromised } from '../../src/notices/customer-notice.ts';
import {
  invitationElsewhereMail,
  invitationMail,
  newDeviceMail,
  organisationInvitationMail,
  passwordResetMail,
  type SecurityChange,
  type SignedInBy,
  secretCompromisedMail,
  securityChangeMail,
} from '../../src/views/email/messages.ts';
import { type I18n, readMessages } from '../../src/web/i18n.ts';
import { galleryI18n } from '../support/gallery-server.ts';

const AT = new Date('2026-11-21T09:30:00Z');
const frame = { host: 'id.cls.example', supportHref: 'mailto:support@cls.example' };
const where = {
  at: AT,
  device: { browser: 'Firefox', system: 'Windows' },
  address: '203.0.113.24',
};
const hrefs = {
  log: 'https://id.cls.example/account/log',
  reset: 'https://id.cls.example/password/reset',
  factors: 'https://id.cls.example/account/factors',
  applications: 'https://id.cls.example/account/applications',
};
const resetHref = 'https://id.cls.example/password/new?token=abc&lang=de';

const accountHref = 'https://id.cls.example/account';

const CHANGES = Object.keys(readMessages('en')).flatMap((key) => {
  const change = /^mail\.change\.([a-z_]+)\.subject$/.exec(key)?.[1];
  return change === undefined ? [] : [change as SecurityChange];
});

const changeMail = (change: SecurityChange, hasPassword: boolean, i18n: I18n, name = 'Pixel 9') =>
  securityChangeMail({ ...frame, ...where, change, name, hasPassword, hrefs }, i18n);

const allMails = (i18n: I18n, name: string) => [
  ...CHANGES.map((change) => changeMail(change, true, i18n, name)),
  newDeviceMail({ ...frame, ...where, signedInBy: 'password', hrefs }, i18n),
  passwordResetMail({ ...frame, href: resetHref, validForS: 1_800 }, i18n),
  invitationMail({ ...frame, organisation: name, href: resetHref, expiresAt: AT }, i18n),
  organisationInvitationMail({ ...frame, organisation: name, href: accountHref }, i18n),
  invitationElsewhereMail({ ...frame, organisation: name, href: accountHref }, i18n),
  secretCompromisedMail({ ...frame, at: AT, noticeId: 'ntc_1', notice: leaked(name) }, i18n),
];

const leaked = (name: string) => ({
  ...{ serviceAccount: 'svc_1', name, secretIds: ['sec_1'], newSecretId: 'sec_2' },
  ...{ tokensRevokedBefore: AT.toISOString(), reportedBy: 'secret_scanning' as const },
  foundAt: 'https://code.example/bank/ledger/blob/main/.env#L3',
});

describe('e-mail messages', () => {
  for (const locale of LOCALES) {
    it(`are complete in ${locale}: subject, text and HTML with the same links`, () => {
      const mails = allMails(galleryI18n(locale), 'Pixel 9');
      expect(new Set(mails.map(({ subject }) => subject)).size).to.equal(mails.length);
      for (const { subject, text, html } of mails) {
        expect(subject).to.match(/^\S.*\S$/);
        expect(`${subject}${text}${html}`).not.to.match(/\{[a-zA-Z]+\}|undefined/);
        const links = text.match(/(?:https|mailto):\S+/g) ?? [];
        const linked = [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) =>
          href?.replaceAll('&amp;', '&'),
        );
        expect(linked).to.deep.equal(links).and.not.empty;
        expect(html)
          .to.include(`lang="${locale}"`)
          .and.not.match(/<(script|img|link)/);
      }
    });
  }

  it('say when, on what device and from which address', () => {
    const i18n = galleryI18n('en');
    const { text } = newDeviceMail({ ...frame, ...where, signedInBy: 'password', hrefs }, i18n);
    expect(text).to.include('When: 21 Nov 2026, 09:30 UTC');
    expect(text).to.include('Device: Firefox on Windows');
    expect(text).to.include('Network address: 203.0.113.24');
  });

  it('escape a hostile name in HTML and keep the subject one line', () => {
    const mails = allMails(galleryI18n('en'), '<img src=x>\r\nBcc: a@evil.example');
    for (const { subject, html } of mails) {
      expect(subject).not.to.match(/[\r\n]/);
      expect(html).not.to.include('<img');
    }
  });

  it('a message about a leaked secret says where the next one comes from', () => {
    const i18n = galleryI18n('en');
    const { newSecretId: _, ...none } = leaked('Ledger');
    const textOf = (notice: SecretCompromised) =>
      secretCompromisedMail({ ...frame, at: AT, noticeId: 'ntc_1', notice }, i18n).text;
    expect(textOf(leaked('Ledger')))
      .to.include('New secret: sec_2')
      .and.include('We made a new');
    expect(textOf(none)).to.include('until it has a new secret').and.not.include('New secret:');
  });

  it('a reset message keeps its link whole and says that the second step stays', () => {
    const mail = passwordResetMail(
      { ...frame, href: resetHref, validForS: 1_800 },
      galleryI18n('en'),
    );
    expect(mail.text).to.include(`\n${resetHref}\n`).and.include('30 minutes');
    expect(mail.text).to.include('second step');
  });

  for (const locale of LOCALES) {
    const i18n = galleryI18n(locale);

    it(`speak of a password to nobody who has none, in ${locale}`, () => {
      const mails = [
        ...CHANGES.filter((change) => change !== 'password_changed').map((change) =>
          changeMail(change, false, i18n),
        ),
        newDeviceMail({ ...frame, ...where, signedInBy: 'organisation', hrefs }, i18n),
        newDeviceMail({ ...frame, ...where, signedInBy: 'passkey', hrefs }, i18n),
        organisationInvitationMail({ ...frame, organisation: 'India', href: accountHref }, i18n),
      ];
      for (const { text } of mails) {
        expect(text.replace(i18n.t('mail.closing', frame), '')).not.to.match(/passwor[dt]/i);
      }
    });

    it(`say in words what an account may do from now on, in ${locale}`, () => {
      const { text } = changeMail('permissions_changed', true, i18n, API_PERMISSIONS.join(' '));
      for (const name of API_PERMISSIONS) {
        expect(text)
          .to.include(i18n.t(`mail.permission.${name}`))
          .and.not.include(name);
      }
    });

    it(`send nobody whose account is off to pages that they cannot open, in ${locale}`, () => {
      const { text } = changeMail('account_disabled', true, i18n);
      expect(text.match(/(?:https|mailto):\S+/g)).to.deep.equal([frame.supportHref]);
    });
  }

  it('lead to where their reader can do something', () => {
    const en = galleryI18n('en');
    const device = (signedInBy: SignedInBy) =>
      newDeviceMail({ ...frame, ...where, signedInBy, hrefs }, en).text;
    expect(changeMail('factor_added', true, en).text).to.include(hrefs.reset);
    expect(changeMail('factor_added', false, en).text)
      .to.include('help desk')
      .and.not.include(hrefs.reset);
    expect(changeMail('device_connected', true, en).text).to.include(hrefs.applications);
    expect(device('password')).to.include(hrefs.reset);
    expect(device('passkey')).to.include(hrefs.factors).and.not.include(hrefs.reset);
    expect(device('organisation')).to.include('help desk').and.not.include(hrefs.reset);
  });
});
