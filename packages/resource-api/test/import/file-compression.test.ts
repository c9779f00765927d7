import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { describeFile } from '../../src/import/file/describe-file.ts';
import { UNPACKED_FREE_BYTES } from '../../src/import/file/limits.ts';
import { cellsOf, faultOf, fileOf, workbookOf } from '../support/statement-file.ts';

const TEXT = 'id,balance\n1,5.00\n';
const ROWS = [
  ['id', 'balance'],
  ['1', '5.00'],
];
const WORKBOOK = workbookOf('<row><c><v>7</v></c></row>');
const zip = (files: Record<string, string | Uint8Array>) =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === 'string' ? strToU8(content) : content,
      ]),
    ),
  );

/** Of a program that writes each zip as if it were large: sizes and places stand in the fields of zip64. */
const ZIP64 = Buffer.from(
  'UEsDBC0AAAAAADFifl0oeh/n//////////8JABQAbG9hbnMuY3N2AQAQABIAAAAAAAAAEgAAAAAAAABpZCxiYWxhbmNlCjEsNS4wMApQSwECLQMtAAAAAAAxYn5dKHof5///////////CQAUAAAAAAAAAAAAgAEAAAAAbG9hbnMuY3N2AQAQABIAAAAAAAAAEgAAAAAAAABQSwYGLAAAAAAAAAAtAC0AAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAASwAAAAAAAABNAAAAAAAAAFBLBgcAAAAAmAAAAAAAAAABAAAAUEsFBgAAAAABAAEASwAAAP////8AAA==',
  'base64',
);

describe('a compressed file', () => {
  for (const { given, bytes, compression, rows = ROWS } of [
    { given: 'gzip', bytes: gzipSync(TEXT), compression: 'gzip' },
    {
      given: 'gzip of two members',
      bytes: Buffer.concat([gzipSync('id,balance\n'), gzipSync('1,5.00\n')]),
      compression: 'gzip',
    },
    { given: 'zip', bytes: zip({ 'loans.csv': TEXT }), compression: 'zip' },
    {
      given: 'zip without compression',
      bytes: zipSync({ a: [strToU8(TEXT), { level: 0 }] }),
      compression: 'zip',
    },
    { given: 'zip64', bytes: ZIP64, compression: 'zip' },
    {
      given: 'zip of macOS',
      bytes: zip({
        'loans/': '',
        'loans/loans.csv': TEXT,
        '__MACOSX/loans/._loans.csv': 'x',
        '.DS_Store': 'x',
      }),
      compression: 'zip',
    },
    {
      given: 'a workbook in a zip',
      bytes: zip({ 'loans.xlsx': WORKBOOK }),
      compression: 'zip',
      rows: [[7]],
    },
    { given: 'a workbook in gzip', bytes: gzipSync(WORKBOOK), compression: 'gzip', rows: [[7]] },
  ]) {
    it(`is read as what it holds: ${given}`, async () => {
      expect(await cellsOf(fileOf(bytes, 7))).to.deep.equal(rows);
      expect(await describeFile(fileOf(bytes))).to.include({ compression });
    });
  }

  const encrypted = Buffer.from(zip({ 'loans.csv': TEXT }));
  const entryAt = encrypted.indexOf('PK\x01\x02');
  encrypted.writeUInt16LE(1, entryAt + 8);
  const misplaced = Buffer.from(zip({ a: TEXT }));
  misplaced.writeUInt32LE(0xffff_fff0, misplaced.indexOf('PK\x01\x02') + 42);
  const altered = Buffer.from(zipSync({ a: [strToU8(TEXT), { level: 0 }] }));
  altered.write('9', altered.indexOf('5.00'));
  const repeated = Buffer.alloc(UNPACKED_FREE_BYTES + 1, `${'x'.repeat(999)}\n`);

  for (const { given, bytes, code, says } of [
    {
      given: 'truncated gzip',
      bytes: gzipSync(TEXT).subarray(0, -9),
      code: 'truncated_file',
      says: 'ends too early',
    },
    {
      given: 'damaged gzip',
      bytes: Buffer.from('\x1f\x8b\x08\0garbage garbage', 'latin1'),
      code: 'damaged_file',
      says: 'gzip file is damaged',
    },
    {
      given: 'truncated zip',
      bytes: zip({ a: TEXT }).subarray(0, -25),
      code: 'truncated_file',
      says: 'not copied completely',
    },
    {
      given: 'a zip whose content was altered',
      bytes: altered,
      code: 'damaged_file',
      says: 'zip file is damaged',
    },
    {
      given: 'a zip whose directory points outside',
      bytes: misplaced,
      code: 'damaged_file',
      says: 'zip file is damaged',
    },
    {
      given: 'a zip with a password',
      bytes: encrypted,
      code: 'encrypted_file',
      says: 'password; unpack loans.csv',
    },
    {
      given: 'a zip of two files',
      bytes: zip({ 'a.csv': TEXT, 'b.csv': TEXT }),
      code: 'several_files',
      says: 'got 2: a.csv, b.csv',
    },
    { given: 'an empty zip', bytes: zip({}), code: 'several_files', says: 'no file' },
    {
      given: 'an archive in an archive',
      bytes: gzipSync(zip({ a: TEXT })),
      code: 'nested_archive',
      says: 'unpack it once',
    },
    {
      given: 'gzip that unpacks to far more',
      bytes: gzipSync(repeated),
      code: 'too_large_unpacked',
      says: `at most ${UNPACKED_FREE_BYTES} bytes`,
    },
    {
      given: 'a zip that unpacks to far more',
      bytes: zip({ a: repeated }),
      code: 'too_large_unpacked',
      says: `at most ${UNPACKED_FREE_BYTES} bytes`,
    },
  ]) {
    it(`is refused in words: ${given}`, async () => {
      const fault = await faultOf(bytes);
      expect(fault).to.include({ code });
      expect(fault.message).to.include(says);
    });
  }
});

