import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import * as client from 'openid-client';
import { sqlErasure } from '../src/account-management/sql-erasure.ts';
import { sqlAccounts } from '../src/accounts/sql-accounts.ts';
import { sweepAudit } from '../src/audit/sql-audit-months.ts';
import { digest } from '../src/crypto/digest.ts';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import { basic, PASSWORD, VIEW } from './support/auth-server.ts';
import { quickHash } from './support/quick-hash.ts';
import {
  authorizationUrl,
  Browser,
  exchange,
  type RelyingParty,
  relyingParty,
} from './support/relying-party.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

const HOME = '203.0.113.77';
const FROM_HOME = {
  'x-forwarded-for': HOME,
  'user-agent': 'Mozilla/5.0 (X11; Linux) Gecko/20100101 Firefox/140.0',
};
const AUDIT_IDENTITY_KEY = 'I'.repeat(43);
const KEPT = { AUDIT_IDENTITY_KEY };
const STOP = 'ALTER TABLE account ADD CONSTRAINT stop CHECK (erased_at IS NULL) NOT VALID';
const GO_ON = 'ALTER TABLE account DROP CONSTRAINT stop';

interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** People who have left traces of every kind. */
function peopleOf({ server, owner }: ToolWorld, portal: RelyingParty) {
  const send: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as object), ...FROM_HOME } });
  const token = (email: string, password = PASSWORD) =>
    server.postJson({ email, password }, FROM_HOME);
  const signIn = async ({ email }: Pick<Person, 'email'>) => {
    const browser = new Browser(send);
    const flow = await authorizationUrl(portal);
    const page = await browser.follow(flow.url);
    const { url } = await browser.submit(page, { email, password: PASSWORD });
    const tokens = await exchange(portal, flow, url);
    return { browser, refreshToken: tokens.refresh_token ?? '' };
  };
  return {
    token,
    signIn,
    async come(name: string, customer = 'india') {
      const email = `${name.toLowerCase().replace(' ', '.')}@${customer}.example`;
      const passwordHash = await quickHash(PASSWORD);
      const id = await sqlAccounts(server.database).create({
        ...{ email, name, customer, permissions: [VIEW], passwordHash },
      });
      const person: Person = { id, email, name };
      expect((await token(email)).status).to.equal(200);
      const signedIn = await signIn(person);
      expect((await token(email, 'a wrong password')).status).to.equal(400);
      for (const statement of [
        `INSERT INTO factor VALUES ('fac_${id.slice(4)}', $1, 'passkey', '${name}’s phone')`,
        `INSERT INTO passkey VALUES ('fac_${id.slice(4)}', $1, 'credential ${name}', 'key', 0, '{}', false)`,
        `INSERT INTO recovery_code VALUES ($1, 'hash', NULL, now())`,
        `INSERT INTO upstream_link VALUES ('https://login.example', '${email}', $1)`,
        `INSERT INTO account_link VALUES ($1, 'password_reset', '${id}', now())`,
        `INSERT INTO audit_event (at, type, subject, about) VALUES (now(), 'account.factor_renamed', $1, '${name}’s phone')`,
        `INSERT INTO audit_event (at, type, subject, about)
         VALUES (now(), 'account.deleted', 'acc_before', '${email}'), (now(), 'account.permissions_changed', $1, 'cls-deal.view')`,
      ]) {
        await owner.query(statement, statement.includes('$1') ? [id] : []);
      }
      // Events are written in their order.
      await eventually(async () => {
        const refused = await owner.query('SELECT FROM audit_event WHERE subject = $1', [email]);
        expect(refused).to.have.length(1);
      });
      return { ...person, ...signedIn };
    },
    refreshes: (refreshToken: string) =>
      client.refreshTokenGrant(portal.config, refreshToken).then(
        () => 'refreshed',
        (refusal: { error?: string }) => refusal.error,
      ),
  };
}

