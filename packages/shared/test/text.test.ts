import { expect } from 'chai';
import { foldName, forDisplay, hasVisible, isKey, isStorable } from '../src/text.ts';

describe('text that comes in', () => {
  it('is kept unless it has a NUL character or half of a surrogate pair', () => {
    for (const text of ['', 'a b', 'é', '\u200b', '\u{1f600}', '\n']) {
      expect(isStorable(text), JSON.stringify(text)).to.equal(true);
    }
    for (const text of ['\0', 'a\0b', '\ud800', '\udc00a', 'a\ud83d']) {
      expect(isStorable(text), JSON.stringify(text)).to.equal(false);
    }
  });

  it('is a key where all of it shows, and no space is around it', () => {
    for (const text of ['a', 'a b', 'Fundación 1', 'x:1/2-3', '\u{1f600}']) {
      expect(isKey(text), JSON.stringify(text)).to.equal(true);
    }
    const hidden = [
      '\0',
      '\n',
      '\u00ad',
      '\u200b',
      '\u200d',
      '\u202e',
      '\u2060',
      '\u3164',
      '\u2800',
    ];
    for (const text of [
      '',
      ' ',
      ' a',
      'a ',
      '\u00a0a',
      'a\t',
      ...hidden.map((one) => `a${one}b`),
    ]) {
      expect(isKey(text), JSON.stringify(text)).to.equal(false);
    }
  });

  it('shows something where it has more than spaces and invisible characters', () => {
    for (const text of ['a', ' a ', '\u200ba']) expect(hasVisible(text)).to.equal(true);
    for (const text of ['', ' ', '\u200b\u00ad', '\u3164 \u2800']) {
      expect(hasVisible(text), JSON.stringify(text)).to.equal(false);
    }
  });

  it('names the same in NFC and NFD, with spaces folded, in upper and lower case', () => {
    const written = 'Fundación Río Claro';
    for (const other of [
      written.normalize('NFD'),
      written.toUpperCase(),
      '  Fundación \u00a0 Río\tClaro ',
      'Fun\u00addación Río\u200b Claro',
    ]) {
      expect(foldName(other)).to.equal(foldName(written));
    }
    expect(foldName('Fundacion Rio Claro')).not.to.equal(foldName(written));
  });

  it('is shown with marks for what moves the cursor or turns the text around it', () => {
    for (const odd of ['\u001b[2J', '\u0007', '\u009b', 'a\rb', '\u202e', '\u2067']) {
      expect(forDisplay(odd), JSON.stringify(odd)).to.include('\ufffd').and.not.include(odd);
    }
    for (const name of ['a\tb\r\nc', 'بنك\u200f (1)', 'زود\u200cتر']) {
      expect(forDisplay(name)).to.equal(name);
    }
  });
});
