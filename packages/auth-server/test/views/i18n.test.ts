import { PERMISSIONS } from '@cls/shared/access-token';
import { html } from '@cls/shared/http/html';
import { LOCALES } from '@cls/shared/pages/browser';
import { expect } from 'chai';
import { type CountKey, type MessageKey, readMessages } from '../../src/web/i18n.ts';
import { galleryI18n } from '../support/gallery-server.ts';

const placeholders = (text: string) =>
  [...new Set(text.match(/\{[a-zA-Z]+\}/g) ?? [])].sort().join(' ');

describe('messages', () => {
  const en = readMessages('en');
  for (const locale of LOCALES.filter((each) => each !== 'en')) {
    const other = readMessages(locale);

    it(`${locale} has exactly the keys of en, in the same order`, () => {
      expect(Object.keys(other)).to.deep.equal(Object.keys(en));
    });

    it(`${locale} has the placeholders of en in each message`, () => {
      for (const key of Object.keys(en) as MessageKey[]) {
        expect(placeholders(other[key]), key).to.equal(placeholders(en[key]));
      }
    });
  }

  it('has no empty message and no markup', () => {
    for (const locale of LOCALES) {
      for (const [key, text] of Object.entries(readMessages(locale))) {
        expect(text.trim(), key).to.equal(text).and.not.equal('');
        expect(text, key).not.to.match(/[<>&]/);
      }
    }
  });

  it('has a sentence for each permission', () => {
    for (const permission of PERMISSIONS) expect(en).to.have.any.keys(`permission.${permission}`);
  });

  it('has both forms of each counted message', () => {
    const keys = Object.keys(en);
    const stems = keys.filter((key) => key.endsWith('.one')).map((key) => key.slice(0, -4));
    expect(stems).not.to.be.empty;
    for (const stem of stems as CountKey[]) expect(keys).to.include(`${stem}.other`);
  });
});

describe('i18n', () => {
  const en = galleryI18n('en');
  const de = galleryI18n('de');
  const instant = new Date('2026-03-04T21:05:00Z');

  it('names the time zone beside a time and writes months as words', () => {
    expect(en.dateTime(instant)).to.equal('4 Mar 2026, 21:05 UTC');
    expect(de.dateTime(instant)).to.equal('4. März 2026, 21:05 UTC');
    expect(en.date(instant)).to.equal('4 March 2026');
  });

  it('rounds a wait up, never down', () => {
    expect(en.duration(1)).to.equal('1 second');
    expect(en.duration(61)).to.equal('2 minutes');
    expect(en.duration(3_600)).to.equal('1 hour');
    expect(de.duration(86_401)).to.equal('2 Tage');
    expect(en.duration(0)).to.equal('1 second');
  });

  it('counts in the language’s own forms', () => {
    expect(en.count('overview.sessions', 1)).to.equal('1 open session');
    expect(de.count('overview.sessions', 0)).to.equal('0 offene Sitzungen');
    expect(en.count('overview.factors', 0)).to.equal('None set up yet');
  });

  it('escapes text in a message with markup, and keeps the markup', () => {
    const text = en.rich('signIn.toContinue', { application: html`<b>${'<x>'}</b>` });
    expect(text.toString()).to.equal('to continue to <b>&lt;x&gt;</b>');
    expect(en.rich('signIn.toContinue', { application: '<x>' }).toString()).to.include('&lt;x&gt;');
  });

  it('fills a placeholder’s value as it is, even one that looks like a placeholder', () => {
    expect(en.t('log.event.signed_in', {})).to.equal('Signed in');
    expect(en.t('permission.other', { name: '{name} $&' })).to.equal(
      'Use the permission “{name} $&”',
    );
  });

  it('throws when a placeholder has no value', () => {
    expect(() => en.t('permission.other')).to.throw(TypeError, '{name}');
    expect(() => en.rich('signIn.toContinue', {})).to.throw(TypeError, '{application}');
  });
});
