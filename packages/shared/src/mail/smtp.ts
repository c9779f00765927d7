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
    { ...connection(url, tlsRequired), pool: true, maxConnections: 2 },
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

/**
 * Speaks with the server up to the point where a message would be sent.
 *
 * @throws {Error} when it does not answer, or refuses TLS or the credentials.
 */
export async function verifySmtp(url: Secret, tlsRequired: boolean): Promise<void> {
  const transport = nodemailer.createTransport(connection(url, tlsRequired));
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function connection(url: Secret, tlsRequired: boolean) {
  return {
    url: url.expose(),
    requireTLS: tlsRequired && url.expose().startsWith('smtp:'),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: 2 * TIMEOUT_MS,
  };
}

/** Out-of-office replies are not wanted (RFC 3834 §5). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };
