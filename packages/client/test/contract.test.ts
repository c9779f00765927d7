import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { CLIENT_CODES, HOST_CODES, TOKEN_CODES } from '../src/errors.ts';
import { CONTRACT_CODES } from '../src/generated/problem-codes.ts';
import { type Services, sharedServices } from './support/services.ts';

const PACKAGE = resolve(import.meta.dirname, '../..');
const SOURCES = join(PACKAGE, 'src');
const DOCS = resolve(PACKAGE, '../../docs');
/** What the sources may import; the compiler knows nothing of Node there (src/tsconfig.json). */
const LIBRARIES = ['openapi-fetch', '@noble/hashes/sha2.js', '@noble/hashes/utils.js'];

describe('the client’s sources', () => {
  it('import web standards alone: no module of Node', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
    const names = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(SOURCES, file), 'utf8').matchAll(
          /(?:\bfrom|\bimport\(?)\s*'([^']+)'/g,
        ),
      ])
      .map(([, name = '']) => name)
      .filter((name) => !name.startsWith('./'));
    expect([...new Set(names)].sort()).to.deep.equal([...LIBRARIES].sort());
  });
});

describe('the client’s codes', () => {
  const known: ReadonlySet<string> = new Set([...CONTRACT_CODES, ...HOST_CODES]);
  let services: Services;
  before(async () => {
    services = await sharedServices();
  });

  it('are those of docs/reference/api.md, besides those of the contract', () => {
    const page = readFileSync(join(DOCS, 'reference', 'api.md'), 'utf8');
    const [, section = ''] = page.split('\n## Errors\n');
    const rows = section.split('\n').filter((line) => /^\| \d{3}/.test(line));
    // In parentheses: codes of single parameters, and members.
    const cells = rows.map((row) => (row.split('|')[2] ?? '').replaceAll(/\(.*?\)/g, ''));
    const codes = cells
      .flatMap((cell) => [...cell.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)])
      .map(([, code = '']) => code);
    expect(codes).to.include.members([...HOST_CODES]);
    expect(codes.filter((code) => !known.has(code))).to.deep.equal([]);
    expect(CLIENT_CODES.filter((code) => known.has(code))).to.deep.equal([]);
  });

  it('are what the API answers outside of the contract', async () => {
    const { baseUrl } = services.api;
    const codeOf = async (path: string, method = 'GET') => {
      const headers = { authorization: `Bearer ${await services.token()}` };
      const answer = await fetch(`${baseUrl}${path}`, { method, headers });
      return ((await answer.json()) as { code: string }).code;
    };
    const raw = async (request: string) => {
      const { hostname, port } = new URL(baseUrl);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.end(request);
      return /"code":\s*"([a-z_]+)"/.exec(await text(socket))?.[1];
    };
    const answered = [
      await codeOf('/api/v1/cls/nothing'),
      await codeOf('/api/v999/cls/balances'),
      await codeOf('/api/v1/cls/balances', 'DELETE'),
      await raw('nonsense\r\n\r\n'),
      await raw(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
    ];
    expect(answered).to.deep.equal([
      'not_found',
      'unknown_version',
      'method_not_allowed',
      'invalid_request',
      'too_large',
    ]);
    expect(answered.filter((code) => !known.has(code ?? ''))).to.deep.equal([]);
  });

  it('are those of the token endpoint', () => {
    const page = readFileSync(join(DOCS, 'reference', 'tokens.md'), 'utf8');
    for (const code of TOKEN_CODES) expect(page).to.include(`\`${code}\``);
  });
});

describe('the example of the client’s README', () => {
  let services: Services;
  before(async () => {
    services = await sharedServices();
    await services.grant();
    await services.lend('10.00');
  });

  for (const runtime of ['node', 'deno', 'bun']) {
    it(`works in ${runtime}`, function () {
      this.timeout(60_000);
      const command = runtime === 'node' ? process.execPath : runtime;
      if (spawnSync(command, ['--version']).error !== undefined) {
        process.stderr.write(`SKIPPED: ${runtime} is not installed on this machine\n`);
        return this.skip();
      }
      const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
      const example = /^```js example\n(.*?)^```/ms.exec(readme)?.[1] ?? '';
      const file = join(PACKAGE, 'dist', `readme-example.${runtime}.mjs`);
      writeFileSync(file, example.replace('./packages/client/dist/', './'));
      const args = runtime === 'deno' ? ['run', '--allow-all', file] : [file];
      return services.run(command, args).then((output) => {
        expect(output).to.match(/^bal_ctr_\w+ 10\.00$/m);
        expect(output).to.match(/^\d+ facilities, known at \d{4}-/m);
        expect(output).to.match(/^400 as_of_before_book \S+ \[/m);
      });
    });
  }
});
