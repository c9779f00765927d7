import { expect } from 'chai';
import { asPersonName } from '../src/accounts/display-name.ts';
import { EMAIL_EXPECTED, emailProblem } from '../src/organisations/email-address.ts';

const HIDDEN = 'the e-mail address has characters that do not show';
const MIXED = 'the e-mail address mixes letters of several alphabets';
const LOOKS_LATIN = 'the e-mail address has letters that look like Latin ones, and are not';

describe('the e-mail address of a new account', () => {
  for (const [email, problem] of [
    ['asha@india.example', undefined],
    [' Asha.Rao+cls@India.Example ', undefined],
    ["o'neil@bank.example", undefined],
    ['jürgen@bücher.example', undefined],
    ['мария@пример.example', undefined],
    ['tanaka田中@example.jp', undefined],
    ['田中ー@例え.example', undefined],
    ['𝐚sha@india.example', undefined],
    ['', EMAIL_EXPECTED],
    ['a@b', EMAIL_EXPECTED],
    ['a@127.0.0.1', EMAIL_EXPECTED],
    ['a b@india.example', EMAIL_EXPECTED],
    ['a@b@india.example', EMAIL_EXPECTED],
    ['<a@india.example', EMAIL_EXPECTED],
    ['a,b@india.example', EMAIL_EXPECTED],
    ['a\u0000@india.example', HIDDEN],
    ['as\u200Bha@india.example', HIDDEN],
    ['as\u00ADha@india.example', HIDDEN],
    ['asha\u202E@india.example', HIDDEN],
    ['a\u3164@india.example', HIDDEN],
    ['a\uE000@india.example', HIDDEN],
    ['j\u043Ehn@bank.example', MIXED],
    ['john@b\u0430nk.example', MIXED],
    ['john@xn--bnk-6cd.example', MIXED],
    ['\u03BFlga@bank.example', MIXED],
    ['\u0441\u0435\u043E@bank.example', LOOKS_LATIN],
    ['\u0441\u0435\u043E.1@bank.example', LOOKS_LATIN],
  ] as const) {
    it(`${JSON.stringify(email)}: ${problem ?? 'is taken'}`, () => {
      expect(emailProblem(email)).to.equal(problem);
    });
  }
});

describe('the name of a person', () => {
  for (const name of [
    'J.R.R. Tolkien',
    'Dr. Smith',
    'O’Neil, Ann',
    'Renée/Ann',
    '田中 太郎',
    'Jr.',
  ]) {
    it(`is ${name}`, () => expect(asPersonName(name)).to.equal(name));
  }
  for (const name of ['evil.example', 'see https://x', '//x', 'WWW.EVIL.COM', 'a@b', 'a\u200Bb']) {
    it(`is not ${JSON.stringify(name)}`, () => expect(asPersonName(name)).to.equal(undefined));
  }
});