describe('a file of another format', () => {
  const ole = Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1');
  const locked = Buffer.concat([
    ole,
    Buffer.alloc(600),
    Buffer.from('EncryptedPackage', 'utf16le'),
  ]);
  for (const { given, bytes, says, code = 'unknown_format' } of [
    { given: 'an old workbook', bytes: ole, says: 'such as .xls' },
    {
      given: 'a workbook with a password',
      bytes: locked,
      says: 'remove the password',
      code: 'encrypted_file',
    },
    { given: 'a picture', bytes: '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0', says: 'neither text' },
    { given: 'a PDF', bytes: '%PDF-1.7\n', says: 'a PDF; ask its sender' },
    { given: 'Parquet', bytes: 'PAR1\x15', says: 'Parquet' },
    { given: 'a web page', bytes: '\uFEFF\r\n<HTML xmlns:o="x"><table>', says: 'web page' },
    { given: 'XML', bytes: '<?xml version="1.0"?><Loans/>', says: 'XML' },
    { given: 'JSON', bytes: '[\n {"id": 1}]', says: 'JSON' },
    { given: 'OpenDocument', bytes: zip({ mimetype: 'x', 'content.xml': '<x/>' }), says: '.ods' },
    {
      given: 'Numbers',
      bytes: zip({ 'Index/Document.iwa': 'x', 'preview.jpg': 'x' }),
      says: 'Numbers',
    },
    {
      given: 'a binary workbook',
      bytes: zip({ '[Content_Types].xml': 'x', 'xl/workbook.bin': 'x' }),
      says: '.xlsb',
    },
    {
      given: 'a Word document',
      bytes: zip({ '[Content_Types].xml': 'x', 'word/document.xml': 'x' }),
      says: 'Word',
    },
    {
      given: 'a package that is no workbook',
      bytes: zip({ '[Content_Types].xml': 'x' }),
      says: 'no workbook',
    },
    { given: 'a PDF in gzip', bytes: gzipSync('%PDF-1.7\n'), says: 'a PDF' },
  ]) {
    it(`is refused with what to do: ${given}`, async () => {
      const fault = await faultOf(bytes);
      expect(fault).to.include({ code });
      expect(fault.message).to.include(says);
    });
  }

  it('is not seen in text that looks like one', async () => {
    for (const text of [
      '[id],name\n',
      'PDF,name\n',
      '"<b>",name\n',
      '{id},name\n',
      'PK,name\n',
      'Index,x\n',
    ]) {
      expect(await cellsOf(text)).to.have.length(1);
    }
  });
});
