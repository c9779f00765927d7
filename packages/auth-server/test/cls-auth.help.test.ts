import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@cls/testing/servers';
import { helpOfCommands, runProgram } from '@cls/testing/tool-help';
import { expect } from 'chai';
import { EXAMPLES } from '../src/cli/examples.ts';
import { program } from '../src/cli/program.ts';
import { runTool } from './support/tool.ts';

const TOOL = fileURLToPath(new URL('../../bin/cls-auth.mjs', import.meta.url));

const READ_ONLY = [
  'keys list',
  'customers list',
  'accounts list',
  'applications list',
  'upstream list',
  'service-accounts list',
  'accounts events a@b.example',
  'customers disable x',
  'audit months',
  'audit export 2026-05 audit.ndjson',
  'audit drop 2026-05 --apply',
  'migrate --check',
];

describe('the help of cls-auth', () => {
  const commands = helpOfCommands(program(), EXAMPLES);

  it('shows for each command an example that begins with it, and --json', () => {
    for (const { words, text } of commands) {
      const [, examples = ''] = /\nExamples?:\n([\s\S]*)$/.exec(text) ?? [];
      expect(examples, words).to.match(new RegExp(`^ {2}cls-auth ${words}( |$)`, 'm'));
      expect(text, words).to.match(/^ {2}--json /m);
    }
  });

  it('marks what must be given, and nothing else', () => {
    const [words, required, optional] = ['applications create', '--name <name>', '--device'];
    const text = commands.find((one) => one.words === words)?.text ?? '';
    const about = (option: string) => text.split(/\n(?= {2}-)/).find((one) => one.includes(option));
    expect(about(`${required} `)?.replaceAll(/\s+/g, ' ')).to.include('(required)');
    expect(about(`${optional} `)?.replaceAll(/\s+/g, ' ')).to.not.include('(required)');
  });

  it('has the version', async () => {
    const { code, stdout } = await runProgram(TOOL, ['--version']);
    expect([code, stdout.trim()]).to.deep.equal([0, '0.6.0']);
  });
});

describe('cls-auth in a folder without a store', function () {
  this.timeout(120_000);
  const refusalOf = (dataDir: string) =>
    `there is no store in ${join(dataDir, 'auth-server', 'database')}: check CLS_DATA_DIR, or make a new store there with the command migrate\n`;

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
      const { code, stderr } = await runTool(words.split(' '), { CLS_DATA_DIR: dataDir });
      expect([code, stderr]).to.deep.equal([1, refusalOf(dataDir)]);
      expect(existsSync(dataDir)).to.equal(false);
    });
  }
});

describe('cls-auth with mistyped options', () => {
  for (const [words, stderr] of [
    [
      'customers create bank --nmae Bank',
      "error: unknown option '--nmae'\n(Did you mean --name?)\nerror: required option '--name <name>' not specified\n",
    ],
    [
      'accounts create a@b.example --name A',
      "error: required options '--generate-password', '--customer <id>', '--permission <name...>' not specified\n",
    ],
    ['customers create bank', "error: required option '--name <name>' not specified\n"],
    [
      'customers create bank --name Bank --name Other',
      "error: option '--name <name>' is given twice\n",
    ],
    [
      'applications create --name Wiki --redirect-uri https://wiki.example/*',
      '--redirect-uri: expected an https URI, http on localhost, or com.example.app:/…; without user, fragment or *\n',
    ],
    [
      'service-accounts create --name \u202e --customer bank --permission all',
      '--name: expected 1 to 100 characters, without line breaks and without marks that turn the direction of text\n' +
        '--permission: unknown: all; there are cls-deal.view, external-api.fullcontrol, cls-ledger.post, cls-accounts.manage, cls-secrets.manage, cls-token.introspect\n',
    ],
    [
      'service-accounts update svc_1',
      'give --name, --permission, --auth-method, or several of these\n',
    ],
    [
      'applications create --name A --third-party',
      'give at least one --redirect-uri, or --device\n',
    ],
    [
      'applications create --name A --device --confidential --allow-origin https://a.example/b',
      '--allow-origin: expected an origin only, such as https://app.example\n' +
        '--allow-origin: only for a public application; a page cannot keep a secret\n',
    ],
    [
      'customers create Bank --name Bank',
      'a customer id is lower-case letters, digits and hyphens, 1 to 63\n',
    ],
    [
      'audit drop 2026-13',
      'expected a month such as 2026-05, or before-2027-01 for what `audit months` lists so\n',
    ],
    ['accounts rename a@b.example', '--name: give --name <name> or --no-name\n'],
    ['accounts events a@b.example --limit 0', '--limit: expected a whole number from 1 to 1000\n'],
  ] as const) {
    it(`answers ${words}`, async () => {
      const dataDir = join(temporaryDirectory('cls-mistyped-'), 'none');
      const answer = await runTool(words.split(' '), { CLS_DATA_DIR: dataDir });
      expect(answer).to.deep.equal({ code: 2, stdout: '', stderr });
      expect(existsSync(dataDir)).to.equal(false);
    });
  }

  it('takes an option for several values more than once', async () => {
    const words = 'applications create --name A --redirect-uri https://a.example --redirect-uri x';
    const dataDir = join(temporaryDirectory('cls-mistyped-'), 'none');
    const { stderr } = await runProgram(TOOL, words.split(' '), { CLS_DATA_DIR: dataDir });
    expect(stderr).to.match(/^--redirect-uri: expected/);
  });
});
