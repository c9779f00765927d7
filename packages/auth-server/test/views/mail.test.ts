import { expect } from 'chai';
import {
  invitationMail,
  newDeviceMail,
  passwordResetMail,
  type SecurityChange,
  securityChangeMail,
} from '../../src/views/email/messages.ts';
import { type I18n, LOCALES, readMessages } from '../../src/views/i18n.ts';
import { galleryI18n } from '../support/gallery-server.ts';

const AT = new Date('2026-11-21T09:30:00Z');
const frame = { host: 'id.cls.example', supportHref: 'mailto:support@cls.example' };
const where = {
  at: AT,
  device: { browser: 'Firefox', system: 'Windows' },
  address: '203.0.113.24',
};
const reviewHref = 'https://id.cls.example/account/log';
const resetHref = 'https://id.cls.example/password/new?token=abc&lang=de';

const CHANGES = Object.keys(readMessages('en')).flatMap((key) => {
  const change = /^mail\.change\.([a-z_]+)\.subject$/.exec(key)?.[1];
  return change === undefined ? [] : [change as SecurityChange];
});

const allMails = (i18n: I18n, name: string) => [
  ...CHANGES.map((change) =>
    securityChangeMail({ ...frame, ...where, change, name, reviewHref }, i18n),
  ),
  newDeviceMail({ ...frame, ...where, reviewHref }, i18n),
  passwordResetMail({ ...frame, href: resetHref, validForS: 1_800 }, i18n),
  invitationMail({ ...frame, organisation: name, href: resetHref, expiresAt: AT }, i18n),
];

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
    const { text } = newDeviceMail({ ...frame, ...where, reviewHref }, i18n);
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

  it('a reset message keeps its link whole and says that the second step stays', () => {
    const mail = passwordResetMail(
      { ...frame, href: resetHref, validForS: 1_800 },
      galleryI18n('en'),
    );
    expect(mail.text).to.include(`\n${resetHref}\n`).and.include('30 minutes');
    expect(mail.text).to.include('second step');
  });
});
