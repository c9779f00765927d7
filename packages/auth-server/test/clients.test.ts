import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { anyEngine, requireServer } from '@cls/testing/engines';
import { expect } from 'chai';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import {
  createPerson,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  VIEW,
} from './support/auth-server.ts';
import { applicationRecords } from './support/client-records.ts';
import { Browser } from './support/relying-party.ts';

const DOCS = resolve(import.meta.dirname, '../../../../docs');
const EXAMPLES = join(DOCS, 'start', 'examples', 'clients');
const REDIRECT_URI = 'http://localhost:3000/callback';
const EMAIL = 'asha@india.example';

interface Runtime {
  readonly command: string;
  /** Given where people sign in over http, which its library refuses otherwise. */
  readonly env?: Record<string, string>;
}

const NODE: Runtime = { command: process.execPath };

/** The examples of docs/guides/clients.md, each by the library as it is, against the running server. */
describe('a client of docs/guides/clients.md', function () {
  this.timeout(300_000);
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(anyEngine);
    const id = await createPerson(server.database, EMAIL);
    await sqlAccounts(server.database).rename(id, 'Asha Rao');
  });
  after(() => server?.stop());

  const application = async (name: string) => {
    const { id, secret } = await applicationRecords(server.database).create({
      ...{ name, firstParty: true, confidential: true, redirectUris: [REDIRECT_URI] },
      ...{ postLogoutRedirectUris: [], backchannelLogoutUri: null, device: false },
      withoutPkce: name === 'passport.mjs',
    });
    return { CLIENT_ID: id, CLIENT_SECRET: secret?.expose() ?? '' };
  };

  /** Runs an example to its end, with a browser that goes where it says. */
  const run = async (name: string, { command, env }: Runtime) => {
    const client = await application(name);
    const child = spawn(command, [join(EXAMPLES, name)], {
      env: { ...process.env, ...env, ...client, ISSUER: server.issuer, REDIRECT_URI },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    let complaints = '';
    child.stderr.on('data', (part) => {
      complaints += part;
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const line = async () => {
      const { value } = await lines.next();
      if (typeof value !== 'string') throw new Error(`${name} ended: ${complaints}`);
      return value;
    };
    const browser = new Browser();
    const page = await browser.follow(await line());
    const { url } = await browser.submit(page, { email: EMAIL, password: PASSWORD });
    child.stdin.end(`${url.href}\n`);
    const result = JSON.parse(await line()) as { scope?: string; person: object };
    await closed;
    return result;
  };

  it('has an example that is named on the page, and no other', () => {
    const page = readFileSync(join(DOCS, 'guides', 'clients.md'), 'utf8');
    for (const name of readdirSync(EXAMPLES)) expect(page).to.include(`examples/clients/${name}`);
  });

  for (const name of ['openid-client.mjs', 'oauth4webapi.mjs']) {
    it(`${name} signs in, refreshes and asks userinfo with the API’s token`, async () => {
      expectSignedIn(await run(name, NODE));
    });
  }

  it('passport.mjs signs in without PKCE', async () => {
    const { person } = await run('passport.mjs', NODE);
    expect(person).to.include({ displayName: 'Asha Rao' });
    expect(person).to.have.deep.property('emails', [{ value: EMAIL }]);
  });

  for (const [name, module, debian] of [
    ['authlib_client.py', 'authlib', 'python3-authlib'],
    ['requests_oauthlib_client.py', 'requests_oauthlib', 'python3-requests-oauthlib'],
    ['httpx_oauth_client.py', 'httpx_oauth', undefined],
  ] as const) {
    it(`${name} signs in, refreshes and asks userinfo with the API’s token`, async function () {
      const python = pythonWith(module);
      if (python === undefined && debian === undefined) {
        // No package of the system has it, so nobody is held to it.
        process.stderr.write(`SKIPPED: ${name}: no Python here has ${module}\n`);
        return this.skip();
      }
      requireServer(this, `Python with ${debian}`, python);
      expectSignedIn(await run(name, python));
    });
  }

  it('curl gets a token with the line of the page', async function () {
    const [, line = ''] = /```sh curl\n([\s\S]*?)```/.exec(page()) ?? [];
    const { id: ID, secret: SECRET } = server.client;
    requireServer(this, 'curl', has('curl', ['--version']) ? true : undefined);
    const env = { ...process.env, BASE: server.issuer, ID, SECRET };
    const { stdout } = await promisify(execFile)('sh', ['-ec', line], { env });
    expect(JSON.parse(stdout)).to.include({ token_type: 'Bearer', expires_in: 86_400 });
  });

  const page = () => readFileSync(join(DOCS, 'guides', 'clients.md'), 'utf8');

  const expectSignedIn = ({ scope, person }: { scope?: string; person: object }) => {
    expect(scope?.split(' ').sort()).to.deep.equal(
      ['openid', 'email', 'profile', `${server.config.scopeBase}/auth/${VIEW}`].sort(),
    );
    expect(person).to.include({ name: 'Asha Rao', email: EMAIL, email_verified: true });
  };
});

/** `CLS_PYTHON`, else the first of this machine's that has the module. */
function pythonWith(module: string): Runtime | undefined {
  const env = { AUTHLIB_INSECURE_TRANSPORT: '1', OAUTHLIB_INSECURE_TRANSPORT: '1' };
  const commands = [process.env['CLS_PYTHON'] ?? '', '/usr/bin/python3', 'python3'];
  const command = commands.find((one) => one !== '' && has(one, ['-c', `import ${module}`]));
  return command === undefined ? undefined : { command, env };
}

function has(command: string, words: readonly string[]): boolean {
  try {
    execFileSync(command, words, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
