import type { Database } from '@cls/shared/sql/database';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { Command } from 'commander';
import { sqlEntitlements } from '../../src/access/sql-entitlements.ts';
import type { Operator } from '../../src/cli/operator.ts';
import { addVersionCommands } from '../../src/cli/versions.ts';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { secretContext } from '../../src/notices/notice-outbox.ts';
import { sqlNoticeContacts } from '../../src/notices/sql-notice-contacts.ts';
import { sqlNotices } from '../../src/notices/sql-notices.ts';
import { sqlRetirements } from '../../src/notices/sql-retirements.ts';
import { startTool } from '../support/tool.ts';
import { testClock } from '../versions/support.ts';
import { ENDING } from '../versions/v2/index.ts';
import {
  type MailServer,
  startMailServer,
  startWebhookReceiver,
  type WebhookReceiver,
} from './receivers.ts';
import { addContact, replica, SEALER, usageOf, use } from './world.ts';

describe('cls-api versions contacts', () => {
  it('sets, lists and removes contacts, and shows the secret of a webhook once', async () => {
    const tool = await startTool();
    const contacts = ['versions', 'contacts'] as const;
    const bank = ['--customer', 'bank', '--new-customer'] as const;
    try {
      const email = await tool.json(...contacts, 'set', ...bank, '--email', 'api@bank.example');
      expect(email).to.deep.equal({
        customer: 'bank',
        channel: 'email',
        target: 'api@bank.example',
      });
      const url = 'https://hooks.bank.example/cls?key=1';
      const { secret } = await tool.json(...contacts, 'set', ...bank, '--webhook', url);
      expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const twice = await tool.run(...contacts, 'set', ...bank, '--webhook', url);
      expect([twice.code, twice.stderr]).to.deep.equal([
        1,
        'bank has this contact already; for a new secret, remove it and set it again\n',
      ]);
      const listed = await tool.json(...contacts, 'list');
      expect(listed.map((one: { target: string }) => one.target)).to.deep.equal([
        'api@bank.example',
        url,
      ]);
      expect(JSON.stringify(listed)).not.to.include('whsec');
      const removed = await tool.run(...contacts, 'remove', '--customer', 'bank', '--webhook', url);
      expect(removed.code, removed.stderr).to.equal(0);
      const again = await tool.run(...contacts, 'remove', '--customer', 'bank', '--webhook', url);
      expect([again.code, again.stderr]).to.deep.equal([1, `bank has no contact ${url}\n`]);
      const anew = await tool.json(...contacts, 'set', ...bank, '--webhook', url);
      expect(anew.secret).not.to.equal(secret);
      for (const [words, code, stderr] of [
        [['--email', 'Bank <api@bank.example>'], 2, '--email: expected an e-mail address\n'],
        [['--email', 'api@bank.example\nBcc: x@y'], 2, '--email: expected an e-mail address\n'],
        [['--webhook', 'http://hooks.bank.example'], 1, '--webhook: expected an https URL\n'],
        [
          ['--webhook', 'https://169.254.169.254/'],
          1,
          '--webhook: the host has an address that is not public\n',
        ],
        [[], 2, 'give one of --email and --webhook\n'],
      ] as const) {
        const answer = await tool.run(...contacts, 'set', ...bank, ...words);
        expect([answer.code, answer.stderr]).to.deep.equal([code, stderr]);
      }
      expect(await tool.json('versions', 'notices')).to.deep.equal([]);
      const retire = await tool.run('versions', 'retire', 'v1');
      expect([retire.code, retire.stderr]).to.deep.equal([
        1,
        'v1 has no date on which it retires\n',
      ]);
    } finally {
      await tool.stop();
    }
  });
});

