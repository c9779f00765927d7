import { expect } from 'chai';
import { describeFile } from '../../src/import/file/describe-file.ts';
import type { FileDialect } from '../../src/import/file/table.ts';
import { cellsOf, faultOf, fileOf } from '../support/statement-file.ts';

type Encoding = FileDialect['encoding'];

/** The first bytes of a file are looked at together: what comes in pieces stands behind them. */
const LINES = 2_000;
const BEGINNING = 'a,b\n'.repeat(LINES);
const TEXT = 'id,Müller\n1,5 €\n';
const LATIN = 'id,Müller\n1,5 £\n';
const ROWS = [
  ['id', 'Müller'],
  ['1', '5 €'],
];
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const inEncoding = (text: string, encoding: Encoding) => {
  if (encoding === 'utf-16be') return utf16be(text);
  return Buffer.from(text, encoding === 'utf-16le' ? 'utf16le' : 'latin1');
};
const windows1252 = Buffer.from('id,M\xfcller\n1,5 \x80\n', 'latin1');

describe('the encoding of a text file', () => {
  for (const { encoding, bytes, rows = ROWS } of [
    { encoding: 'utf-8', bytes: Buffer.from(TEXT) },
    { encoding: 'utf-16le', bytes: Buffer.from(TEXT, 'utf16le') },
    { encoding: 'utf-16be', bytes: utf16be(TEXT) },
    { encoding: 'windows-1252', bytes: windows1252 },
    {
      encoding: 'iso-8859-1',
      bytes: Buffer.from(LATIN, 'latin1'),
      rows: [
        ['id', 'Müller'],
        ['1', '5 £'],
      ],
    },
  ] satisfies { encoding: Encoding; bytes: Uint8Array; rows?: string[][] }[]) {
    for (const size of [1, 3, 1_000]) {
      it(`is read as ${encoding}, in pieces of ${size} bytes`, async () => {
        const long = Buffer.concat([inEncoding(BEGINNING, encoding), bytes]);
        const cells = await cellsOf(fileOf(long, size), { encoding });
        expect(cells.slice(0, LINES)).to.deep.equal(Array(LINES).fill(['a', 'b']));
        expect(cells.slice(LINES)).to.deep.equal(rows);
      });
    }
  }

  for (const { mark, bytes } of [
    { mark: 'UTF-8', bytes: Buffer.from(`\uFEFF${TEXT}`) },
    { mark: 'UTF-16, little-endian', bytes: Buffer.from(`\uFEFF${TEXT}`, 'utf16le') },
    { mark: 'UTF-16, big-endian', bytes: utf16be(`\uFEFF${TEXT}`) },
  ]) {
    it(`is that of its byte order mark (${mark}), whatever is declared`, async () => {
      expect(await cellsOf(bytes, { encoding: 'windows-1252' })).to.deep.equal(ROWS);
      expect(await describeFile(fileOf(bytes))).to.deep.include({ sample: TEXT });
    });
  }

  for (const { given, declared = 'utf-8', bytes, row, says } of [
    {
      given: 'Windows-1252 under UTF-8',
      bytes: Buffer.from('a\r\nb\rc\nd\xe9', 'latin1'),
      row: 4,
      says: 'byte 0xE9 in line 4 is not UTF-8; if the file is Windows-1252, declare encoding: windows-1252',
    },
    {
      given: 'a character cut at the end',
      bytes: Buffer.from('a\n\xe2\x82', 'latin1'),
      row: 2,
      says: 'byte 0xE2',
    },
    {
      given: 'an overlong form',
      bytes: Buffer.from('a\xe0\x80\x80', 'latin1'),
      row: 1,
      says: 'byte 0xE0',
    },
    {
      given: 'half a surrogate pair',
      bytes: Buffer.from('a\xed\xa0\x80', 'latin1'),
      row: 1,
      says: 'byte 0xED',
    },
    {
      given: 'UTF-16 under UTF-8',
      bytes: Buffer.from(TEXT, 'utf16le'),
      row: 1,
      says: 'declare encoding: utf-16le',
    },
    {
      given: 'the other UTF-16',
      declared: 'utf-16le',
      bytes: utf16be(TEXT),
      row: 1,
      says: 'declare encoding: utf-16be',
    },
    {
      given: 'UTF-8 under UTF-16',
      declared: 'utf-16le',
      bytes: Buffer.from(TEXT),
      row: 1,
      says: 'declare encoding: utf-8',
    },
    {
      given: 'UTF-16 cut in a character',
      declared: 'utf-16le',
      bytes: Buffer.from('a\0,\0b', 'latin1'),
      row: 0,
      says: 'half a character',
    },
    {
      given: 'UTF-8 under Windows-1252',
      declared: 'windows-1252',
      bytes: Buffer.from(TEXT),
      row: 1,
      says: 'declare encoding: utf-8',
    },
    {
      given: 'UTF-8 under ISO-8859-1',
      declared: 'iso-8859-1',
      bytes: Buffer.from(TEXT),
      row: 1,
      says: 'declare encoding: utf-8',
    },
    {
      given: 'Windows-1252 under ISO-8859-1',
      declared: 'iso-8859-1',
      bytes: windows1252,
      row: 2,
      says: 'declare encoding: windows-1252',
    },
    {
      given: 'a byte that Windows-1252 leaves free',
      declared: 'windows-1252',
      bytes: Buffer.from('a\n\x81', 'latin1'),
      row: 2,
      says: 'byte 0x81 in line 2',
    },
  ] satisfies {
    given: string;
    declared?: Encoding;
    bytes: Uint8Array;
    row: number;
    says: string;
  }[]) {
    it(`is refused in words: ${given}`, async () => {
      const fault = await faultOf(fileOf(bytes, 2), { encoding: declared });
      expect(fault).to.include({ code: 'wrong_encoding', row });
      expect(fault.message).to.include(says);
    });
  }

  for (const { declared, odd } of [
    { declared: 'utf-8', odd: '\xe9' },
    { declared: 'windows-1252', odd: '\x81' },
    { declared: 'iso-8859-1', odd: '\x80' },
  ] satisfies { declared: Encoding; odd: string }[]) {
    it(`is refused with the line of a byte far into the file: ${declared}`, async () => {
      const bytes = Buffer.from(`${BEGINNING}${odd}\n${BEGINNING}`, 'latin1');
      const fault = await faultOf(fileOf(bytes, 7), { encoding: declared });
      expect(fault).to.include({ code: 'wrong_encoding', row: LINES + 1 });
    });
  }

  it('is refused for pieces of UTF-8 that stand far into the file', async () => {
    const bytes = Buffer.from(`${BEGINNING}ü${BEGINNING}x,é\n`);
    // The first piece cuts the ü.
    for (const size of [BEGINNING.length + 1, 100_000]) {
      const fault = await faultOf(fileOf(bytes, size), { encoding: 'windows-1252' });
      expect(fault.message).to.include('declare encoding: utf-8');
    }
  });

  for (const { given, bytes, name, sure, why } of [
    { given: 'UTF-8', bytes: Buffer.from(TEXT), name: 'utf-8', sure: true, why: 'valid UTF-8' },
    { given: 'UTF-16', bytes: utf16be(TEXT), name: 'utf-16be', sure: true, why: 'zero' },
    {
      given: 'Windows-1252',
      bytes: windows1252,
      name: 'windows-1252',
      sure: false,
      why: '0xFC in line 1',
    },
  ]) {
    it(`is found by the inspector: ${given}`, async () => {
      const description = await describeFile(fileOf(bytes));
      if (description.kind !== 'text') throw new Error('expected a text');
      expect(description.encoding).to.include({ name, sure });
      expect(description.encoding.why).to.include(why);
      expect(description.sample).to.equal(TEXT);
    });
  }

  it('leaves the sample whole lines', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const description = await describeFile(fileOf(line.repeat(4_000)));
    expect(description).to.include({ sample: line.repeat(2_621) });
  });
});
