import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbeddedDatabase } from '@cls/shared/embedded/embedded-database';
import type { Database } from '@cls/shared/sql/database';
import { makeStore } from '@cls/testing/embedded-template';
import { describeOnDatabase } from '@cls/testing/engines';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Command } from 'commander';
import { OPERATIONS, type Operation, type OperationName } from '../src/admin-api/operations.ts';
import { AUDIT_EVENT_TYPES, type AuditEventType } from '../src/audit/audit-log.ts';
import { program } from '../src/cli/program.ts';
import { MIGRATIONS } from '../src/server/migrations.ts';
import { adminClient, adminToken, newCaller } from './support/administrator.ts';
import { FULL, startTestAuthServer, type TestAuthServer, VIEW } from './support/auth-server.ts';
import { clientSecrets } from './support/client-records.ts';
import { authorizationUrl, Browser, exchange, relyingParty } from './support/relying-party.ts';
import { allEvents, eventsAfter } from './support/stored-events.ts';
import { runTool } from './support/tool.ts';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));
const REFERENCE = fileURLToPath(
  new URL('../../../../docs/reference/audit-events.md', import.meta.url),
);
/** What changes nothing that the audit keeps. */
const READS =
  /^(\S+ list|accounts events|audit (months|verify)|token explain|tasks (run|done)|migrate|check.*|schema.*)$/;
/** Commands that other suites show to be recorded: they need a file, an owner, or time. */
const ELSEWHERE = [
  ...['audit export', 'audit drop', 'audit resolve', 'accounts erase', 'customers offboard'],
  ...['export', 'import', 'after-restore', 'accounts enrol-totp', 'accounts remove-totp'],
];

const holdsSecret = (events: string, secrets: readonly string[]) =>
  secrets.filter((secret) => secret.length > 5 && events.includes(secret));

describe('every operation of cls-auth that changes something', function () {
  this.timeout(300_000);
  let dataDir: string;
  let holder: Database;
  const secrets: string[] = [];
  before(async () => {
    dataDir = join(temporaryDirectory('cls-tool-'), 'data');
    const directory = join(dataDir, 'auth-server', 'database');
    await makeStore(directory, MIGRATIONS);
    holder = await openEmbeddedDatabase(directory);
  });
  after(() => holder?.close());
  const run = async (words: readonly string[], input = '') => {
    const { code, stdout, stderr } = await runTool(
      [...words, '--json'],
      { CLS_DATA_DIR: dataDir },
      input,
    );
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const take = async () => {
    const rows = await holder.query<{ type: string }>(
      'SELECT type FROM audit_event WHERE id > $1 ORDER BY id',
      [last],
    );
    const [row] = await holder.query<{ id: bigint }>(
      'SELECT coalesce(max(id), 0) AS id FROM audit_event',
    );
    last = row?.id ?? 0n;
    return rows.map(({ type }) => type);
  };
  let last = 0n;

  it('is recorded once, without its secrets', async () => {
    const done = new Set<string>();
    const step = async (words: string, expected: readonly string[], input = '') => {
      const parts = [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, word]) => quoted ?? word ?? '',
      );
      const document = await run(parts, input);
      expect(await take(), words).to.deep.equal(expected);
      done.add(parts.slice(0, 2).join(' '));
      for (const [name, value] of Object.entries(document)) {
        if (
          /secret|password|token|link/i.test(name) &&
          name !== 'secretId' &&
          typeof value === 'string'
        )
          secrets.push(value);
      }
      if (input !== '') secrets.push(input.trim());
      return document;
    };
    await step('customers create bank --name Bank', ['customer.created']);
    await step('customers create bnak --name Bnak', ['customer.created']);
    await step('customers rename bank --name "The Bank"', ['customer.renamed']);
    await step('customers delete bnak', ['customer.deleted']);
    await step('customers security-contact bank --webhook https://hooks.bank.example/cls', [
      'customer.security_contact_changed',
    ]);
    await step('customers security-contact bank', []);
    await step('customers disable bank', ['customer.disabled']);
    await step('customers enable bank', ['customer.enabled']);

    const permission = '--permission cls-deal.view';
    const { clientId: svc } = await step(
      `service-accounts create --name Ledger --customer bank ${permission}`,
      ['service_account.created'],
    );
    await step(`service-accounts update ${svc} ${permission} cls-accounts.manage`, [
      'service_account.changed',
    ]);
    const { secretId } = await step(`secrets create ${svc} --name Nightly`, [
      'service_account.secret_created',
    ]);
    await step(`secrets replace ${secretId} --keep-old-for 60s`, [
      'service_account.secret_replaced',
    ]);
    await step(`secrets revoke ${secretId}`, ['service_account.secret_revoked']);
    await step(`service-accounts compromised ${svc}`, ['service_account.compromised']);
    await step(`service-accounts disable ${svc}`, ['service_account.disabled']);
    await step(`service-accounts enable ${svc}`, ['service_account.enabled']);
    await step(`service-accounts delete ${svc}`, ['service_account.deleted']);

    const redirect = '--redirect-uri https://portal.example/callback';
    const { clientId: app } = await step(
      `applications create --name Portal --confidential ${redirect}`,
      ['application.created'],
    );
    await step(`applications update ${app} --scope openid email`, ['application.changed']);
    await step(`secrets replace ${app} --keep-old-for 60s`, ['application.secret_replaced']);
    await step(`applications disable ${app}`, ['application.disabled']);
    await step(`applications enable ${app}`, ['application.enabled']);
    await step(`applications delete ${app}`, ['application.deleted']);

    const email = 'asha@bank.example';
    await step(`accounts create ${email} --customer bank ${permission} --generate-password`, [
      'account.created',
    ]);
    await step(`accounts invite ravi@bank.example --customer bank ${permission}`, [
      'account.created',
      'account.invited',
    ]);
    await step(`accounts rename ${email} --name "Asha Rao"`, ['account.renamed']);
    await step(`accounts set-permissions ${email} --permission external-api.fullcontrol`, [
      'account.permissions_changed',
    ]);
    await step(`accounts replace-password ${email} --generate-password`, [
      'account.password_replaced',
    ]);
    await step(`accounts end-sessions ${email}`, ['account.sessions_ended']);
    await step(`accounts disable ${email}`, ['account.disabled']);
    await step(`accounts enable ${email}`, ['account.enabled']);
    await step(`accounts reset-factors ${email}`, ['account.factors_reset']);
    await step('accounts delete ravi@bank.example', ['account.deleted']);

    const issuer = 'https://id.bank.example';
    await step(
      `upstream add bank.example --customer bank --issuer ${issuer} --client-id cls`,
      ['upstream.added'],
      'a-very-secret-upstream-secret\n',
    );
    await step(
      'upstream replace-secret bank.example',
      ['upstream.secret_replaced'],
      'another-very-secret-one\n',
    );
    await step('upstream remove bank.example', ['upstream.removed']);

    const { kid } = await step('keys create', ['key.created']);
    await step('keys stage', ['key.staged']);
    await step('keys promote --early', ['key.promoted']);
    await step(`keys remove ${kid} --early`, ['key.removed']);
    await step('keys rotate', ['key.staged']);
    await step('keys rotate --emergency', ['key.created', 'key.removed', 'key.removed']);

    const all = leaves(program());
    expect(ELSEWHERE.filter((name) => !all.includes(name))).to.deep.equal([]);
    const unknown = all.filter(
      (name) => !done.has(name) && !READS.test(name) && !ELSEWHERE.includes(name),
    );
    expect(unknown).to.deep.equal([]);
    expect(secrets).to.have.length.greaterThan(6);
    expect(holdsSecret(await allEvents(holder), secrets)).to.deep.equal([]);
  });
});

