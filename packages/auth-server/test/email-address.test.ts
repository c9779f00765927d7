import { expect } from 'chai';
import { asPersonName } from '../src/accounts/display-name.ts';
import { EMAIL_EXPECTED, emailProblem } from '../src/organisations/email-address.ts';
import { isPlainEmail } from '../src/organisations/upstream-claims.ts';

const HIDDEN = 'the e-mail address has characters that do not show';
const MIXED = 'the e-mail address mixes letters of several alphabets';
const LOOKS_LATIN = 'the e-mail address has letters that look like Latin ones, and are not';
const LOOKS_PLAIN = 'the e-mail address has letters that look like plain ones, and are not';

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
    ['x@\u0430\u0440\u0440\u04CF\u0435.com', LOOKS_LATIN],
    ['x@mail.\u0430\u0440\u0440\u04CF\u0435.com', LOOKS_LATIN],
    ['x@\u0441\u043E\u0440.\u0440\u0444', undefined],
    ['ali\u0307ce@bank.example', LOOKS_PLAIN],
    ['ALİCE@bank.example', LOOKS_PLAIN],
    ['j\u0307im@bank.example', LOOKS_PLAIN],
    ['al\u0131ce@bank.example', LOOKS_PLAIN],
    ['alice@bank\u0131ng.example', LOOKS_PLAIN],
    ['a\u01C0ice@bank.example', LOOKS_PLAIN],
    ['\u0251lice@bank.example', LOOKS_PLAIN],
    ['mari\u0301a@bank.example', undefined],
    ['nguyễn@bank.example', undefined],
  ] as const) {
    it(`${JSON.stringify(email)}: ${problem ?? 'is taken'}`, () => {
      expect(emailProblem(email)).to.equal(problem);
    });
  }
});

describe('the e-mail address that a provider says', () => {
  for (const [claim, good] of [
    ['asha@india.example', true],
    ['Asha@India.example', true],
    ['jürgen@india.example', true],
    // The Kelvin sign, a wide letter, and a ligature become plain letters: another person's.
    ['\u212Aate@india.example', false],
    ['\uFF41sha@india.example', false],
    ['o\uFB03ce@india.example', false],
    [undefined, false],
  ] as const) {
    it(`${JSON.stringify(claim)} ${good ? 'names' : 'does not name'} one person`, () => {
      expect(isPlainEmail(claim)).to.equal(good);
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
    'Dr.Who',
    'J.Smith',
    'St.John',
    'A.B.C.',
    'Ph.D. Ann Lee',
    'W.E.B. Du Bois',
    'J.R.R.Tolkien',
    'J.-P. Sartre',
    'D.O’Neil',
    'J.McDonald-Lee',
  ]) {
    it(`is ${name}`, () => expect(asPersonName(name)).to.equal(name));
  }
  for (const name of [
    'Click t.co/abc',
    't.co',
    'x.com/login',
    'X.COM',
    'www.x.co',
    'a.b.co',
    'Ann x.com.',
    'X.Com',
    'Evil.Club',
    'J.Smith.com',
    'X.Smith/login',
    'T.Co',
    't。co',
    '10.20.30.40',
    'evil.рф',
    'xn--p1ai.xn--p1ai',
  ]) {
    it(`is not ${JSON.stringify(name)}`, () => expect(asPersonName(name)).to.equal(undefined));
  }
  for (const name of ['evil.example', 'see https://x', '//x', 'WWW.EVIL.COM', 'a@b', 'a\u200Bb']) {
    it(`is not ${JSON.stringify(name)}`, () => expect(asPersonName(name)).to.equal(undefined));
  }
});
