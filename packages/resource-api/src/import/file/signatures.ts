/** Formats that are no table of text and no .xlsx, by their first bytes, and what to do with each. */

interface ForeignFormat {
  readonly name: string;
  readonly begins: readonly (string | RegExp)[];
  readonly advice: string;
}

const AS_XLSX = 'open it in a spreadsheet program and save it as .xlsx or CSV';

const FOREIGN: readonly ForeignFormat[] = [
  { name: 'a PDF', begins: ['%PDF-'], advice: 'ask its sender for the workbook or CSV behind it' },
  { name: 'a Parquet file', begins: ['PAR1'], advice: 'write it as CSV first' },
  { name: 'an RTF document', begins: ['{\\rtf'], advice: AS_XLSX },
  { name: 'a 7-Zip archive', begins: ['7z\xbc\xaf\x27\x1c'], advice: 'unpack it first' },
  { name: 'a RAR archive', begins: ['Rar!\x1a\x07'], advice: 'unpack it first' },
  { name: 'packed by bzip2', begins: [/^BZh[1-9]1AY/], advice: 'unpack it first' },
  { name: 'packed by xz', begins: ['\xfd7zXZ\0'], advice: 'unpack it first' },
  { name: 'packed by zstd', begins: ['\x28\xb5\x2f\xfd'], advice: 'unpack it first' },
  { name: 'an SQLite database', begins: ['SQLite format 3\0'], advice: 'export the table as CSV' },
  {
    name: 'an old Excel file',
    begins: ['\t\0\x04\0', '\t\x02\x06\0', '\t\x04\x06\0', '\t\x08'],
    advice: AS_XLSX,
  },
  {
    name: 'a web page',
    begins: [
      /^(\xef\xbb\xbf)?\s*(<!--[^>]*-->\s*)?<(!doctype html|html|head|body|meta|table|style|div)\b/i,
    ],
    advice: `some programs give such pages a name with .xls; ${AS_XLSX}`,
  },
  {
    name: 'an XML file',
    begins: [/^(\xef\xbb\xbf)?\s*<(\?xml|!doctype|[a-z][\w.-]*(:[\w.-]+)?[\s>])/i],
    advice: `only CSV and .xlsx are read; if it is an XML spreadsheet, ${AS_XLSX}`,
  },
  {
    name: 'a JSON file',
    begins: [/^(\xef\xbb\xbf)?\s*(\{\s*("|\}\s*$)|\[\s*[{[])/],
    advice: 'only CSV and .xlsx are read; write it as CSV first',
  },
  {
    name: 'text in UTF-32',
    begins: ['\xff\xfe\0\0', '\0\0\xfe\xff'],
    advice: 'save it as UTF-8',
  },
];

export const SIGNATURE_BYTES = 512;

/** The signature of OLE files: old workbooks, and new ones that have a password. */
const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le').toString('latin1');

/** What a file is that cannot be read, with what to do; undefined for what can be. */
export function foreignFormat(first: Uint8Array): string | undefined {
  const text = latin1(first);
  const format = FOREIGN.find(({ begins }) =>
    begins.some((mark) => (typeof mark === 'string' ? text.startsWith(mark) : mark.test(text))),
  );
  return format && `the file is ${format.name}; ${format.advice}`;
}

const CONTROLS_MAX_SHARE = 0.1;

/** Whether a file is no text of one byte a character, nor of UTF-8. */
export function isBinary(first: Uint8Array): boolean {
  const controls = first.filter((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20));
  return controls.length > first.length * CONTROLS_MAX_SHARE;
}

export function isOle(first: Uint8Array): boolean {
  return latin1(first).startsWith(OLE);
}

/** @param bytes the OLE file, or as much of it as has its directory. */
export function oleAdvice(bytes: Uint8Array): { readonly code: string; readonly message: string } {
  if (latin1(bytes).includes(ENCRYPTED_PACKAGE)) {
    const message = 'the workbook has a password; open it, remove the password and save it again';
    return { code: 'encrypted_file', message };
  }
  return {
    code: 'unknown_format',
    message: `the file is an old Office file, such as .xls; ${AS_XLSX}`,
  };
}

/** Zips that are documents of another program, by a file in them. */
export const FOREIGN_ZIPS: readonly (readonly [entry: RegExp, sentence: string])[] = [
  [/^xl\/workbook\.bin$/i, `the file is a binary workbook (.xlsb); ${AS_XLSX}`],
  [/^content\.xml$/i, `the file is an OpenDocument file (.ods); ${AS_XLSX}`],
  [/^Index\/.*\.iwa$|^Index\.zip$/, 'the file is a Numbers document; export it as .xlsx or CSV'],
  [
    /^word\/document\.xml$/i,
    'the file is a Word document; copy its table to a workbook and save that as .xlsx',
  ],
  [
    /^ppt\/presentation\.xml$/i,
    'the file is a presentation; copy its table to a workbook and save that as .xlsx',
  ],
];

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}
