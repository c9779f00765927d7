import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { CommandRefused } from '../src/cli/command-line.ts';
import { linesOfFile } from '../src/cli/lines-of-file.ts';
import { writeNewFile } from '../src/cli/new-file.ts';

const MODULE = new URL('../src/cli/new-file.js', import.meta.url).href;

describe('a file that a command writes', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = temporaryDirectory('cls-new-file-');
    path = join(folder, 'export.ndjson');
  });
  const writeText = (text: string) => writeNewFile(path, (write) => write(Buffer.from(text)));

  it('is there when all of it is, and for its owner alone', async () => {
    await writeNewFile(path, async (write) => {
      await write(Buffer.from('one\n'));
      expect(readdirSync(folder)).not.to.include('export.ndjson');
      await write(Buffer.from('two\n'));
    });
    expect(readdirSync(folder)).to.deep.equal(['export.ndjson']);
    expect(readFileSync(path, 'utf8')).to.equal('one\ntwo\n');
    expect(statSync(path).mode & 0o777).to.equal(0o600);
  });

  it('is not there after work that failed, nor is anything else', async () => {
    const failed = await writeNewFile(path, async (write) => {
      await write(Buffer.from('one\n'));
      throw new Error('no more');
    }).catch(({ message }: Error) => message);
    expect(failed).to.equal('no more');
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is not there after a process that was killed, and the next one writes it', async () => {
    const script = `
      const { writeNewFile } = await import(${JSON.stringify(MODULE)});
      await writeNewFile(${JSON.stringify(path)}, async (write) => {
        await write(Buffer.from('half'));
        process.kill(process.pid, 'SIGKILL');
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      });`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(signal).to.equal('SIGKILL');
    const [left] = readdirSync(folder);
    expect(left).to.match(/^export\.ndjson\.[0-9a-f]{8}\.partial$/);
    await writeText('whole');
    expect(readFileSync(path, 'utf8')).to.equal('whole');
  });

  it('is not overwritten, also where it came while another one was written', async () => {
    await writeText('mine');
    const refused = await writeText('other').catch(({ message }: Error) => message);
    expect(refused).to.equal(`${path} cannot be written: it is there already`);
    path = join(folder, 'second');
    const late = await writeNewFile(path, async () => {
      await writeText('first');
    }).catch(({ message }: Error) => message);
    expect(late).to.equal(`${path} cannot be written: it is there already`);
    expect(readFileSync(path, 'utf8')).to.equal('first');
    expect(readdirSync(folder).sort()).to.deep.equal(['export.ndjson', 'second']);
  });
});

describe('the lines of a file', () => {
  const read = async (...chunks: (string | Uint8Array)[]) => {
    async function* bytes() {
      yield* chunks.map((chunk) => Buffer.from(chunk as string));
    }
    const lines: string[] = [];
    for await (const line of linesOfFile(bytes())) lines.push(line);
    return lines;
  };

  it('end at a line feed alone, wherever the chunks end', async () => {
    const letter = Buffer.from('é');
    expect(
      await read('a\u2028b\u0085c\r\nd\re\n', letter.subarray(0, 1), letter.subarray(1), '\n'),
    ).to.deep.equal(['a\u2028b\u0085c', 'd\re', 'é']);
    expect(await read('one\r', '\ntwo')).to.deep.equal(['one', 'two']);
  });

  it('are refused where they are not UTF-8, with the line', async () => {
    const bytes = Buffer.from([0x61, 0x0a, 0x62, 0xff]);
    const refused = await read(bytes).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(CommandRefused);
    expect(`${refused}`).to.include('line 2');
  });
});
