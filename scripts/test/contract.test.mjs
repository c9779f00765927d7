import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const root = resolve(import.meta.dirname, '..', '..');
const CHANGE = {
  name: 'RequireBook',
  summary: 'Say which book you ask for.',
  covers: [{ rule: 'R4', operation: 'GET /cls/balances', pointer: '/parameters/query/book' }],
};

describe('npm run contract check', function () {
  this.timeout(120_000);
  const folders = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
  const released = () =>
    JSON.parse(
      readFileSync(join(root, 'packages/resource-api/contracts/released/v1.json'), 'utf8'),
    );
  /** The released v1 with one more required query parameter. */
  const stricter = () => {
    const document = released();
    const book = { name: 'book', in: 'query', required: true, schema: { type: 'string' } };
    document.paths['/cls/balances'].get.parameters.push(book);
    return document;
  };
  const check = (files, ...words) => {
    const folder = mkdtempSync(join(tmpdir(), 'cls-contracts-'));
    folders.push(folder);
    mkdirSync(join(folder, 'released'));
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder, name), JSON.stringify(content));
    }
    return run('check', '--folder', folder, ...words);
  };
  const run = (...words) => {
    const script = join(root, 'scripts', 'contract.mjs');
    return spawnSync(process.execPath, [script, ...words], { encoding: 'utf8' });
  };

  it('passes the contracts of this project', () => {
    const { status, stderr } = run('check');
    expect([status, stderr]).to.deep.equal([0, '']);
  });

  it('names R4 and v2 where a released v1 gets a required query parameter', () => {
    const { status, stderr } = check({ 'v1.json': stricter(), 'released/v1.json': released() });
    expect(status).to.equal(1);
    expect(stderr)
      .to.include('v1 was released and changes incompatibly (R4): leave v1 as it is, open v2')
      .and.include('R4  GET /cls/balances  (request)\n    where   /parameters/query/book\n');
  });

  it('passes the same change as a declared change of v2', () => {
    const files = { 'v1.json': released(), 'released/v1.json': released(), 'v2.json': stricter() };
    const { status, stderr } = check({ ...files, 'changes.json': { v2: [CHANGE] } });
    expect([status, stderr]).to.deep.equal([0, '']);
    const undeclared = check(files, '--json');
    expect(undeclared.status).to.equal(1);
    expect(JSON.parse(undeclared.stdout).faults[0].findings[0]).to.deep.include({ rule: 'R4' });
  });

  it('ends with 2 and its usage for other words', () => {
    expect(run().status).to.equal(2);
    expect(run('check', '--all').stderr).to.include('usage: npm run contract check');
  });
});
