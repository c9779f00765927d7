import { join } from 'node:path';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import type { Database } from '@cls/shared/sql/database';
import { makeStore } from '@cls/testing/embedded-template';
import { temporaryDirectory } from '@cls/testing/servers';
import { runHosted } from '@cls/testing/tool-host';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { runWith } from './support/tool.ts';

const AUTH = new URL('../../../auth-server/', import.meta.url);

describe('a grant of deals to a customer', function () {
  this.timeout(300_000);
  const dataDir = join(temporaryDirectory('cls-grant-'), 'data');
  const grantWith = (env: Readonly<Record<string, string>>, customer: string, more: string[]) => {
    const words = ['entitlements', 'grant', '--customer', customer, '--role', 'agent'];
    return runWith({ CLS_DATA_DIR: dataDir, ...env }, ...words, ...more);
  };
  const grant = (customer: string, ...more: string[]) => grantWith({}, customer, more);
  /** Stores that this process holds, as running services do: each command would have to open them. */
  const held: Database[] = [];
  const hold = async (service: string, migrations: URL) => {
    const directory = join(dataDir, service, 'database');
    await makeStore(directory, migrations);
    held.push(await openEmbeddedDatabase(directory));
  };
  before(() => hold('resource-api', MIGRATIONS));
  after(() => Promise.all(held.map((database) => database.close())));

  it('is refused while auth-server cannot tell whether there is one, save with --new-customer', async () => {
    const refused = await grant('bank', '--all');
    expect(refused.code).to.equal(1);
    expect(refused.stderr)
      .to.include(
        'auth-server could not be asked whether the customer exists (cls-auth: there is no store in',
      )
      .and.include('--new-customer');
    expect((await grant('bank', '--all', '--new-customer')).code).to.equal(0);
    expect((await grant('bank', '--country', 'IN')).code, 'known by now').to.equal(0);
  });

  it('is refused with every setting that auth-server lacks in this environment, in one line', async () => {
    const missing = { AUTH_DATABASE_POOL_SIZE: '0', KEY_ENCRYPTION_KEY: 'short' };
    const refused = await grantWith(missing, 'another', ['--all']);
    expect(refused.code).to.equal(1);
    expect(refused.stderr.trimEnd().split('\n')).to.have.length(1);
    expect(refused.stderr)
      .to.match(/\(cls-auth: the configuration has 2 fault\(s\): .*\); to grant anyway/)
      .and.include('AUTH_DATABASE_POOL_SIZE: ')
      .and.include('; KEY_ENCRYPTION_KEY: ');
  });

  it('is refused where auth-server does not have the customer, and made where it has', async () => {
    await hold('auth-server', new URL('migrations/', AUTH));
    const words = ['customers', 'create', 'agency', '--name', 'Agency'];
    const made = await runHosted(new URL('dist/src/cli/run.js', AUTH), words, {
      CLS_DATA_DIR: dataDir,
    });
    expect(made.code).to.equal(0);
    const refused = await grant('agnecy', '--all');
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include('there is no customer agnecy: auth-server has agency');
    expect((await grant('agency', '--all')).code).to.equal(0);
  });
});
