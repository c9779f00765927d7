import nodemailer from 'nodemailer';
import type { Secret } from '../secret.ts';
import type { MailTransport } from './mail-sender.ts';

const TIMEOUT_MS = 10_000;

/**
 * Hands messages to an SMTP server.
 *
 * @param url `smtps://user:password@host:465`, or `smtp://…` for STARTTLS.
 * @param tlsRequired refuses a server that offers no STARTTLS.
 */
export function smtpSender(url: Secret, from: string, tlsRequired: boolean): MailTransport {
  const transport = nodemailer.createTransport(
    {
      url: url.expose(),
      pool: true,
      maxConnections: 2,
      requireTLS: tlsRequired && url.expose().startsWith('smtp:'),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: 2 * TIMEOUT_MS,
    },
    // A message is what we made of it: nothing in it is fetched or read from a file.
    { from, disableFileAccess: true, disableUrlAccess: true },
  );
  return {
    async send({ to, ...content }) {
      const { response } = await transport.sendMail({
        to: { name: '', address: to },
        ...content,
        headers: AUTOMATIC,
      });
      return response;
    },
    close: () => transport.close(),
  };
}

/** Out-of-office replies are not wanted (RFC 3834 §5). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };
