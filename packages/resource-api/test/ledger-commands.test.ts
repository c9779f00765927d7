import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { writeOutput } from '../src/cli/output-file.ts';
import { startTool, type Tool } from './support/tool.ts';

const DOCS = new URL('../../../../docs/reference/ledger.md', import.meta.url);

describe('cls-api ledger', () => {
  const directory = temporaryDirectory('cls-heads-');
  const file = (name: string) => join(directory, name);
  const generate = ['generate', '--contracts', '3', '--years', '1', '--apply', '--seed'];
  let tool: Tool;
  before(async () => {
    tool = await startTool();
  });
  after(() => tool.stop());

  it('has no head before the first journal', async () => {
    const { code, stderr } = await tool.run('ledger', 'head');
    expect([code, stderr]).to.deep.equal([1, 'the ledger has no journal\n']);
  });

  it('prints a head that the grown ledger still contains, from its text, its JSON, or as words', async () => {
    await tool.run(...generate, '1');
    const head = await tool.json('ledger', 'head');
    expect(head).to.have.all.keys('seq', 'hash', 'postedAt', 'journals', 'postings');
    expect(head.journals).to.equal(head.seq);
    writeFileSync(file('head.json'), JSON.stringify(head));
    writeFileSync(file('head.txt'), (await tool.run('ledger', 'head')).stdout);
    await tool.run(...generate, '2');
    for (const given of [file('head.json'), file('head.txt'), `${head.hash}:${head.seq}`]) {
      const { code, stdout } = await tool.run('ledger', 'verify', '--head', given);
      expect([code, stdout]).to.deep.equal([
        0,
        `the ledger has every journal through ${head.seq} unchanged\n`,
      ]);
    }
  });

  it('refuses a head that the ledger does not contain with exit code 1, what is no head with 2', async () => {
    const other = await tool.run('ledger', 'verify', '--head', `${'a'.repeat(64)}:1`);
    expect(other.code).to.equal(1);
    expect(other.stderr).to.include(`the ledger differs from ${'a'.repeat(64)}:1`);
    writeFileSync(file('none'), 'nothing');
    expect((await tool.run('ledger', 'verify', '--head', file('none'))).code).to.equal(2);
    const missing = await tool.run('ledger', 'verify', '--head', file('missing'));
    expect([missing.code, missing.stderr]).to.deep.equal([
      1,
      `${file('missing')} cannot be read (ENOENT), and is no hash:sequence\n`,
    ]);
  });

  it('exports what the program in the docs recomputes the head from', async function () {
    await tool.run('ledger', 'export', '--out', file('chain.ndjson'));
    const { hash } = await tool.json('ledger', 'head');
    const [, program = ''] = /```python\n([\s\S]*?)```/.exec(readFileSync(DOCS, 'utf8')) ?? [];
    writeFileSync(file('verify.py'), program);
    const run = (export_: string) =>
      spawnSync('python3', [file('verify.py'), export_], { encoding: 'utf8' });
    const { error, stdout } = run(file('chain.ndjson'));
    if (error !== undefined) return this.skip();
    expect(stdout).to.equal(`${hash}\n`);
    const changed = readFileSync(file('chain.ndjson'), 'utf8').replace('advance', 'adjustment');
    writeFileSync(file('changed.ndjson'), changed);
    expect(run(file('changed.ndjson')).stderr).to.include('AssertionError');
  });

  it('leaves no part of an export that failed, which would look like a whole one', async () => {
    const folder = temporaryDirectory('cls-exports-');
    const failed = await writeOutput(join(folder, 'chain.ndjson'), async (write) => {
      await write('{"seq":"1"}\n');
      throw new Error('the database is gone');
    }).catch(({ message }: Error) => message);
    expect(failed).to.equal('the database is gone');
    expect(readdirSync(folder)).to.deep.equal([]);
  });
});
