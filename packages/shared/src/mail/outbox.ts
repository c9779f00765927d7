import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import type { MailTransport } from './mail-sender.ts';

/**
 * In place of a mail server while developing: two files per message, `….txt` and `….html`, whose
 * names sort by time. They hold links that open accounts, so only their owner may read them.
 */
export function outboxSender(
  directory: string,
  from: string,
  clock: Clock = systemClock,
): MailTransport {
  return {
    async send({ to, subject, text, html }) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const at = clock.now().toISOString().replace(/[:.]/g, '-');
      const name = join(directory, `${at}-${randomBytes(3).toString('hex')}`);
      const head = `From: ${from}\nTo: ${to}\nSubject: ${subject}\n\n`;
      await writeFile(`${name}.html`, html, { mode: 0o600 });
      await writeFile(`${name}.part`, head + text, { mode: 0o600 });
      // A program that reads the folder never sees half a message.
      await rename(`${name}.part`, `${name}.txt`);
      return `written to ${name}.txt`;
    },
    close: () => undefined,
  };
}
