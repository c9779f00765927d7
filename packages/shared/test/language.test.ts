import { expect } from 'chai';
import { negotiateLanguage } from '../src/pages/browser.ts';

describe('language of a page', () => {
  for (const { given, wishes, language } of [
    { given: 'nothing', wishes: {}, language: 'en' },
    { given: 'the reader’s choice', wishes: { cookie: 'de', uiLocales: 'en' }, language: 'de' },
    { given: 'ui_locales', wishes: { uiLocales: 'de', acceptLanguage: 'en' }, language: 'de' },
    { given: 'ui_locales in their order', wishes: { uiLocales: 'fr de-AT en' }, language: 'de' },
    {
      given: 'the cookie before Accept-Language',
      wishes: { cookie: 'de', acceptLanguage: 'en' },
      language: 'de',
    },
    { given: 'a region', wishes: { acceptLanguage: 'de-CH' }, language: 'de' },
    { given: 'weights', wishes: { acceptLanguage: 'en;q=0.5, de;q=0.9, fr' }, language: 'de' },
    {
      given: 'equal weights, written otherwise',
      wishes: { acceptLanguage: 'en, de;q=1.0' },
      language: 'en',
    },
    {
      given: 'equal weights in the order of the header',
      wishes: { acceptLanguage: 'fr, de;q=0.80, en;q=0.8' },
      language: 'de',
    },
    {
      given: 'a weight in capitals',
      wishes: { acceptLanguage: 'en;Q=0.1, de;q=0.5' },
      language: 'de',
    },
    {
      given: 'a refusal by weight 0',
      wishes: { acceptLanguage: 'de;q=0, en;q=0.1' },
      language: 'en',
    },
    { given: 'a malformed weight', wishes: { acceptLanguage: 'de;q=7, en;q=0.1' }, language: 'en' },
    {
      given: 'unknown languages only',
      wishes: { uiLocales: 'xx', cookie: '', acceptLanguage: 'fr' },
      language: 'en',
    },
    { given: 'capitals', wishes: { uiLocales: 'DE-de' }, language: 'de' },
    { given: 'garbage', wishes: { cookie: '__proto__', acceptLanguage: ';;,=,*' }, language: 'en' },
  ] as const) {
    it(`${given}: ${language}`, () => {
      expect(negotiateLanguage(wishes)).to.equal(language);
    });
  }
});
