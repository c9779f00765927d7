import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { requireServer } from '@cls/testing/engines';
import { findBinary, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import openapiTypes, { astToString } from 'openapi-typescript';
import { GO } from './support/go.ts';
import { type Services, sharedServices } from './support/services.ts';

const PACKAGE = resolve(import.meta.dirname, '../..');
const EXAMPLES = resolve(PACKAGE, '../../docs/start/examples/generated');
const AMOUNT = '76543210987654321.09';
/** Without documentation and tests of the client, which take half of the time. */
const SOURCES_ALONE = [
  ...['apis', 'models', 'supportingFiles', 'apiDocs=false', 'modelDocs=false'],
  ...['apiTests=false', 'modelTests=false'],
].join(',');

/** The generator ends before a better compiler or a collector with threads of its own has paid. */
const JAVA = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' };
/** The programs of docs/start/examples/generated call the services, as their page says. */
describe('a client that is generated from the contract as it is served', () => {
  const generator = process.env['CLS_OPENAPI_GENERATOR'] || findBinary('openapi-generator-cli');
  const folder = temporaryDirectory('cls-generated-');
  const contract = join(folder, 'openapi.json');
  let services: Services;
  before(async () => {
    services = await sharedServices();
    await services.grant();
    await services.lend(AMOUNT);
    const served = await fetch(`${services.api.baseUrl}/api/v1/openapi.json`);
    writeFileSync(contract, await served.text());
  });

  /** What a program prints. @throws {Error} with what it says where it fails. */
  const run = async (command: string, args: readonly string[], cwd: string, more = {}) => {
    const TOKEN = await services.token();
    const env = { ...process.env, BASE: services.api.baseUrl, TOKEN, PYTHONPATH: cwd, ...more };
    return promisify(execFile)(command, [...args], { cwd, env }).then(
      ({ stdout }) => stdout,
      ({ message, stdout }) => {
        throw new Error(`${message}\n${stdout}`);
      },
    );
  };
  const generate = async (language: string, packageName: string) => {
    const output = join(folder, language);
    const args = [
      ...['generate', '-g', language, '-i', contract, '-o', output],
      ...['--git-user-id', 'cls', '--git-repo-id', 'balances'],
      ...['--additional-properties', `packageName=${packageName}`],
      ...['--global-property', SOURCES_ALONE],
    ];
    await run(`${generator}`, args, folder, JAVA);
    return output;
  };
  const expectAll = (printed: string) => {
    const lines = printed.trim().split('\n');
    expect(lines[0]).to.match(/^as of \d{4}-\d\d-\d\d$/);
    expect(printed).to.match(new RegExp(`^bal_ctr_\\w+ ${AMOUNT} bal_fac_\\w+$`, 'm'));
    expect(lines.slice(-2)[0]).to.match(/^since (None|null|<nil>) next (None|null|<nil>)$/);
    expect(lines.at(-1)).to.equal('service_account');
  };

  it('works with the types of openapi-typescript, and compiles', async function () {
    this.timeout(0);
    // Within the package, so that the program finds openapi-fetch.
    const place = join(PACKAGE, 'dist', 'generated-client');
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    const types = await openapiTypes(new URL(`file://${contract}`));
    writeFileSync(join(place, 'schema.ts'), astToString(types));
    copyFileSync(join(EXAMPLES, 'balances.ts'), join(place, 'balances.ts'));
    const tsc = join(PACKAGE, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = [
      ...['--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022'],
      ...['--rewriteRelativeImportExtensions', '--types', 'node'],
      ...['--typeRoots', resolve(PACKAGE, '../../node_modules/@types')],
    ];
    await run(process.execPath, [tsc, ...options, 'balances.ts'], place);
    expectAll(await run(process.execPath, ['balances.js'], place));
  });

  it('works with Python, by openapi-generator', async function () {
    this.timeout(0);
    requireServer(this, 'openapi-generator-cli', generator);
    const output = await generate('python', 'cls_balances');
    // The Python of its environment, which has what the client needs.
    const python = join(dirname(generator), 'python');
    expectAll(await run(python, [join(EXAMPLES, 'balances.py')], output));
  });

  it('works with Go, by openapi-generator', async function () {
    this.timeout(0);
    requireServer(this, 'openapi-generator-cli', generator);
    const output = await generate('go', 'cls');
    const skip = (why: string) => {
      process.stderr.write(`SKIPPED: the Go client was generated; ${why}\n`);
      return this.skip();
    };
    if (spawnSync('go', ['version']).status !== 0) return skip('Go is not installed here');
    mkdirSync(join(output, 'balances'));
    copyFileSync(join(EXAMPLES, 'balances.go'), join(output, 'balances', 'main.go'));
    const imports = ['golang.org/x/oauth2', 'gopkg.in/validator.v2'];
    const isThere = await run('go', ['mod', 'download', ...imports], output).then(
      () => true,
      () => false,
    );
    if (!isThere) return skip('what it imports cannot be fetched here');
    expectAll(await run('go', ['run', '-mod=mod', './balances'], output, GO));
  });
});
