/** A mail server in a process of its own; its parent says how it answers. */
import { SMTPServer } from 'smtp-server';

export type MailServerMode = 'accept' | 'later' | 'refuse';

let mode: MailServerMode = 'accept';

const server = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onRcptTo(_address, _session, callback) {
    if (mode === 'accept') return callback();
    const [code, text] = mode === 'later' ? [451, 'try again later'] : [550, 'no such mailbox'];
    callback(Object.assign(new Error(text), { responseCode: code }));
  },
  onData(stream, session, callback) {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const to = session.envelope.rcptTo.map(({ address }) => address);
      process.send?.({ to, text: Buffer.concat(parts).toString('utf8') });
      callback(null, 'queued for delivery');
    });
  },
});

process.on('message', (next: MailServerMode) => {
  mode = next;
  process.send?.({ mode });
});
process.on('disconnect', () => process.exit());
const listening = server.listen(0, '127.0.0.1', () => {
  const address = listening.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
