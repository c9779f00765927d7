import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type Log, silentLog } from '@cls/shared/log';
import type { Letter } from '@cls/shared/mail/mail-sender';
import { openMailSender } from '@cls/shared/mail/open-mail-sender';
import { outboxSender } from '@cls/shared/mail/outbox';
import { smtpSender } from '@cls/shared/mail/smtp';
import { Secret } from '@cls/shared/secret';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Account } from '../src/accounts/account.ts';
import { parseConfig } from '../src/config.ts';
import { mailQueue } from '../src/mail/mail-queue.ts';
import { accountMailer } from '../src/views/email/account-mailer.ts';

const ISSUER = 'https://id.cls.example';
const account = {
  ...{ id: 'acc_1', email: 'asha@india.example' },
  permissions: ['cls-deal.view'],
} as unknown as Account;
const letter: Letter = { to: account.email, subject: 'Grüße', text: 'text ✓', html: '<p>html</p>' };

describe('messages to people', () => {
  const written: Letter[] = [];
  const queue = mailQueue(
    { send: async (each) => void written.push(each), close: () => undefined },
    silentLog,
  );
  const mail = accountMailer({ issuer: ISSUER }, queue, {
    now: () => new Date('2026-11-21T09:30:00Z'),
  });
  beforeEach(() => {
    written.length = 0;
  });

  it('lead to the pages of the issuer, with the token of the link', () => {
    mail.passwordReset(account, 'T0ken', 1_800, {});
    mail.invitation(account, 'India', 'T1ken', new Date('2026-11-28T09:30:00Z'), {});
    mail.organisationInvitation(account, 'India', {});
    mail.changed(account, 'factor_added', 'Pixel 9', { address: '203.0.113.24' });
    mail.newDevice(account, 'passkey', { device: { browser: 'Firefox', system: 'Windows' } });
    expect(written.map(({ to }) => to)).to.deep.equal(Array(5).fill(account.email));
    const [reset, invitation, organisation, change, device] = written.map(({ text }) => text);
    expect(reset).to.include(`${ISSUER}/password/new?token=T0ken`).and.include('30 minutes');
    expect(invitation).to.include(`${ISSUER}/invitation?token=T1ken`).and.include('India');
    expect(organisation)
      .to.match(new RegExp(`^${ISSUER}/$`, 'm'))
      .and.include('India');
    expect(change).to.include('Pixel 9').and.include('203.0.113.24').and.include('/account/log');
    expect(device).to.include('Windows').and.include(`${ISSUER}/account/factors`);
  });

  it('advise who has a password to reset it, and nobody else', () => {
    mail.changed({ ...account, passwordVersion: 'v1' }, 'factor_removed', 'Pixel 9', {});
    mail.changed(account, 'factor_removed', 'Pixel 9', {});
    const [password, organisation] = written.map(({ text }) => text);
    expect(password).to.include(`${ISSUER}/password/reset`);
    expect(organisation).to.include('help desk').and.not.include('/password/reset');
  });

  it('are in the language of whoever asked, and in English without one', () => {
    mail.changed(account, 'password_changed', '', { locale: 'de' });
    mail.changed(account, 'password_changed', '', {});
    expect(written[0]?.html).to.include('lang="de"');
    expect(written[1]?.html).to.include('lang="en"');
  });
});

describe('the queue of messages', () => {
  const told: object[] = [];
  const log: Log = {
    ...silentLog,
    error: (fields, message) => void told.push({ message, ...fields }),
  };

  it('gives up what cannot be sent when the process ends, and tells whom, not what', async () => {
    const failing = { send: async () => Promise.reject(new Error('down')), close: () => undefined };
    let lost = 0;
    const onLost = () => {
      lost += 1;
    };
    const queue = mailQueue(failing, log, { onLost });
    queue.add({ ...letter, text: 'https://id.cls.example/password/new?token=secret' });
    await queue.drain();
    expect(told).to.have.length(1);
    expect(lost).to.equal(1);
    expect(told[0]).to.include({ to: letter.to, subject: letter.subject });
    expect(JSON.stringify(told)).not.to.include('secret');
  });

  it('tries once more what waits, before the process ends', async () => {
    let tries = 0;
    const queue = mailQueue(
      {
        send: async () => {
          tries += 1;
          if (tries === 1) throw new Error('not yet');
        },
        close: () => undefined,
      },
      silentLog,
    );
    queue.add(letter);
    await new Promise((done) => setTimeout(done, 20));
    await queue.drain();
    expect(tries).to.equal(2);
  });
});

