import { expect } from 'chai';
import { linesOfFile } from '../src/cli/lines-of-file.ts';
import { utf8Text } from '../src/cli/utf8.ts';

describe('a file that should be UTF-8', () => {
  const text = 'name\nFundación\nend\n';
  const latin = Buffer.from(text, 'latin1');
  const wide = Buffer.from(text, 'utf16le');
  const swapped = Buffer.from(wide).swap16();

  for (const [encoding, bytes, said] of [
    ['Windows-1252', latin, 'line 2 of the file is not UTF-8: it seems to be Windows-1252'],
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), wide]), 'line 1 .* it seems to be UTF-16'],
    ['UTF-16, big end first', Buffer.concat([Buffer.from([0xfe, 0xff]), swapped]), 'UTF-16'],
    ['UTF-16 without a mark', wide, 'line 1 .* it seems to be UTF-16'],
  ] as const) {
    it(`is refused in ${encoding}, with the line and what it seems to be`, async () => {
      const expected = new RegExp(`^.*${said}.*save the file as UTF-8$`);
      expect(() => utf8Text(bytes)).to.throw(expected);
      const failure: unknown = await linesIn(bytes, 3).catch((error: unknown) => error);
      expect(`${(failure as Error).message}`).to.match(expected);
    });
  }

  it('is read line by line, however its bytes come', async () => {
    for (const [given, lines] of [
      ['', []],
      ['a', ['a']],
      ['a\n', ['a']],
      ['a\r\n\r\nb', ['a', '', 'b']],
      ['\ufeffé\n\ufeff€\n\u{1f600}', ['é', '\ufeff€', '\u{1f600}']],
    ] as const) {
      for (const size of [1, 2, 1_000]) {
        expect(await linesIn(Buffer.from(given), size)).to.deep.equal(lines);
      }
    }
  });

  it('refuses a line that is longer than memory should hold', async () => {
    const long = Buffer.concat([Buffer.from('a\n'), Buffer.alloc(17 * 1024 ** 2, 'b')]);
    const error = await linesIn(long, 65_536).then(
      () => undefined,
      ({ message }: Error) => message,
    );
    expect(error).to.equal('line 2: expected at most 16777216 bytes');
  });

  async function linesIn(bytes: Buffer, size: number): Promise<string[]> {
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const lines: string[] = [];
    for await (const line of linesOfFile(chunks())) lines.push(line);
    return lines;
  }
});
