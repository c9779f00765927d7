import { expect } from 'chai';
import fc from 'fast-check';
import { commonPasswords } from '../src/accounts/common-passwords.ts';
import { argon2Verifier, PasswordVerifierBusy } from '../src/accounts/password.ts';
import {
  type PasswordRules,
  passwordFault,
  passwordLengthMin,
} from '../src/accounts/password-rules.ts';

describe('a new password', () => {
  let rules: PasswordRules;
  before(async () => {
    rules = { lengthMin: passwordLengthMin('enrolled'), isListed: await commonPasswords() };
  });
  const person = ['asha.raman@northern-bank.example', 'Northern Bank'];
  const codeOf = (password: string, lengthMin = rules.lengthMin) =>
    passwordFault(password, { ...rules, lengthMin }, person)?.code;

  for (const [given, password] of [
    ['a passphrase', 'seven lakes behind the glacier'],
    ['only letters of one case', 'umbrellaquietlyglacier'],
    ['an organisation’s name in a long phrase', 'northern lights over seven lakes'],
    ['other scripts', 'βραδιάζει στο λιμάνι'],
    ['emoji, each one character', '🦊🐢🦉🐙🦋🐝🦀🐳🦔🐿🦜🐌🦎🐺🦩'],
    ['256 characters', 'a quiet evening '.repeat(16)],
  ] as const) {
    it(`may be ${given}`, () => {
      expect(codeOf(password)).to.equal(undefined);
    });
  }

  for (const [given, password, code] of [
    ['14 characters', 'umbrellaglacie', 'password_short'],
    ['14 emoji that are 28 units long', '🦊🐢🦉🐙🦋🐝🦀🐳🦔🐿🦜🐌🦎🐺', 'password_short'],
    ['257 characters', 'umbrella glacier '.repeat(16).slice(0, 257), 'password_long'],
    ['one character again and again', 'aaaaaaaaaaaaaaaaaaaa', 'password_common'],
    ['a short pattern again and again', 'abcabcabcabcabcabc', 'password_common'],
    ['digits in order', '12345678901234567890', 'password_common'],
    ['letters against the order', 'zyxwvutsrqponmlkjihg', 'password_common'],
    ['a listed password twice', 'passwordpassword', 'password_common'],
    ['a phrase that everybody knows', 'Correct Horse Battery Staple', 'password_common'],
    ['two listed passwords in capitals, apart', 'Password - 12345678', 'password_common'],
    [
      'a listed password in full-width letters',
      'ｐａｓｓｗｏｒｄｐａｓｓｗｏｒｄ',
      'password_common',
    ],
    ['the e-mail address', 'asha.raman@northern-bank.example', 'password_personal'],
    ['the names around it and a year', 'Northern-Bank-CLS-2026!', 'password_personal'],
  ] as const) {
    it(`is refused as ${code} when it is ${given}`, () => {
      expect(codeOf(password)).to.equal(code);
    });
  }

  it('may have 8 characters where a second factor is demanded, but is no common one', () => {
    const lengthMin = passwordLengthMin('required');
    expect(codeOf('gl4cier?', lengthMin)).to.equal(undefined);
    expect(codeOf('gl4cie?', lengthMin)).to.equal('password_short');
    expect(codeOf('iloveyou', lengthMin)).to.equal('password_common');
    expect(codeOf('Northern1', lengthMin)).to.equal('password_personal');
  });

  it('is judged the same however its accents were typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (password) => {
        expect(codeOf(password.normalize('NFD'))).to.equal(codeOf(password.normalize('NFC')));
      }),
    );
  });

  it('is judged for any text whatever', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (password) => {
        const fault = passwordFault(password, rules, [password, '', '.*']);
        expect(fault === undefined || fault.code.startsWith('password_')).to.equal(true);
      }),
    );
  });
});

describe('hashing passwords', () => {
  it('opens with the same password, its accents typed in another way, and no other', async () => {
    const passwords = await argon2Verifier(2, 10);
    const hash = await passwords.hash('épreuve de résistance'.normalize('NFC'));
    expect(await passwords.verify('épreuve de résistance'.normalize('NFD'), hash)).to.equal(true);
    expect(await passwords.verify('epreuve de resistance', hash)).to.equal(false);
    expect(await passwords.verify('', undefined), 'no account').to.equal(false);
  });

  it('compares the last of 256 characters too', async () => {
    const passwords = await argon2Verifier(2, 10);
    const long = '🦊'.repeat(255);
    const hash = await passwords.hash(`${long}a`);
    expect(await passwords.verify(`${long}b`, hash)).to.equal(false);
    expect(await passwords.verify(`${long}a`, hash)).to.equal(true);
  });

  it('refuses what would wait behind too many others, hashing and comparing alike', async () => {
    const passwords = await argon2Verifier(1, 2);
    const work = [
      passwords.hash('one'),
      passwords.verify('two', undefined),
      passwords.hash('three'),
      passwords.hash('four'),
    ];
    const outcomes = await Promise.allSettled(work);
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    const [refused] = outcomes.slice(3) as PromiseRejectedResult[];
    expect(refused?.reason).to.be.instanceOf(PasswordVerifierBusy);
  });
});
