import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import ts from 'typescript';
import { GO } from './support/go.ts';
import { type Services, sharedServices } from './support/services.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const QUICK_STARTS = join(ROOT, 'docs', 'start', 'quickstarts');

/** A program as its page has it, and what runs it. */
interface QuickStart {
  readonly file: string;
  /** What says whether the runtime is there. */
  readonly probe: readonly [string, ...string[]];
  /** The command, in a folder of its own that has the file. */
  command(folder: string): readonly [string, ...string[]];
  /** The line of a facility with 12345678901234567.89. */
  readonly line: RegExp;
}

const AMOUNT = '12345678901234567\\.89';
const PLAIN = new RegExp(`^\\S+ ${AMOUNT} USD$`, 'm');
const QUICK_STARTS_TRIED: readonly QuickStart[] = [
  {
    file: 'balances.sh',
    probe: ['curl', '--version'],
    command: () => ['sh', 'balances.sh'],
    line: new RegExp(`"outstanding":"${AMOUNT}"`),
  },
  {
    file: 'balances.py',
    // Debian's, which finds Debian's requests whatever other Python comes first.
    probe: ['/usr/bin/python3', '-c', 'import requests'],
    command: () => ['/usr/bin/python3', 'balances.py'],
    line: PLAIN,
  },
  {
    file: 'balances.go',
    probe: ['go', 'version'],
    command: () => ['go', 'run', 'balances.go'],
    line: PLAIN,
  },
  {
    file: 'Balances.java',
    probe: ['java', '-version'],
    command: () => ['java', 'Balances.java'],
    line: new RegExp(`,${AMOUNT}$`, 'm'),
  },
  {
    file: 'balances.mjs',
    probe: [process.execPath, '--version'],
    // Where the clone has it, beside the client that it imports.
    command: () => [process.execPath, join(QUICK_STARTS, 'balances.mjs')],
    line: PLAIN,
  },
];

describe('the quick start', () => {
  let services: Services;
  let base: string;
  let stop: () => Promise<void>;
  before(async () => {
    services = await sharedServices();
    await services.grant();
    await services.lend('12345678901234567.89');
    const { startGateway } = await import(join(ROOT, 'scripts', 'gateway.mjs'));
    const port = await freePort();
    const portOf = (url: string) => Number(new URL(url).port);
    const api = portOf(services.api.baseUrl);
    const auth = portOf(services.auth.issuer);
    base = `http://127.0.0.1:${port}`;
    stop = await startGateway({
      port,
      baseUrl: base,
      pages: auth,
      upstreamOf: (path: string) => (path.startsWith('/api') ? api : auth),
    });
  });
  after(() => stop?.());

  const run = async (quickStart: QuickStart, secret: string) => {
    const folder = temporaryDirectory('cls-quick-start-');
    copyFileSync(join(QUICK_STARTS, quickStart.file), join(folder, quickStart.file));
    const [command, ...args] = quickStart.command(folder);
    const { clientId: ID } = services.options;
    const env = { ...process.env, ...GO, BASE: base, ID, SECRET: secret };
    return promisify(execFile)(command, args, { cwd: folder, env });
  };

  for (const quickStart of QUICK_STARTS_TRIED) {
    it(`${quickStart.file} prints each facility with its exact amount, and fails without a right secret`, async function () {
      this.timeout(180_000);
      const [probe, ...words] = quickStart.probe;
      if (spawnSync(probe, words).status !== 0) {
        process.stderr.write(
          `SKIPPED: ${quickStart.file}: ${quickStart.probe.join(' ')} does not work on this machine\n`,
        );
        return this.skip();
      }
      const { clientSecret } = services.options;
      expect((await run(quickStart, clientSecret)).stdout).to.match(quickStart.line);
      const failed = await run(quickStart, `${clientSecret}x`).then(
        ({ stdout }) => `no failure: ${stdout}`,
        () => 'failed',
      );
      expect(failed).to.equal('failed');
    });
  }

  it('balances.mjs has the types that the client promises', () => {
    const file = join(QUICK_STARTS, 'balances.mjs');
    const program = ts.createProgram([file], {
      noEmit: true,
      allowJs: true,
      skipLibCheck: true,
      strict: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules', '@types')],
    });
    const found = ts.getPreEmitDiagnostics(program);
    expect(
      found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    ).to.deep.equal([]);
  });

  it('is on a page that shows every program, and every program is tried or said not to be', () => {
    const pages = ['curl', 'python', 'go', 'java', 'typescript'].map((name) =>
      readFileSync(join(QUICK_STARTS, `${name}.md`), 'utf8'),
    );
    const shown = pages.flatMap((text) =>
      [...text.matchAll(/^\[([\w.]+)\]\(\1 "include"\)$/gm)].map(([, name]) => name ?? ''),
    );
    const tried = QUICK_STARTS_TRIED.map(({ file }) => file);
    const byHand = ['application.yaml', 'BalancesClient.java'];
    expect(shown.sort()).to.deep.equal([...tried, ...byHand].sort());
  });
});