describe('a mail server that hangs', () => {
  it('does not keep a process from ending, which says to whom nothing was sent', async () => {
    const hanging = createServer(() => undefined).listen(0, '127.0.0.1');
    const url = new Secret(`smtp://127.0.0.1:${await portOf(hanging)}`);
    const told: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void told.push(fields) };
    const queue = mailQueue(smtpSender(url, 'CLS <no-reply@cls.example>', false), log, {
      drainMaxMs: 300,
    });
    for (let n = 0; n < 5; n += 1) queue.add(letter);
    await queue.drain();
    hanging.close();
    expect(told.map((fields) => ({ ...fields, err: undefined }))).to.deep.equal(
      Array.from({ length: 5 }, () => ({ err: undefined, to: letter.to, subject: letter.subject })),
    );
  });
});

describe('the outbox', () => {
  it('writes each message as two files that only their owner may read', async () => {
    const directory = join(temporaryDirectory('cls-outbox-'), 'outbox');
    const sender = outboxSender(directory, 'CLS <no-reply@cls.example>');
    await sender.send(letter);
    const names = readdirSync(directory).sort();
    expect(names.map((name) => name.replace(/^.*\./, ''))).to.deep.equal(['html', 'txt']);
    const [page = '', text = ''] = names.map((name) => join(directory, name));
    expect(readFileSync(page, 'utf8')).to.equal(letter.html);
    expect(readFileSync(text, 'utf8')).to.equal(
      'From: CLS <no-reply@cls.example>\nTo: asha@india.example\nSubject: Grüße\n\ntext ✓',
    );
    expect(statSync(text).mode & 0o777).to.equal(0o600);
    expect(statSync(directory).mode & 0o777).to.equal(0o700);
  });
});

describe('SMTP', () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  it('hands a message to the server, in all its parts, marked as automatic', async () => {
    const received: string[] = [];
    server = smtpServer(received);
    const url = new Secret(`smtp://127.0.0.1:${await portOf(server)}`);
    const sender = smtpSender(url, 'CLS <no-reply@cls.example>', false);
    await sender.send(letter);
    sender.close();
    const text = received.join('');
    expect(text).to.include('RCPT TO:<asha@india.example>').and.include('multipart/alternative');
    expect(text)
      .to.match(/Auto-Submitted: auto-generated/i)
      .and.match(/Subject: =\?UTF-8\?/);
  });

  it('adds no recipient or header that an address or a name smuggles in', async () => {
    const received: string[] = [];
    server = smtpServer(received);
    const url = new Secret(`smtp://127.0.0.1:${await portOf(server)}`);
    const sender = smtpSender(url, 'CLS <no-reply@cls.example>', false);
    const subject = 'a\r\nBcc: eve@evil.example';
    const to = 'asha@india.example,eve@evil.example';
    await sender.send({ ...letter, to, subject }).catch(() => undefined);
    sender.close();
    const text = received.join('');
    expect(text)
      .not.to.match(/^RCPT TO:<eve@evil\.example>/m)
      .and.not.match(/^Bcc:/m);
  });

  it('sends nothing in clear where TLS is demanded', async () => {
    const received: string[] = [];
    server = smtpServer(received);
    const url = new Secret(`smtp://127.0.0.1:${await portOf(server)}`);
    const production = { mailOutbox: '', mailFrom: 'a@b.example', production: true };
    const sender = await openMailSender({ smtpUrl: url, ...production });
    const refused: unknown = await sender.send(letter).catch((error: unknown) => error);
    sender.close();
    expect(refused).to.be.instanceOf(Error);
    expect(received.join('')).not.to.include('RCPT TO');
  });
});

describe('the configuration of mail', () => {
  it('writes files next to the data without a server, and refuses that in production', () => {
    const config = parseConfig({ CLS_DATA_DIR: '/tmp/x' });
    expect(config).to.include({ smtpUrl: undefined, mailOutbox: '/tmp/x/auth-server/outbox' });
    expect(config.mailFrom).to.equal('CLS <no-reply@localhost>');
    expect(() => parseConfig({ NODE_ENV: 'production' })).to.throw('SMTP_URL');
    expect(() => parseConfig({ SMTP_URL: 'http://user:hunter2@mail' }))
      .to.throw('SMTP_URL: expected an smtps:// or smtp:// URL')
      .with.property('message')
      .that.does.not.include('hunter2');
  });
});

/** As much of RFC 5321 as a client needs; keeps all that it is sent. */
function smtpServer(received: string[]): Server {
  return createServer((socket) => {
    let data = false;
    socket.write('220 test\r\n');
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const text = chunk.toString('utf8');
      received.push(text);
      if (data) {
        if (!/\r\n\.\r\n$/.test(text)) return;
        data = false;
        socket.write('250 taken\r\n');
      } else if (/^DATA/i.test(text)) {
        data = true;
        socket.write('354 go on\r\n');
      } else if (/^QUIT/i.test(text)) {
        socket.end('221 bye\r\n');
      } else {
        socket.write('250 ok\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
}

async function portOf(server: Server): Promise<number> {
  if (!server.listening) await new Promise((done) => server.once('listening', done));
  return (server.address() as { port: number }).port;
}