/** What each operation records, and what is sent to it. */
const RECORDED: Readonly<Record<OperationName, readonly AuditEventType[]>> = {
  listAccounts: [],
  inviteAccount: ['account.created', 'account.invited'],
  showAccount: [],
  setPermissions: ['account.permissions_changed'],
  setName: ['account.renamed'],
  listEvents: [],
  disable: ['account.disabled'],
  enable: ['account.enabled'],
  resetFactors: ['account.factors_reset'],
  endSessions: ['account.sessions_ended'],
  listApplications: [],
  listServiceAccounts: [],
  listSecrets: [],
  createSecret: ['service_account.secret_created'],
  replaceSecret: ['service_account.secret_replaced'],
  revokeSecret: ['service_account.secret_revoked'],
  listServiceAccountEvents: [],
  compromised: ['service_account.compromised'],
};
const BODIES: Readonly<Partial<Record<OperationName, object>>> = {
  inviteAccount: { email: 'invited@india.example', permissions: [VIEW] },
  setPermissions: { permissions: [VIEW] },
  setName: { name: 'Asha Rao' },
  createSecret: { name: 'Nightly' },
  replaceSecret: { keepOldFor: 60 },
};

describeOnDatabase('every operation of the administrators’ API', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
  });
  after(() => server?.stop());

  it('is recorded once where it changes something, without its secrets', async () => {
    const caller = await newCaller(server, ['cls-accounts.manage', 'cls-secrets.manage']);
    const { id: integration } = await newCaller(server, [VIEW]);
    const [first] = await clientSecrets(server.database).list(integration);
    const { guarded } = server;
    const permissions = 'UPDATE account SET permissions = $2 WHERE id = $1';
    await server.database.query(permissions, [guarded.id, [VIEW, FULL]]);
    const secrets = [caller.secret];
    const recorded: Partial<Record<OperationName, readonly string[]>> = {};
    for (const [name, operation] of Object.entries<Operation>(OPERATIONS)) {
      const token = await adminToken(server, caller, operation.permission);
      secrets.push(token);
      const { last } = await eventsAfter(server, 0n);
      const path = operation.path
        .replace('/accounts/{id}', `/accounts/${guarded.id}`)
        .replace('{id}', integration)
        .replace('{secretId}', first?.id ?? '');
      const call = adminClient(server, token);
      const answer = await call(operation.method, path, BODIES[name as OperationName]);
      expect(answer.status, name).to.equal(operation.status);
      secrets.push(...(JSON.stringify(answer.body).match(/cls_\w{49}/g) ?? []));
      const { events } = await eventsAfter(server, last);
      recorded[name as OperationName] = events.map(({ type }) => type);
      for (const { clientId } of events) expect(clientId, name).to.equal(caller.id);
    }
    expect(recorded).to.deep.equal(RECORDED);
    expect(new Set(secrets.filter((text) => text.startsWith('cls_')))).to.have.property('size', 4);
    expect(holdsSecret(await allEvents(server.database), secrets)).to.deep.equal([]);
  });
});

