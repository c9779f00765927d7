import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openStatementFile } from '../../src/cli/open-statement-file.ts';
import { bytesSource } from '../../src/import/file/bytes-source.ts';
import { cellsOf, refusalOf } from '../support/statement-file.ts';

const LINES = Array.from({ length: 100_000 }, (_, index) => `${index},x`);
const TEXT = LINES.join('\n');

describe('opening a statement', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'statement-'));
    writeFileSync(join(folder, 'loans.csv'), TEXT);
    mkdirSync(join(folder, 'sub'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('reads a file as often as it is asked to, whole or in part', async () => {
    const source = await openStatementFile(join(folder, 'loans.csv'));
    expect(source).to.include({ name: 'loans.csv', size: TEXT.length });
    for (let time = 0; time < 2; time += 1) expect(await cellsOf(source)).to.have.length(100_000);
    expect(await textOf(source.bytes(2, 5))).to.equal(TEXT.slice(2, 5));
    expect(await textOf(source.bytes(TEXT.length))).to.equal('');
  });

  it('reads bytes in memory likewise', async () => {
    const source = bytesSource('loans.csv', Buffer.from(TEXT));
    for (let time = 0; time < 2; time += 1) expect(await cellsOf(source)).to.have.length(100_000);
    expect(await textOf(source.bytes(70_000, 140_000))).to.equal(TEXT.slice(70_000, 140_000));
  });

  for (const { given, path, code, says } of [
    { given: 'is missing', path: 'none.csv', code: 'file_missing', says: 'no such file' },
    { given: 'is below a file', path: 'loans.csv/x', code: 'file_missing', says: 'no folder' },
    { given: 'is too long', path: 'x'.repeat(5_000), code: 'file_missing', says: 'too long' },
    { given: 'is a folder', path: 'sub', code: 'not_a_file', says: 'a folder' },
  ]) {
    it(`says what is wrong with a path that ${given}`, async () => {
      const fault = await refusalOf(openStatementFile(join(folder, path)));
      expect(fault).to.include({ code, value: join(folder, path) });
      expect(fault.message).to.include(says);
    });
  }
});

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}
