import { type AddressInfo, createServer } from 'node:net';
import { emailSender } from '@cls/shared/mail/email-sender';
import { openMailSender } from '@cls/shared/mail/open-mail-sender';
import { Secret } from '@cls/shared/secret';
import { expect } from 'chai';
import type { SendNotice } from '../../src/notices/deliver-notices.ts';
import { noticeDocument } from '../../src/notices/notice-document.ts';
import type { ClaimedNotice } from '../../src/notices/notice-outbox.ts';
import { dueNotices } from '../../src/notices/notice-stage.ts';
import { ENDING, registryOf } from '../versions/v2/index.ts';
import { type MailServer, startMailServer } from './receivers.ts';
import { LETTERS, POLICY_URL } from './world.ts';

const NOW = new Date('2028-11-01T00:00:00Z');

describe('a notice by e-mail', () => {
  let mail: MailServer;
  let close: () => void;
  let send: SendNotice;
  before(async () => {
    mail = await startMailServer();
    const smtpUrl = new Secret(mail.url);
    const mailFrom = 'CLS <cls@cls.example>';
    const transport = await openMailSender({
      smtpUrl,
      mailOutbox: '',
      mailFrom,
      production: false,
    });
    close = () => transport.close();
    send = emailSender({ ...LETTERS, open: async () => transport });
  });
  after(() => {
    close?.();
    mail?.stop();
  });
  const [due] = dueNotices(registryOf(ENDING), NOW);
  if (due === undefined) throw new Error('nothing is due');
  const document = JSON.stringify(noticeDocument(due, 'bank', [], NOW, POLICY_URL));
  const notice: ClaimedNotice = {
    ...{ id: 'ntc_1', customer: 'bank', channel: 'email', target: 'api@bank.example', document },
    ...{ stage: '30 days', attempts: 1, sealedSecret: null },
  };

  it('is tried again where the server asks for that, and given up where it refuses', async () => {
    await mail.answer('later');
    expect(await send(notice, NOW)).to.deep.equal({
      outcome: 'later',
      answer: '451 try again later',
    });
    await mail.answer('refuse');
    expect(await send(notice, NOW)).to.deep.equal({
      outcome: 'refused',
      answer: '550 no such mailbox',
    });
    expect(mail.received).to.deep.equal([]);
  });

  it('waits where the mail server refuses the login: a new password mends that', async () => {
    const refusing = createServer((socket) => {
      socket.write('220 mail.example\r\n');
      socket.on('data', (line) => {
        const [word] = `${line}`.split(/\s/, 1);
        socket.write(word === 'AUTH' ? '535 no\r\n' : '250-mail.example\r\n250 AUTH PLAIN\r\n');
      });
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const { port } = refusing.address() as AddressInfo;
    const transport = await openMailSender({
      smtpUrl: new Secret(`smtp://cls:old@127.0.0.1:${port}`),
      ...{ mailOutbox: '', mailFrom: 'cls@cls.example', production: false },
    });
    try {
      const sent = await emailSender({ ...LETTERS, open: async () => transport })(notice);
      expect(sent).to.deep.equal({ outcome: 'later', answer: '535 no' });
    } finally {
      transport.close();
      refusing.close();
    }
  });

  it('has the same Message-ID at each attempt, and the server’s answer as evidence', async () => {
    await mail.answer('accept');
    const expected = { outcome: 'delivered', answer: '250 queued for delivery' };
    expect(await send(notice, NOW)).to.deep.equal(expected);
    expect(await send(notice, NOW)).to.deep.equal(expected);
    expect(mail.received.map(({ id, to }) => [id, to])).to.deep.equal([
      ['<ntc_1@cls.example>', 'api@bank.example'],
      ['<ntc_1@cls.example>', 'api@bank.example'],
    ]);
    expect(mail.received[0]?.text).to.include(
      'Version v1 of the API retires on 2028-12-01 00:00 UTC.',
    );
  });

  it('waits where no mail server is configured, or where it does not answer', async () => {
    const none = emailSender({ ...LETTERS, open: undefined });
    expect(await none(notice)).to.deep.equal({
      outcome: 'later',
      answer: 'no mail server is configured: set SMTP_URL',
    });
    const silent = { send: () => new Promise<never>(() => undefined), close: () => undefined };
    const hanging = emailSender({ ...LETTERS, open: async () => silent, timeoutMs: 20 });
    expect(await hanging(notice)).to.deep.equal({
      outcome: 'later',
      answer: 'no answer within 0.02 seconds',
    });
  });
});
