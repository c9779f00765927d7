import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import type { Database } from '@cls/shared/sql/database';
import { makeStore } from '@cls/testing/embedded-template';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { APRIL, MARCH, SYNDICATE, syndicateText } from '../support/lenders-statement.ts';
import { runWith } from '../support/tool.ts';

const TOOL = fileURLToPath(new URL('../../../bin/cls-api.mjs', import.meta.url));
const MANY = 10_500;

describe('the files of a report', () => {
  const folder = temporaryDirectory('cls-report-files-');
  const dataDir = join(temporaryDirectory('cls-tool-'), 'data');
  let holder: Database;
  before(async () => {
    const directory = join(dataDir, 'resource-api', 'database');
    await makeStore(directory, MIGRATIONS);
    holder = await openEmbeddedDatabase(directory);
  });
  after(() => holder?.close());

  const at = (name: string) => join(folder, name);
  const file = (name: string, text: string) => {
    writeFileSync(at(name), text);
    return at(name);
  };
  const profile = file('profile.json', JSON.stringify(SYNDICATE));
  const words = (path: string, day: string, ...more: readonly string[]) => [
    ...['import', path, '--profile', profile, '--as-of', day, '--without-totals', 'a test'],
    ...more,
  ];
  const run = (...given: readonly string[]) => runWith({ CLS_DATA_DIR: dataDir }, ...given);
  const linesOf = (name: string) => readFileSync(at(name), 'utf8').trimEnd().split('\r\n');
  const leftovers = () => readdirSync(folder).filter((name) => name.endsWith('.partial'));

  it('have every change and every fault, also those that the report leaves out', async () => {
    const many = (balance: string) =>
      syndicateText(
        ...Array.from({ length: MANY }, (_, n) => `N${n};Borrower;Bank;EUR;${balance}`),
      );
    const valid = await run(
      ...words(
        file('many.csv', many('1.00')),
        '2025-03-31',
        '--changes',
        at('changes.csv'),
        '--rejects',
        at('none.csv'),
      ),
    );
    expect(valid.code, valid.stderr).to.equal(0);
    expect([linesOf('changes.csv').length, linesOf('changes.csv')[1]]).to.deep.equal([
      MANY + 1,
      'new_loan,N0,,,',
    ]);
    expect(existsSync(at('none.csv'))).to.equal(false);
    const refused = await run(
      ...words(
        file('faults.csv', many('=1+1')),
        '2025-03-31',
        '--rejects',
        at('rejects.csv'),
        '--changes',
        at('no.csv'),
      ),
    );
    expect(refused.code).to.equal(1);
    const rejects = linesOf('rejects.csv');
    expect([rejects.length, rejects[1]?.endsWith(",'=1+1")]).to.deep.equal([MANY + 1, true]);
    expect(existsSync(at('no.csv'))).to.equal(false);
    expect(leftovers()).to.deep.equal([]);
  });

  it('are never written over another, and then nothing is imported', async () => {
    const march = file('march.csv', MARCH);
    for (const option of ['--rejects', '--changes', '--html']) {
      const taken = file('taken', 'mine');
      const refused = await run(...words(march, '2025-03-31', '--apply', option, taken));
      expect([refused.code, refused.stderr.trim()]).to.deep.equal([
        1,
        `${taken} cannot be written: it is there already`,
      ]);
      expect(readFileSync(taken, 'utf8')).to.equal('mine');
    }
    const nowhere = await run(...words(march, '2025-03-31', '--apply', '--html', at('no/x.html')));
    expect(nowhere.stderr).to.include('x.html cannot be written: ENOENT');
    expect([
      JSON.parse((await run('imports', 'list', '--json')).stdout),
      leftovers(),
    ]).to.deep.equal([[], []]);
  });

  it('leave nothing behind on a disk that is full, and the statement is not applied', async () => {
    const rows = Array.from({ length: 3_000 }, (_, n) => `F${n};Borrower;Bank;EUR;1.00`);
    const given = words(
      file('full.csv', syndicateText(...rows)),
      '2025-03-31',
      '--apply',
      '--changes',
      at('cut.csv'),
    );
    const limited = ['-c', 'ulimit -f 20; exec "$@"', 'bash', process.execPath, TOOL, ...given];
    const failed = await promisify(execFile)('bash', limited, {
      env: { ...process.env, CLS_DATA_DIR: dataDir },
    }).catch((error) => error);
    expect([failed.code, failed.stderr.trim()]).to.deep.equal([
      1,
      `${at('cut.csv')} cannot be written: EFBIG`,
    ]);
    expect([existsSync(at('cut.csv')), leftovers()]).to.deep.equal([false, []]);
    expect(JSON.parse((await run('imports', 'list', '--json')).stdout)).to.deep.equal([]);
  });

  it('show the progress where it is asked for', async () => {
    const shown = await run(
      ...words(at('march.csv'), '2025-03-31', '--apply', '--progress', '--html', at('march.html')),
    );
    expect(shown.stderr).to.match(/^reading: 5 rows$/m);
    expect(readFileSync(at('march.html'), 'utf8')).to.match(
      /^<!doctype html>\n.*<title>Statement of 2025-03-31: applied/s,
    );
    const silent = await run(...words(file('april.csv', APRIL), '2025-04-30'));
    expect([silent.code, silent.stderr]).to.deep.equal([0, '']);
  });

  it('name the command that takes back a statement whose wrong date blocks later ones', async () => {
    const wrong = await run(
      ...words(at('april.csv'), '2099-04-30', '--apply', '--accept', 'date_beyond_today=a mistake'),
    );
    expect(wrong.code, wrong.stderr).to.equal(0);
    const march = words(
      file('may.csv', APRIL.replace('300000', '200000')),
      '2025-05-31',
      '--apply',
    );
    const blocked = JSON.parse((await run(...march, '--json')).stdout);
    const [, command = ''] = /cls-api (.* --apply)/.exec(blocked.details.faults[0].message) ?? [];
    expect((await run(...command.split(' '))).code, command).to.equal(0);
    expect((await run(...march)).code).to.equal(0);
  });
});
