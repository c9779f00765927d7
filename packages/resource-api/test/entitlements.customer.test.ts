import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@cls/testing/servers';
import { runProgram } from '@cls/testing/tool-help';
import { expect } from 'chai';

const AUTH = fileURLToPath(new URL('../../../auth-server/bin/cls-auth.mjs', import.meta.url));
const API = fileURLToPath(new URL('../../bin/cls-api.mjs', import.meta.url));

describe('a grant of deals to a customer', function () {
  this.timeout(300_000);
  const dataDir = join(temporaryDirectory('cls-grant-'), 'data');
  const grant = (customer: string, ...more: string[]) => {
    const words = ['entitlements', 'grant', '--customer', customer, '--role', 'agent'];
    return runProgram(API, [...words, ...more], { CLS_DATA_DIR: dataDir });
  };
  before(() => runProgram(API, ['migrate'], { CLS_DATA_DIR: dataDir }));

  it('is refused while auth-server cannot tell whether there is one, save with --new-customer', async () => {
    const refused = await grant('bank', '--all');
    expect(refused.code).to.equal(1);
    expect(refused.stderr)
      .to.include(
        'auth-server could not be asked whether the customer exists (there is no store in',
      )
      .and.include('--new-customer');
    expect((await grant('bank', '--all', '--new-customer')).code).to.equal(0);
    expect((await grant('bank', '--country', 'IN')).code, 'known by now').to.equal(0);
  });

  it('is refused where auth-server does not have the customer, and made where it has', async () => {
    const made = await runProgram(AUTH, ['customers', 'create', 'agency', '--name', 'Agency'], {
      CLS_DATA_DIR: dataDir,
    });
    expect(made.code).to.equal(0);
    const refused = await grant('agnecy', '--all');
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include('there is no customer agnecy: auth-server has agency');
    expect((await grant('agency', '--all')).code).to.equal(0);
  });
});