/** Where in the store the text is, in any column that can have one. */
async function placesOf({ owner }: ToolWorld, text: string): Promise<string[]> {
  const columns = await owner.query<{ table: string; column: string }>(
    `SELECT c.table_name AS table, c.column_name AS column
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
       AND c.data_type NOT IN ('boolean', 'integer', 'bigint') AND c.data_type NOT LIKE 'timestamp%'`,
  );
  expect(columns.length).to.be.above(80);
  const found: string[] = [];
  for (const { table, column } of columns) {
    const rows = await owner.query(
      `SELECT FROM "${table}" WHERE position(lower($1) IN lower("${column}"::text)) > 0`,
      [text],
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

/** All of the store that lasts, but for what the service writes by itself. */
async function contentsOf({ owner }: ToolWorld): Promise<string> {
  const tables = await owner.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
       AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname NOT IN ('audit_link', 'write_probe', 'protocol_state', 'token_use') ORDER BY 1`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const [row] = await owner.query<{ all: string }>(
      `SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS all FROM "${name}" t`,
    );
    parts.push(`${name} ${digest(row?.all ?? '')}`);
  }
  return parts.join('\n');
}

describeOnDatabase('cls-auth accounts erase', (engine) => {
  let world: ToolWorld;
  let people: ReturnType<typeof peopleOf>;
  before(async () => {
    world = await toolWorld(engine, { TRUSTED_PROXY_HOPS: '1' });
    people = peopleOf(world, await relyingParty(world.server));
    await sqlCustomers(world.server.database).create('iran', 'Iran', false);
  });
  after(() => world?.stop());

  it('says what it would erase and changes nothing, then leaves no trace but the id', async () => {
    const { id, email, name, browser, refreshToken } = await people.come('Ashwathama Rao');
    await sqlAccounts(world.server.database).createElsewhere({
      ...{ email, name, customer: 'iran', permissions: [VIEW] },
    });
    const before = await contentsOf(world);
    const planned = await world.done(`accounts erase ${email}`, KEPT);
    expect(planned.erased).to.equal(false);
    expect(planned.accounts).to.have.length(2).and.include(id);
    expect(planned.traces).to.deep.include({
      ...{ accounts: 2, factors: 1, recoveryCodes: 1, sessions: 1, applicationGrants: 1 },
      ...{ knownAddresses: 1, links: 1, organisationLinks: 1 },
    });
    expect(planned.traces.auditEvents).to.be.at.least(5);
    expect(planned.traces.failureCounts).to.be.at.least(1);
    expect(await contentsOf(world)).to.equal(before);

    await world.done(`accounts erase ${email} --apply`, { ...KEPT, CLS_ACTOR: 'Data Officer' });
    for (const given of [email, name, 'ashwathama', HOME]) {
      expect(await placesOf(world, given), given).to.deep.equal([]);
    }
    const events = await world.owner.query<{ type: string; about: string; actor: string }>(
      'SELECT * FROM audit_event WHERE subject = $1',
      [id],
    );
    const ofType = (type: string) => events.find((event) => event.type === type);
    expect(events.map(({ type }) => type))
      .to.include('token.refused')
      .and.include('token.issued');
    expect(ofType('token.issued')).to.include({ address: null, browser: null });
    expect(ofType('account.permissions_changed')).to.include({ about: 'cls-deal.view' });
    expect(ofType('account.erased')?.actor).to.include('Data Officer');
    expect((await people.token(email)).status).to.equal(400);
    expect(await people.refreshes(refreshToken)).to.equal('invalid_grant');
    const { url } = await browser.follow(`${world.server.issuer}/account`);
    expect(url.pathname).to.match(/^\/interaction\//);
    const listed = await world.done('accounts list');
    expect(JSON.stringify(listed)).not.to.include(id);
    expect((await world.done(`accounts events ${id}`)).length).to.equal(events.length);
  });

  it('resolves the pseudonym with the key alone, and records that', async () => {
    const { id, email, name } = await people.come('Ravi Menon');
    await world.done(`accounts erase ${email} --apply`, KEPT);
    const resolve = `audit resolve ${id}`;
    const identity = await world.done(resolve, KEPT);
    expect(identity).to.include({ id, email, name, customer: 'india' });
    const events = await world.done(`accounts events ${id}`);
    expect(events[0]).to.include({ type: 'audit.identity_resolved' });
    for (const settings of [{}, { AUDIT_IDENTITY_KEY: 'J'.repeat(43) }]) {
      const { code, stdout, stderr } = await world.run(resolve, settings);
      expect(code).to.equal(1);
      expect(stderr).to.include('AUDIT_IDENTITY_KEY');
      expect(stdout + stderr).not.to.include(email);
    }
    // Events of that time are gone, so nothing is to be resolved.
    await world.owner.query(
      `UPDATE account SET erased_at = now() - interval '500 days' WHERE id = $1`,
      [id],
    );
    await sweepAudit(world.server.database, { now: () => new Date() }, 400);
    expect((await world.run(resolve, KEPT)).stderr).to.include('nobody can say who it was');
  });

  it('keeps nothing that resolves without the key', async () => {
    const { id, email } = await people.come('Nila Das');
    const { stderr } = await world.run(`accounts erase ${email} --apply`);
    expect(stderr).to.include('AUDIT_IDENTITY_KEY is not set: nobody can find out');
    const { code, stderr: said } = await world.run(`audit resolve ${id}`, KEPT);
    expect([code, said]).to.deep.equal([
      ...[
        1,
        `${id} was erased without AUDIT_IDENTITY_KEY, or before AUDIT_RETENTION_DAYS: nobody can say who it was\n`,
      ],
    ]);
  });

  it('says at a second run that nothing is left, and erases what came since', async () => {
    const { id, email } = await people.come('Mina Shah');
    const again = `accounts erase ${email} --apply`;
    await world.done(again);
    for (const given of [email, id]) {
      const { code, stdout } = await world.run(`accounts erase ${given} --apply`);
      expect([code, stdout]).to.deep.equal([
        ...[
          0,
          `nothing is left to erase of ${given}: no account, and no audit event that names it\n`,
        ],
      ]);
    }
    expect((await people.token(email)).status).to.equal(400);
    await eventually(async () => {
      expect(await placesOf(world, email)).to.include('audit_event.subject');
    });
    const since = await world.done(again);
    expect(since).to.deep.include({ accounts: [], erased: true });
    expect(since.traces.auditEvents).to.be.at.least(1);
    expect(await placesOf(world, email)).to.deep.equal([]);
    await world.owner.query(
      `INSERT INTO audit_event (at, type, subject, address) VALUES (now(), 'sign_in.ended', $1, $2)`,
      [id, HOME],
    );
    await world.done(`accounts erase ${id} --apply`);
    const late = await world.owner.query<{ address: string | null }>(
      'SELECT address FROM audit_event WHERE subject = $1',
      [id],
    );
    expect(late.filter(({ address }) => address !== null)).to.deep.equal([]);
  });

  it('refuses what is no address and no id, and leaves the events of a customer as they were', async () => {
    await world.owner.query(
      `INSERT INTO audit_event (at, type, subject, address, about)
       VALUES (now(), 'customer.created', 'iran', $1, 'Iran')`,
      [HOME],
    );
    const before = await contentsOf(world);
    for (const given of ['iran', 'unknown', 'acc_short', 'a@b@c', '@iran.example']) {
      const { code, stderr } = await world.run(`accounts erase ${given} --apply`);
      expect([code, stderr], given).to.deep.equal([
        2,
        'expected an e-mail address such as name@example.com, or the id of an account: acc_ and 26 characters\n',
      ]);
    }
    const erasure = sqlErasure(world.owner, { sealer: undefined, actor: 'tool' });
    expect((await erasure.count([{ email: 'iran' }])).auditEvents).to.equal(0);
    await erasure.erase({ email: 'iran' });
    expect(await contentsOf(world)).to.equal(before);
  });

  it('lets the address be invited again, as another account', async () => {
    const { id, email } = await people.come('Tara Iyer');
    await world.done(`accounts erase ${email} --apply`);
    const invited = await world.done(
      `accounts invite ${email} --customer iran --permission cls-deal.view`,
    );
    expect(invited.id).to.match(/^acc_/).and.not.equal(id);
  });

  it('is finished by a second run where the first one stopped in the middle', async () => {
    const { email, browser } = await people.come('Uma Nair');
    await world.owner.query(STOP);
    const { code } = await world.run(`accounts erase ${email} --apply`, KEPT);
    await world.owner.query(GO_ON);
    expect(code).to.equal(1);
    expect((await people.token(email)).status, 'nobody signs in meanwhile').to.equal(400);
    const { url } = await browser.follow(`${world.server.issuer}/account`);
    expect(url.pathname).to.match(/^\/interaction\//);
    await eventually(async () => {
      await world.done(`accounts erase ${email} --apply`, KEPT);
      expect(await placesOf(world, email)).to.deep.equal([]);
    });
  });

  // An embedded database has no roles.
  if (engine.name === 'PGlite') return;
  it('erases nothing as a role that may not change the audit', async () => {
    const { email } = await people.come('Vani Bose');
    const before = await contentsOf(world);
    const asService = { AUTH_MIGRATIONS_DATABASE_URL: '' };
    const { code, stderr } = await world.run(`accounts erase ${email} --apply`, asService);
    expect(code).to.equal(1);
    expect(stderr).to.include('AUTH_MIGRATIONS_DATABASE_URL');
    expect(await contentsOf(world)).to.equal(before);
  });
});

describeOnDatabase('cls-auth customers offboard', (engine) => {
  let world: ToolWorld;
  let people: ReturnType<typeof peopleOf>;
  let folder: string;
  before(async () => {
    world = await toolWorld(engine, { TRUSTED_PROXY_HOPS: '1' });
    people = peopleOf(world, await relyingParty(world.server));
    folder = temporaryDirectory('cls-offboard-');
  });
  after(() => world?.stop());

  const tokenOf = async ({ clientId, clientSecret }: Record<string, string>) =>
    world.server.post('grant_type=client_credentials', basic(clientId ?? '', clientSecret ?? ''));

  it('ends, exports and deletes what a customer has, in two runs where the first one stops', async () => {
    await sqlCustomers(world.server.database).create('bank', 'Bank', false);
    const service = await world.done(
      'service-accounts create --name Ledger --customer bank --permission cls-deal.view',
    );
    expect((await tokenOf(service)).status).to.equal(200);
    const own = await people.come('Asha Rao', 'bank');
    const second = await people.come('Ravi Menon', 'bank');
    const other = await people.come('Nila Das', 'india');
    await sqlAccounts(world.server.database).createElsewhere({
      ...{ email: other.email, customer: 'bank', permissions: [VIEW] },
    });
    await world.owner.query(
      `INSERT INTO upstream_provider VALUES
         ('bank.example', 'bank', 'https://login.bank.example', 'cls', 'sealed', 'email', 'email_verified')`,
    );
    await world.done('customers security-contact bank --email security@bank.example');
    const before = await contentsOf(world);
    const planned = await world.done('customers offboard bank');
    expect(planned).to.deep.include({
      ...{ customer: 'bank', disabled: false, offboarded: false, audit: null },
      ...{ serviceAccounts: [service.clientId], providers: ['bank.example'] },
      securityContact: true,
    });
    expect(planned.traces).to.include({ accounts: 3, sessions: 2 });
    expect(
      (await world.run('customers offboard bank --apply')).code,
      'no word of the audit',
    ).to.equal(2);
    expect(await contentsOf(world)).to.equal(before);

    const file = join(folder, 'bank.ndjson');
    await world.owner.query(STOP);
    const stopped = await world.run(`customers offboard bank --audit ${file} --apply`, KEPT);
    await world.owner.query(GO_ON);
    expect(stopped.code).to.equal(1);
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { object, customer, events } = lines.at(-1);
    expect([object, customer, events]).to.deep.equal(['summary', 'bank', lines.length - 1]);
    const subjects = new Set(lines.map(({ subject }) => subject));
    expect([...subjects]).to.include.members([own.id, own.email, second.id, service.clientId]);
    expect([...subjects])
      .not.to.include(other.email)
      .and.not.include(other.id);
    expect((await tokenOf(service)).status).to.equal(401);
    expect((await people.token(own.email)).status).to.equal(400);
    expect(await people.refreshes(second.refreshToken)).to.equal('invalid_grant');
    await eventually(async () => {
      const tries = await world.owner.query('SELECT FROM audit_event WHERE subject = $1', [
        own.email,
      ]);
      expect(tries).to.have.length(2);
    });

    const { code, stderr } = await world.run('customers offboard bank --no-audit --apply', KEPT);
    expect([code, stderr]).to.have.property('0', 0);
    expect(stderr).to.include('cls-api entitlements revoke');
    expect(stderr).to.include('cls-auth applications list shows whose each is');
    for (const given of [own.email, own.name, second.email, second.name]) {
      expect(await placesOf(world, given), given).to.deep.equal([]);
    }
    const left = await world.owner.query(
      `SELECT FROM service_account_secret JOIN service_account s ON s.id = service_account_id
       WHERE s.customer_id = 'bank'
       UNION ALL SELECT FROM upstream_provider WHERE customer_id = 'bank'
       UNION ALL SELECT FROM security_contact WHERE customer_id = 'bank'`,
    );
    expect(left).to.have.length(0);
    expect(await world.done(`audit resolve ${own.id}`, KEPT)).to.include({ email: own.email });
    const asked = await people.token(other.email);
    expect(await asked.json(), 'another customer’s person').to.include({ error: 'mfa_required' });
  });

  it('erases what came since, and says then that nothing is left', async () => {
    const file = join(folder, 'again.ndjson');
    const late = () =>
      world.owner.query<{ address: string | null }>(
        `SELECT address FROM audit_event WHERE type = 'account.sessions_ended'`,
      );
    await world.owner.query(
      `INSERT INTO audit_event (at, type, subject, address)
       SELECT now(), 'account.sessions_ended', id, $1 FROM account WHERE customer_id = 'bank' LIMIT 1`,
      [HOME],
    );
    expect(await world.done('customers offboard bank --no-audit --apply')).to.include({
      offboarded: true,
    });
    expect(await late()).to.deep.equal([{ address: null }]);
    const again = await world.run(`customers offboard bank --audit ${file} --apply`);
    expect([again.code, again.stdout]).to.deep.equal([
      ...[0, 'bank is offboarded already: nothing is left to end or to erase\n'],
    ]);
    expect(existsSync(file), 'nothing to export for').to.equal(false);
    expect((await world.run('customers offboard nobody')).code).to.equal(1);
  });
});