describe('cls-api versions notices and retire', () => {
  const clock = testClock('2028-11-01T00:00:00Z');
  const counts = [
    use('bank', 'v1', 'GET /cls/balances', '2028-10-30', 12),
    use('fund', 'v1', 'GET /cls/balances', '2028-10-29', 3),
  ];
  const usage = usageOf(counts);
  let mail: MailServer;
  let receiver: WebhookReceiver;
  let database: Database;
  let service: ReturnType<typeof replica>;
  before(async () => {
    mail = await startMailServer();
    receiver = await startWebhookReceiver(clock.now);
    database = await anyEngine.open(MIGRATIONS);
    const world = { database, clock, usage, mail, receiver };
    service = replica(world);
    await addContact(world, 'bank', 'webhook');
    await addContact(world, 'bank', 'email');
    receiver.answer = () => 410;
    await service.notices();
  });
  after(async () => {
    await service?.close();
    await database?.close();
    mail?.stop();
    await receiver?.stop();
  });

  /** What the command prints with --json, or the refusal. */
  const run = async (...words: string[]) => {
    const operator = {
      ...{ usage, contacts: sqlNoticeContacts(database), notices: sqlNotices(database) },
      ...{ retirements: sqlRetirements(database), entitlements: sqlEntitlements(database) },
      webhooks: { targetFault: () => undefined, sealer: () => SEALER },
    } as unknown as Operator;
    const program = new Command('cls-api').option('--json').exitOverride();
    addVersionCommands(program, (work) => work(operator), clock.now, ENDING);
    const printed: string[] = [];
    const write = process.stdout.write;
    process.stdout.write = ((text: string) => printed.push(text)) as never;
    try {
      await program.parseAsync(['--json', 'versions', ...words], { from: 'user' });
    } finally {
      process.stdout.write = write;
    }
    return JSON.parse(printed.join(''));
  };
  const refused = (...words: string[]) =>
    run(...words).then(
      () => 'done',
      ({ message }: Error) => message,
    );

  it('show what became of each notice, with what the other side answered', async () => {
    const shown = (await run('notices')).map((one: Record<string, unknown>) => [
      ...[one['customer'], one['event'], one['version'], one['stage'], one['channel']],
      ...[one['state'], one['attempts'], one['answer'], one['deliveredAt']],
    ]);
    const about = ['bank', 'retirement', 'v1', '30 days'];
    expect(shown).to.deep.equal([
      [...about, 'email', 'delivered', 1, '250 queued for delivery', '2028-11-01T00:00:00Z'],
      [...about, 'webhook', 'failed', 1, 'HTTP 410', null],
    ]);
    expect(await run('notices', '--customer', 'fund')).to.deep.equal([]);
    expect(await run('notices', '--state', 'failed')).to.have.length(1);
  });

  it('give what failed further attempts, as the same notice', async () => {
    const [before] = await run('notices', '--state', 'failed');
    receiver.answer = () => 204;
    expect((await run('notices', '--retry-failed', '--state', 'pending'))[0].id).to.equal(
      before.id,
    );
    await service.notices();
    const [after] = await run('notices', '--state', 'delivered').then((all) =>
      all.filter(({ channel }: { channel: string }) => channel === 'webhook'),
    );
    expect([after.id, after.attempts, after.answer]).to.deep.equal([before.id, 2, 'HTTP 204']);
    expect(receiver.received.map(({ id }) => id)).to.deep.equal([before.id]);
  });

  it('say who must still be told before a version retires', async () => {
    expect(await refused('retire', 'v1')).to.equal(
      [
        'v1 does not retire at 2028-12-01T00:00:00Z while these customers use it and were not told:',
        'customer  requests  last day',
        'fund      3         2028-10-29',
        'See cls-api versions contacts and notices, or retire it all the same: --force --by --reason.',
      ].join('\n'),
    );
    expect(await refused('retire', 'v7')).to.equal('there is no version v7; versions: v1, v2');
    expect(await refused('retire', 'v2')).to.equal('v2 has no date on which it retires');
    expect(await refused('retire', 'v1', '--force')).to.equal(
      '--force goes with --by and --reason',
    );
    expect(await refused('retire', 'v1', '--reason', 'x')).to.equal(
      '--force goes with --by and --reason',
    );
  });

  it('let it retire all the same, and keep who decided, when and why', async () => {
    const force = ['retire', 'v1', '--force', '--by', 'Ada', '--reason', 'told by telephone'];
    const decision = {
      ...{ version: 'v1', retiresAt: '2028-12-01T00:00:00Z', effectiveAt: '2028-12-01T00:00:00Z' },
      ...{ decision: 'forced', decidedAt: '2028-11-01T00:00:00Z', decidedBy: 'Ada' },
      ...{ reason: 'told by telephone', untold: ['fund'] },
    };
    expect((await run(...force)).decision).to.deep.equal(decision);
    expect((await run('retire', 'v1')).decision).to.deep.equal(decision);
    expect(await refused(...force)).to.equal(
      'it is decided already: it retires at 2028-12-01T00:00:00Z (forced by Ada, decided at 2028-11-01T00:00:00Z)',
    );
    await service.retirement();
    expect(service.registry.resolve('v1', new Date('2028-11-30T23:59:59Z')).kind).to.equal(
      'served',
    );
    expect(service.registry.resolve('v1', new Date('2028-12-01T00:00:00Z')).kind).to.equal(
      'retired',
    );
  });

  it('keep the secret of a webhook sealed in the database', async () => {
    const rows = await database.query<{ sealed_secret: string; target: string }>(
      `SELECT * FROM notice_contact WHERE channel = 'webhook'`,
    );
    const contact = {
      customer: 'bank',
      channel: 'webhook',
      target: rows[0]?.target ?? '',
    } as const;
    const sealed = rows[0]?.sealed_secret ?? '';
    expect(sealed).not.to.include('whsec');
    expect(SEALER.unseal(sealed, secretContext(contact))).to.match(/^whsec_/);
  });
});
