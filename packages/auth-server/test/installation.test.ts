import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { linesOfFile } from '@cls/shared/cli/lines-of-file';
import { silentLog } from '@cls/shared/log';
import { noMetrics } from '@cls/shared/metrics/metrics';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { type DatabaseLocation, openDatabaseAsOperator } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { writeAgeFile } from '@cls/shared/transfer/age-file';
import { readSealedFile } from '@cls/shared/transfer/sealed-file';
import { tablesOf } from '@cls/shared/transfer/table-copy';
import { makeStore } from '@cls/testing/embedded-template';
import { describeOnDatabase, describeOnEngines, pglite } from '@cls/testing/engines';
import { redisServer, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import type { PasswordVerifier } from '../src/accounts/password.ts';
import { sqlAuditChain } from '../src/audit/sql-audit-chain.ts';
import { startAuthServer } from '../src/compose.ts';
import { composeStores } from '../src/compose-stores.ts';
import { hashWith } from '../src/crypto/digest.ts';
import { recoveryKeyOf } from '../src/crypto/recovery-key.ts';
import { resealWith, SEALED } from '../src/crypto/seal.ts';
import { insertFactor } from '../src/factors/sql-factors.ts';
import { sqlInstallation } from '../src/installation/sql-installation.ts';
import { sqlSigningKeyStore } from '../src/keys/sql-signing-keys.ts';
import { sqlSecurityContacts } from '../src/notices/sql-security-contacts.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import {
  basic,
  claimsOf,
  createPerson,
  KEY,
  PASSWORD,
  startTestAuthServer,
  type TestAuthServer,
  testConfig,
  totpCode,
  VIEW,
} from './support/auth-server.ts';
import { clientSecrets, serviceAccountRecords } from './support/client-records.ts';
import { runTool } from './support/tool.ts';

const SEEDS = (process.env['MOVE_SEEDS'] ?? '1').split(',').map(Number);
const STEPS = 40;
const OTHER_KEY = 'B'.repeat(43);
const QUICK_LOG_N = 2;
const clock = { now: () => new Date() };
const storesOf = (database: Database, key: string) =>
  composeStores({
    database,
    clock,
    metrics: noMetrics,
    keyEncryptionKey: new Secret(key),
    passwords: {} as PasswordVerifier, // Nobody signs in through these.
  });

/** The same numbers for the same seed (mulberry32). */
class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    const share = ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    return from + Math.floor(share * (to - from + 1));
  }
}

