import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@cls/testing/servers';
import { helpOfCommands, runProgram } from '@cls/testing/tool-help';
import { expect } from 'chai';
import { EXAMPLES } from '../src/cli/examples.ts';
import { program } from '../src/cli/program.ts';
import { runWith } from './support/tool.ts';

const TOOL = fileURLToPath(new URL('../../bin/cls-api.mjs', import.meta.url));

const READ_ONLY = [
  'entitlements list',
  'imports list',
  'deals list',
  'parties list',
  'reconcile',
  'periods list',
  'fx list',
  'journals export',
  'import world-bank',
  'migrate --check',
];

describe('the help of cls-api', () => {
  const commands = helpOfCommands(program(), EXAMPLES);

  it('shows for each command an example that begins with it, and --json', () => {
    for (const { words, text } of commands) {
      const [, examples = ''] = /\nExamples?:\n([\s\S]*)$/.exec(text) ?? [];
      expect(examples, words).to.match(new RegExp(`^ {2}cls-api ${words}( |$)`, 'm'));
      expect(text, words).to.match(/^ {2}--json /m);
    }
  });

  it('marks what must be given, and nothing else', () => {
    const [words, required, optional] = ['entitlements grant', '--customer <id>', '--all'];
    const text = commands.find((one) => one.words === words)?.text ?? '';
    const about = (option: string) => text.split(/\n(?= {2}-)/).find((one) => one.includes(option));
    expect(about(`${required} `)?.replaceAll(/\s+/g, ' ')).to.include('(required)');
    expect(about(`${optional} `)?.replaceAll(/\s+/g, ' ')).to.not.include('(required)');
  });

  it('names the profiles and the samples that are there, as docs/ledger.md does', () => {
    const folder = (name: string) => new URL(`../../${name}/`, import.meta.url);
    const profiles = readdirSync(folder('profiles')).map((file) => file.replace(/\.json$/, ''));
    const text = commands.find(({ words }) => words === 'import')?.text.replaceAll(/\s+/g, ' ');
    const page = readFileSync(new URL('../../../../docs/ledger.md', import.meta.url), 'utf8');
    for (const profile of profiles) expect(page).to.include(`\`${profile}\``);
    expect(text).to.include(`${profiles.sort().join(', ')}, or the path of a profile`);
    const samples = readFileSync(new URL('README.md', folder('data')), 'utf8');
    const named = [...samples.matchAll(/\| `(world-bank[a-z0-9-]*)` \|$/gm)].map(
      ([, name]) => name,
    );
    expect(named.length).to.equal(2);
    expect(text).to.include(`comes with CLS: ${named.reverse().join(', ')}`);
  });

  it('has the version', async () => {
    const { code, stdout } = await runProgram(TOOL, ['--version']);
    expect([code, stdout.trim()]).to.deep.equal([0, '0.3.0']);
  });
});

describe('cls-api in a folder without a store', function () {
  this.timeout(120_000);
  const refusalOf = (dataDir: string) =>
    `there is no store in ${join(dataDir, 'resource-api', 'database')}: check CLS_DATA_DIR, or make a new store there with the command migrate\n`;

  it('leaves a folder that is there as it is', async () => {
    const dataDir = temporaryDirectory('cls-mistyped-');
    const [words = ''] = READ_ONLY;
    const { stderr } = await runProgram(TOOL, words.split(' '), { CLS_DATA_DIR: dataDir });
    expect(stderr).to.equal(refusalOf(dataDir));
    expect(readdirSync(dataDir)).to.deep.equal([]);
  });

  for (const words of READ_ONLY) {
    it(`makes none for ${words}, and says that CLS_DATA_DIR may be wrong`, async () => {
      const dataDir = join(temporaryDirectory('cls-mistyped-'), 'mistyped');
      const { code, stderr } = await runWith({ CLS_DATA_DIR: dataDir }, ...words.split(' '));
      expect([code, stderr]).to.deep.equal([1, refusalOf(dataDir)]);
      expect(existsSync(dataDir)).to.equal(false);
    });
  }
});
