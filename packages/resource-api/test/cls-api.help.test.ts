import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@cls/testing/servers';
import { helpOfCommands, runProgram } from '@cls/testing/tool-help';
import { expect } from 'chai';
import { EXAMPLES } from '../src/cli/examples.ts';
import { program } from '../src/cli/program.ts';
import type { ImportReport } from '../src/import/import-report.ts';
import { runWith } from './support/tool.ts';

const TOOL = fileURLToPath(new URL('../../bin/cls-api.mjs', import.meta.url));

const READ_ONLY = [
  'entitlements list',
  'imports list',
  'deals list',
  'parties list',
  'reconcile',
  'periods list',
  'reads',
  'fx list',
  'journals export',
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

  it('names the profiles and the samples that are there, as docs/reference/ledger.md does', () => {
    const folder = (name: string) => new URL(`../../${name}/`, import.meta.url);
    const profiles = readdirSync(folder('profiles')).map((file) => file.replace(/\.json$/, ''));
    const text = commands.find(({ words }) => words === 'import')?.text.replaceAll(/\s+/g, ' ');
    const page = readFileSync(
      new URL('../../../../docs/reference/ledger.md', import.meta.url),
      'utf8',
    );
    for (const profile of profiles) expect(page).to.include(`\`${profile}\``);
    expect(text).to.include(`${profiles.sort().join(', ')}, or the path of a profile`);
    const samples = readFileSync(new URL('README.md', folder('data')), 'utf8');
    const named = [...samples.matchAll(/\| `(world-bank[a-z0-9-]*)` \|$/gm)].map(
      ([, name]) => name,
    );
    expect(named.length).to.equal(2);
    expect(text).to.include(`comes with CLS: ${named.reverse().join(', ')}`);
  });

  it('ends as usual where nobody reads the rest, as behind head', async () => {
    const child = spawn(process.execPath, [TOOL, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const said: Buffer[] = [];
    child.stderr.on('data', (part: Buffer) => said.push(part));
    const [code] = await once(child, 'close');
    expect([code, Buffer.concat(said).toString()]).to.deep.equal([0, '']);
  });

  it('has the version', async () => {
    const { code, stdout } = await runProgram(TOOL, ['--version']);
    expect([code, stdout.trim()]).to.deep.equal([0, '0.6.0']);
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

describe('cls-api import in a folder without a store', () => {
  it('checks a statement, says that no book was compared, and makes no store', async () => {
    const dataDir = join(temporaryDirectory('cls-mistyped-'), 'mistyped');
    const run = (...words: string[]) =>
      runWith({ CLS_DATA_DIR: dataDir }, 'import', 'world-bank', ...words);
    const { code, stdout } = await run('--json');
    const { outcome, newLoans, warnings } = JSON.parse(stdout) as ImportReport;
    expect([code, outcome, newLoans]).to.deep.equal([0, 'valid', 9_289]);
    const [warning] = warnings.filter(({ code }) => code === 'no_book');
    expect(warning?.message).to.match(/^no book was compared, because there is no store in /);
    expect((await run('--rows', '1')).code).to.equal(1);
    expect(existsSync(dataDir)).to.equal(false);
  });
});

describe('cls-api with options that are wrong', () => {
  for (const [words, stderr] of [
    [
      'fx add --date 2025-02-30 --from EURO --to USD --rate 0 --source x',
      '--date: expected a date such as 2025-03-31\n' +
        '--from: expected a currency of ISO 4217 such as USD\n' +
        '--rate: expected a decimal above 0 such as 1.0843\n',
    ],
    [
      'fx add --date 2025-03-31 --from USD --to USD --rate 1 --source x',
      '--from and --to: expected two currencies\n',
    ],
    ['deals list --limit 10001', '--limit: expected a whole number from 1 to 10000\n'],
    ['periods close --through 2999-01-01 --reason x', '--through: expected a day that has begun\n'],
    ['bill --through 2025-03-31 --due-days 1000', '--due-days: expected days, 0 to 999\n'],
    ['reconcile --at 2025-03-31', '--at: expected date:sequence, such as 2025-03-31:1204\n'],
    ['journals export --from-seq 0', '--from-seq: expected a whole number from 1\n'],
    ['import x.csv --rows many', '--rows: expected a whole number\n'],
    [
      'import x.csv --control due=1 --control sum=1 --control due=2',
      '--control: expected one sum for each column\n',
    ],
    ['import x.csv --control due', '--control: expected column=sum, such as due=283040726064.12\n'],
    [
      'entitlements grant --customer India --role owner --all',
      '--customer: expected a customer id\n--role: expected one of agent, lender, borrower\n',
    ],
    [
      'entitlements grant --customer india --role lender --all',
      '--lender goes with the role lender, and only with it\n',
    ],
    [
      'entitlements grant --customer india --role agent --all --country IN',
      'give one of --deal, --borrower, --country and --all\n',
    ],
    ['entitlements revoke all', 'expected a rule’s number from the list\n'],
  ] as const) {
    it(`answers ${words}`, async () => {
      const dataDir = join(temporaryDirectory('cls-mistyped-'), 'none');
      const answer = await runWith({ CLS_DATA_DIR: dataDir }, ...words.split(' '));
      expect(answer).to.deep.include({ code: 2, stdout: '', stderr });
      expect(existsSync(dataDir)).to.equal(false);
    });
  }
});