describeOnEngines('an installation that moves from the embedded store', (engine) => {
  for (const seed of SEEDS) {
    describe(`after any history (${seed})`, () => {
      const random = new Random(seed);
      /** Credentials of callers, with whether they get a token. */
      const clients: { id: string; secret: string }[] = [];
      const people: string[] = [];
      const codes: { accountId: string; code: string; used: boolean }[] = [];
      let old: TestAuthServer;
      let oldToken: string;
      let oldRows: Readonly<Record<string, unknown>>;
      const outcomes: unknown[] = [];
      let location: DatabaseLocation;
      let database: Database;
      let moved: Awaited<ReturnType<typeof startAuthServer>>;
      let url: string;

      const outcomesAt = async (tokenUrl: string) => {
        const post = async (body: string, headers: Record<string, string>) => {
          const answer = await fetch(tokenUrl, { method: 'POST', body, headers });
          return answer.status;
        };
        const json = { 'content-type': 'application/json', accept: 'application/json' };
        const found = [];
        for (const { id, secret } of clients) {
          found.push(await post('grant_type=client_credentials', basic(id, secret)));
        }
        for (const email of people) {
          found.push(await post(JSON.stringify({ email, password: PASSWORD }), json));
        }
        return found;
      };

      before(async () => {
        old = await startTestAuthServer(pglite);
        clients.push(old.client);
        people.push(old.person.email);
        await randomHistory(old.database, random, { clients, people, codes });
        const body = await old.post(
          'grant_type=client_credentials',
          basic(old.client.id, old.client.secret),
        );
        oldToken = ((await body.json()) as { access_token: string }).access_token;
        outcomes.push(...(await outcomesAt(`${old.issuer}/oauth/token`)));
        const lines: string[] = [];
        const write = async (text: string) => {
          lines.push(...text.trimEnd().split('\n'));
        };
        await old.stop();
        // Audit events are written a moment after the answers; the stop has written the last.
        const left = await openDatabaseAsOperator(old.config.database, 'test', silentLog);
        await sqlInstallation(left, new Secret(KEY)).export(write);
        oldRows = await rowsOf(left, KEY);
        await left.close();
        location = await engine.createLocation(MIGRATIONS);
        database = await openDatabaseAsOperator(location, 'test', silentLog);
        async function* given() {
          yield* lines;
        }
        await sqlInstallation(database, new Secret(OTHER_KEY)).import(given());
      });
      after(async () => {
        await database?.close();
        await moved?.stop();
      });

      it('has every record as it was, sealed with the key of the new store', async () => {
        expect(await rowsOf(database, OTHER_KEY)).to.deep.equal(oldRows);
        expect(Object.keys(oldRows)).to.include.members(['account', 'passkey', 'audit_event']);
        const [{ count } = { count: 0n }] = await database.query<{ count: bigint }>(
          'SELECT count(*) FROM protocol_state',
        );
        expect(count, 'nobody is signed in').to.equal(0n);
      });

      it('continues the chain of its audit', () => expectChained(database));

      it('accepts the recovery codes that were not used, once, after another key too', async () => {
        expect(codes.some(({ used }) => used) && codes.some(({ used }) => !used)).to.equal(true);
        const [first, ...others] = codes.filter(({ used }) => !used);
        const use = ({ accountId = '', code = '' } = {}, key = OTHER_KEY, attempt = 'a') =>
          storesOf(database, key).recoveryCodes.use(accountId, code, attempt);
        const settle = ({ accountId = '' } = {}, attempt = 'a') =>
          storesOf(database, OTHER_KEY).recoveryCodes.settle(accountId, attempt);
        expect(await use(first)).to.equal(true);
        await settle(first);
        expect(await use(first, OTHER_KEY, 'b')).to.equal(false);
        for (const one of codes.filter(({ used }) => used)) expect(await use(one)).to.equal(false);
        const [from, to] = [OTHER_KEY, 'C'.repeat(43)].map((key) => new Secret(key));
        if (from === undefined || to === undefined) throw new Error('no keys');
        await resealWith(database, to, from);
        for (const one of others) expect(await use(one, to.expose())).to.equal(true);
        await resealWith(database, from, to);
      });

      it('gives every client and person what it gave before, with Redis too', async () => {
        await database.close();
        const redis = engine.name === 'PostgreSQL' ? await redisServer() : undefined;
        const state = redis === undefined ? {} : { REDIS_URL: redis.url };
        const env = { ISSUER: old.issuer, KEY_ENCRYPTION_KEY: OTHER_KEY, ...state };
        const config = await testConfig(location, env);
        moved = await startAuthServer(config, silentLog);
        url = `http://127.0.0.1:${moved.port}`;
        database = await openDatabaseAsOperator(location, 'test', silentLog);
        expect(await outcomesAt(`${url}/oauth/token`)).to.deep.equal(outcomes);
        expect(outcomes).to.include(200);
        expect(outcomes.some((status) => status !== 200)).to.equal(true);
      });

      it('publishes the keys under their names: a token from before verifies, a new one has the same kid', async () => {
        const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`));
        const { protectedHeader } = await jwtVerify(oldToken, keys, { issuer: old.issuer });
        const again = await fetch(`${url}/oauth/token`, {
          method: 'POST',
          body: 'grant_type=client_credentials',
          headers: basic(old.client.id, old.client.secret),
        });
        const token = ((await again.json()) as { access_token: string }).access_token;
        const verified = await jwtVerify(token, keys, { issuer: old.issuer });
        expect(verified.protectedHeader.kid).to.equal(protectedHeader.kid);
        expect(claimsOf(token)['sub']).to.equal(claimsOf(oldToken)['sub']);
      });

      it('asks for a second factor, and takes the code of the app that was enrolled', async () => {
        const send = (fields: object) =>
          fetch(`${url}/oauth/token`, {
            method: 'POST',
            body: JSON.stringify({ email: old.guarded.email, password: PASSWORD, ...fields }),
            headers: { 'content-type': 'application/json', accept: 'application/json' },
          });
        expect((await send({})).status).to.equal(403);
        const otp = totpCode(old.guarded.totpSecret);
        expect((await send({ otp })).status).to.equal(200);
      });
    });
  }
});

describeOnDatabase(
  'an installation that is exported while its KEY_ENCRYPTION_KEY is replaced',
  (engine) => {
    it('has recovery codes of both keys, whether secrets were sealed anew or not', async () => {
      const [previous, current, later] = [KEY, OTHER_KEY, 'C'.repeat(43)].map(
        (key) => new Secret(key),
      ) as [Secret, Secret, Secret];
      for (const resealed of [false, true]) {
        const old = await startTestAuthServer(engine);
        const { id } = old.guarded;
        for (const [key, code] of [
          [previous, '00000000001p'],
          [current, '00000000001c'],
        ] as const) {
          const hash = hashWith(recoveryKeyOf(key).bytes)(`${id}:${code}`);
          await old.database.query(
            'INSERT INTO recovery_code (account_id, code_hash) VALUES ($1, $2)',
            [id, hash],
          );
        }
        if (resealed) await resealWith(old.database, current, previous);
        const lines: string[] = [];
        await sqlInstallation(old.database, current, previous).export(async (text) => {
          lines.push(...text.trimEnd().split('\n'));
        });
        await old.stop();
        const database = await engine.open(MIGRATIONS);
        await sqlInstallation(database, later).import(Readable.from(lines));
        for (const code of ['00000000001p', '00000000001c']) {
          const used = await storesOf(database, later.expose()).recoveryCodes.use(id, code, 'a');
          expect(used, `${code}, sealed anew: ${resealed}`).to.equal(true);
        }
        await database.close();
      }
    });
  },
);

describeOnEngines('an installation that 0.5.0 exported', (engine) => {
  const file = new URL('../../test/fixtures/installation-0.5.0.cls', import.meta.url);
  const passphrase = new Secret('test only: opens the export of 0.5.0');
  const email = 'asha@bank.example';
  let server: Awaited<ReturnType<typeof startAuthServer>>;
  before(async () => {
    const location = await engine.createLocation(MIGRATIONS);
    const database = await openDatabaseAsOperator(location, 'test', silentLog);
    const lines = linesOfFile(readSealedFile({ passphrase }, createReadStream(file)));
    const { rows } = await sqlInstallation(database, new Secret(OTHER_KEY)).import(lines);
    expect(rows).to.equal(17);
    await database.query("INSERT INTO audit_event (type, subject, at) VALUES ('test', 'x', now())");
    await expectChained(database);
    await database.close();
    const env = { ISSUER: 'http://localhost:8080', KEY_ENCRYPTION_KEY: OTHER_KEY };
    server = await startAuthServer(await testConfig(location, env), silentLog);
  });
  after(() => server?.stop());

  it('gives its clients and people their tokens, signed with its key', async () => {
    const post = (body: string, headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${server.port}/oauth/token`, { method: 'POST', body, headers });
    const signIn = (fields: object) =>
      post(JSON.stringify({ email, password: 'BFarLAtyaFl5p6K2ykC0-AtB', ...fields }), {
        'content-type': 'application/json',
        accept: 'application/json',
      });
    const client = basic(
      'svc_FQMZ52H4JNCRVKZW89XXE7KM82',
      'AAiWbcYUR5jD4JK3VcQ9dJoGzVircsIQfFXIv6HqTzE',
    );
    const answer = await post('grant_type=client_credentials', client);
    const { access_token: token } = (await answer.json()) as { access_token: string };
    expect(decodeProtectedHeader(token).kid).to.equal(
      'MYjXfeC3tr7XzSK6PGqGeHicK0mZLkBdM63QIV-VH14',
    );
    expect((await signIn({})).status).to.equal(403);
    const otp = totpCode('7FRHRII5656635A5QHKQVKPAQIDEFOOM');
    expect((await signIn({ otp })).status).to.equal(200);
  });
});

/** Events are chained, and the chain is whole. */
async function expectChained(database: Database): Promise<void> {
  const chain = sqlAuditChain(database);
  await chain.seal(0);
  const report = await chain.verify({ kept: undefined, keptSince: undefined });
  expect(report.faults).to.deep.equal([]);
  expect(report.waiting).to.equal(0);
  expect(report.events).to.be.greaterThan(0);
}

interface Made {
  readonly clients: { id: string; secret: string }[];
  readonly people: string[];
  readonly codes: { accountId: string; code: string; used: boolean }[];
}

/** Creations, replacements, blocks and uses, in any order; at least one of each. */
async function randomHistory(database: Database, random: Random, made: Made): Promise<void> {
  const stores = storesOf(database, KEY);
  const contacts = sqlSecurityContacts(database, aesGcmSealer(new Secret(KEY)));
  const keys = sqlSigningKeyStore(database, aesGcmSealer(new Secret(KEY)), 2_048);
  const services = serviceAccountRecords(database);
  const pick = <T>(values: readonly T[]): T => values[random.between(0, values.length - 1)] as T;
  let n = 0;
  const name = (what: string) => {
    n += 1;
    return `${what}-${n}`;
  };
  const operations: readonly (() => Promise<unknown>)[] = [
    async () => {
      const id = name('customer');
      await stores.customers.create(id, 'Über "x" \\ \n', false);
      await contacts.change(id, { email: 'security@bank.example' });
    },
    async () => {
      const account = { name: name('service'), customer: 'india', permissions: [VIEW] as const };
      const { id, secret } = await services.create(account);
      made.clients.push({ id, secret: secret.expose() });
    },
    async () => {
      const { id = '' } = pick(made.clients.slice(1)) ?? {};
      if (id === '') return;
      const { secret } = await clientSecrets(database).replace(
        { clientId: id },
        pick([0, 3_600]),
        {},
      );
      made.clients.push({ id, secret: secret.expose() });
    },
    () => services.setDisabled(pick(made.clients.slice(1))?.id ?? '', random.between(0, 2) === 1),
    async () => {
      const email = `${name('p')}@india.example`;
      await createPerson(database, email);
      made.people.push(email);
    },
    async () => {
      const account = await stores.records.findByEmail(pick(made.people.slice(1)) ?? '');
      if (account) await stores.records.setDisabled(account.id, random.between(0, 1) === 1);
    },
    () => stores.records.createElsewhere({ ...invited(name('e')), customer: 'india' }),
    async () => {
      const account = await stores.records.findByEmail(pick(made.people) ?? '');
      if (account) await stores.links.create(account.id, 'password_reset', 3_600);
    },
    async () => {
      const accountId = await createPerson(database, `${name('c')}@india.example`);
      const own = [0, 1, 2].map((i) => `${n}`.padStart(11, '0') + i);
      await stores.recoveryCodes.replace(accountId, own);
      // The second one is as codes of 60 bits were stored: hashed with the key.
      const hash = hashWith(recoveryKeyOf(new Secret(KEY)).bytes);
      const [, short = ''] = own;
      await database.query(
        'UPDATE recovery_code SET code_hash = $2 WHERE account_id = $1 AND code_hash = $3',
        [
          accountId,
          hash(`${accountId}:${short}`),
          stores.recoveryCodes.hashesOf(accountId, [short])[0] ?? '',
        ],
      );
      for (const code of own) made.codes.push({ accountId, code, used: false });
    },
    async () => {
      const unused = made.codes.filter(({ used }) => !used);
      const one = pick(unused);
      if (one === undefined || unused.length < 4) return;
      await stores.recoveryCodes.use(one.accountId, one.code, 'then');
      await stores.recoveryCodes.settle(one.accountId, 'then');
      one.used = true;
    },
    () => addPasskey(database, made.people[0] ?? '', name('key')),
    () =>
      stores.applications.create({
        name: name('app'),
        firstParty: false,
        confidential: random.between(0, 1) === 1,
        redirectUris: ['https://portal.example/callback?a=1,2'],
        postLogoutRedirectUris: [],
        backchannelLogoutUri: null,
        device: false,
        withoutPkce: false,
        allowedOrigins: ['https://portal.example'],
        scopes: ['openid'],
        logo: { name: 'logo.png', body: Buffer.from([0, 10, 92, 255]) },
      }),
    () =>
      stores.upstreamProviders.add({
        domain: `${name('d')}.example`,
        customer: 'india',
        issuer: 'https://login.example',
        clientId: 'cls',
        clientSecret: new Secret(name('upstream-secret')),
        emailClaim: 'email',
        emailVerifiedClaim: 'email_verified',
      }),
    () =>
      contacts.change('india', {
        webhook: { url: 'https://hooks.india.example/', secret: name('whsec_') },
      }),
    () => keys.stage(),
    () => keys.promote({ early: true }),
    () =>
      database.query(
        `INSERT INTO audit_event (at, type, subject, event_id) VALUES (now(), 'x', $1, gen_random_uuid())`,
        [name('event')],
      ),
    () =>
      database.query(`INSERT INTO throttle VALUES ('password', $1, 3, now(), now())`, [name('t')]),
  ];
  const anyOrder = Array.from({ length: STEPS }, () => pick(operations));
  for (const operate of [...operations, ...operations, ...anyOrder]) await operate();
}

function invited(local: string) {
  return { email: `${local}@india.example`, permissions: [VIEW] as const };
}

async function addPasskey(database: Database, email: string, key: string): Promise<void> {
  const [account] = await database.query<{ id: string }>(
    'SELECT id FROM account WHERE email = $1',
    [email],
  );
  const id = `fac_${'0'.repeat(20)}${key.replace(/\D/g, '').padStart(6, '0')}`;
  await database.transaction(async (transaction) => {
    const planned = { id, name: key, codeHashes: [] };
    await insertFactor(transaction, account?.id ?? '', 'passkey', planned);
    await transaction.query(
      `INSERT INTO passkey (factor_id, account_id, credential_id, public_key, counter, transports, synced)
       VALUES ($1, $2, $3, 'cose', 7, '{usb,"a,b"}', true)`,
      [id, account?.id ?? '', key],
    );
  });
}

/** Every table that moves, with what is sealed opened; the key of codes is beside its codes. */
async function rowsOf(database: Database, key: string): Promise<Record<string, unknown>> {
  const left = [
    ...['protocol_state', 'revoked_grant', 'ended_account', 'signed_in_session'],
    ...['application_grant', 'remembered_device', 'used_account_link', 'logout_notice'],
    'task_run',
    'recovery_code_key',
  ];
  const sealer = aesGcmSealer(new Secret(key));
  const found: Record<string, unknown> = {};
  for (const { name } of await tablesOf(database, left)) {
    const rows = await database.query<{ row: Record<string, string> }>(
      `SELECT to_jsonb(t) AS row FROM ${name} t ORDER BY to_jsonb(t)::text`,
    );
    const opened = rows.map(({ row }) => {
      if (name === 'recovery_code') return { ...row, key_id: null };
      if (!(name in SEALED)) return row;
      const { column, owner, context } = SEALED[name as keyof typeof SEALED];
      const sealed = row[column] ?? null;
      if (sealed === null) return row;
      return { ...row, [column]: sealer.unseal(sealed, context(row[owner] ?? '')) };
    });
    if (rows.length > 0) found[name] = opened.map((row) => JSON.stringify(row)).sort();
  }
  return found;
}

describe('cls-auth export and import', () => {
  const folder = temporaryDirectory('cls-installation-');
  const source = { CLS_DATA_DIR: join(folder, 'a') };
  const file = join(folder, 'installation.cls');
  const [identity, forRecipient] = [join(folder, 'identity'), join(folder, 'for-recipient')];
  const passphrase = 'seven words that nobody else would choose';
  // Of this test alone.
  const key = 'AGE-SECRET-KEY-12JND8MLVFK8UCUY705ZMXUNLEX6N2Q9N5VZTDMMCJVA4LWWJXTYQF6Y8RW';
  before(async () => {
    for (const name of ['a', 'b', 'c']) {
      await makeStore(join(folder, name, 'auth-server', 'database'), MIGRATIONS);
    }
    const { code } = await runTool(['customers', 'create', 'bank', '--name', 'Bank'], source);
    expect(code).to.equal(0);
  });

  it('asks for a passphrase of sixteen characters, and writes a file that tells nothing', async () => {
    const short = await runTool(['export', file], source, 'short');
    expect(short.code).to.equal(2);
    expect(short.stderr).to.include('expected 16 characters or more');
    const wrote = await runTool(['export', file, '--json'], source, passphrase);
    expect(JSON.parse(wrote.stdout).tables).to.include({ customer: 1 });
    expect(readFileSync(file).toString()).to.match(/^age-encryption\.org\/v1\n-> scrypt /);
    expect(readFileSync(file).includes('Bank')).to.equal(false);
  });

  it('is for the keys of recipients in place of a passphrase', async () => {
    const none = await runTool(['export', join(folder, 'x'), '--recipient', 'ssh-rsa AA'], source);
    expect(none.stderr).to.equal('--recipient: expected a public key of age, such as age1…\n');
    const secret = `AGE-SECRET-KEY-1${'Q'.repeat(58)}`;
    writeFileSync(identity, `# a comment\n${secret}\n`);
    const mistyped = await runTool(['import', forRecipient, '--identity', identity], source);
    expect(mistyped.stderr).to.include('expected secret keys of age').and.not.include(secret);
    const recipient = 'age19fsvh0f6wwgcx02hkr4e67gsjhe2plsp74jx8f5ctuun64xmccls8us3tn';
    const wrote = await runTool(['export', forRecipient, '--recipient', recipient], source);
    expect(wrote.stdout).to.include('wrote 1 customers');
    writeFileSync(identity, `# a comment\n${key}\n`);
    const target = { CLS_DATA_DIR: join(folder, 'c'), KEY_ENCRYPTION_KEY: OTHER_KEY };
    const read = await runTool(['import', forRecipient, '--identity', identity], target);
    expect(read.stderr + read.stdout).to.include('read 1 customers');
  });

  /** What was exported, under the passphrase: one that takes a moment to try, and not a second. */
  const quicklySealed = async (): Promise<Buffer> => {
    const read = readSealedFile({ identities: [new Secret(key)] }, createReadStream(forRecipient));
    const sealed: Uint8Array[] = [];
    await writeAgeFile(
      { passphrase: new Secret(passphrase) },
      async (bytes) => {
        sealed.push(bytes);
      },
      async (write) => {
        for await (const chunk of read) await write(Buffer.from(chunk).toString());
      },
      QUICK_LOG_N,
    );
    return Buffer.concat(sealed);
  };

  it('fills an empty store, and refuses one with records, another passphrase and a file that was cut', async () => {
    const target = { CLS_DATA_DIR: join(folder, 'b'), KEY_ENCRYPTION_KEY: OTHER_KEY };
    const [quick, cut] = [join(folder, 'quick'), join(folder, 'cut')];
    writeFileSync(quick, await quicklySealed());
    writeFileSync(cut, readFileSync(quick).subarray(0, -1));
    for (const [path, words] of [
      [quick, 'seven other words that open nothing'],
      [cut, passphrase],
      [join(folder, 'none'), passphrase],
    ] as const) {
      const refused = await runTool(['import', path], target, words);
      expect(refused.code, path).to.equal(1);
      expect(refused.stderr).to.match(/does not open|was cut|ENOENT/);
    }
    const read = await runTool(['import', file], target, passphrase);
    expect(read.stderr + read.stdout).to.include('read 1 customers');
    const listed = await runTool(['customers', 'list', '--json'], target);
    expect(JSON.parse(listed.stdout)).to.have.length(1);
    const again = await runTool(['import', quick], target, passphrase);
    expect(again.code).to.equal(1);
    expect(again.stderr).to.include('the store is not empty');
  });
});