/** The words of each command. */
function leaves(command: Command, words: readonly string[] = []): readonly string[] {
  if (command.commands.length === 0) return [words.join(' ')];
  return command.commands.flatMap((one) => leaves(one, [...words, one.name()]));
}

describe('the types of audit events', () => {
  const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('audit-log.ts'))
    .map((name) => readFileSync(join(SOURCE, name), 'utf8'))
    .join('\n');

  it('are all in the reference, once, and recorded somewhere', () => {
    const listed = [...readFileSync(REFERENCE, 'utf8').matchAll(/^\| `([a-z_.]+)` \|/gm)];
    expect(listed.map(([, type]) => type).sort()).to.deep.equal([...AUDIT_EVENT_TYPES].sort());
    const unused = AUDIT_EVENT_TYPES.filter((type) => {
      const [group, what] = type.split('.');
      return (
        !sources.includes(`'${type}'`) &&
        !(sources.includes(`\`${group}.\${`) && what !== undefined)
      );
    });
    expect(unused).to.deep.equal([]);
  });
});

describeOnDatabase('what the service records of tokens and sign-ins', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine);
  });
  after(() => server?.stop());

  it('has no secret, password, code or token, whatever was sent', async () => {
    const secrets: string[] = [];
    const basic = (id: string, secret: string) => {
      secrets.push(secret);
      return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
    };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const { client, person, issuer } = server;
    const ask = async (headers: Record<string, string>, body: string) => {
      const response = await server.post(body, { ...form, ...headers });
      const text = await response.text();
      secrets.push(...(text.match(/ey[\w-]+\.[\w-]+\.[\w-]+/g) ?? []));
      return response.status;
    };
    const grant = 'grant_type=client_credentials';
    expect(await ask(basic(client.id, client.secret), grant)).to.equal(200);
    expect(await ask(basic(client.id, `not-the-secret-at-all${'x'.repeat(22)}`), grant)).to.equal(
      401,
    );
    expect(await ask(basic('a-secret-in-place-of-the-id', 'xxxxxxxx'), grant)).to.equal(401);
    secrets.push('a-secret-in-place-of-the-id', 'form-secret-value');
    expect(
      await ask({}, `${grant}&client_id=${client.id}&client_secret=form-secret-value`),
    ).to.equal(401);
    secrets.push('bad-code-value', 'bad-refresh-value');
    await ask(basic(client.id, client.secret), 'grant_type=authorization_code&code=bad-code-value');
    await ask(
      basic(client.id, client.secret),
      'grant_type=refresh_token&refresh_token=bad-refresh-value',
    );

    const portal = await relyingParty(server, { name: 'Portal' });
    secrets.push('hunter2-wrong-password', 'MyPassw0rd-as-email', person.password);
    for (const [email, password] of [
      [person.email, 'hunter2-wrong-password'],
      ['MyPassw0rd-as-email', 'hunter2-wrong-password'],
    ] as const) {
      const flow = await authorizationUrl(portal);
      const browser = new Browser();
      await browser.submit(await browser.follow(flow.url), { email, password });
    }
    const flow = await authorizationUrl(portal);
    const browser = new Browser();
    const { url } = await browser.submit(await browser.follow(flow.url), {
      ...{ email: person.email, password: person.password },
    });
    secrets.push(url.searchParams.get('code') ?? '');
    const tokens = await exchange(portal, flow, url);
    secrets.push(tokens.access_token, tokens.id_token ?? '', tokens.refresh_token ?? '');
    expect(issuer).to.be.a('string');

    let events = '';
    for (let n = 0; n < 100 && !events.includes('sign_in.succeeded'); n += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      events = await allEvents(server.database);
    }
    for (const type of ['token.issued', 'token.refused', 'sign_in.refused', 'sign_in.succeeded']) {
      expect(events).to.include(type);
    }
    expect(holdsSecret(events, secrets)).to.deep.equal([]);
  });
});
