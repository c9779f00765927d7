import type { EnvironmentReader } from '../environment.ts';
import type { Secret } from '../secret.ts';

export function readSmtpUrl(read: EnvironmentReader, about: string): Secret | undefined {
  return read.optionalServerUrl('SMTP_URL', {
    about: `${about}; STARTTLS is required in production`,
    expected: 'an smtps:// or smtp:// URL',
    pattern: /^smtps?:\/\/\S+$/,
  });
}

const ADDRESS = String.raw`[^\s\p{Cc}<>@,;:"]+@[^\s\p{Cc}<>@,;:"]+`;
/** Without quotes around the name, a comma in it would begin another address. */
const NAME = String.raw`(?:"[^"\p{Cc}]*"|[^"<>@,;:\p{Cc}]*)`;
const SENDER = new RegExp(`^(?:${ADDRESS}|${NAME}\\s*<${ADDRESS}>)$`, 'u');

export function readMailFrom(
  read: EnvironmentReader,
  fallback: { readonly fallback: string; readonly fallbackText: string },
): string {
  const about = 'sender: an address, or `Name <address>`';
  const from = read.text('MAIL_FROM', { about, ...fallback });
  if (from !== fallback.fallback && !SENDER.test(from)) {
    read.fault('MAIL_FROM', 'expected an address, or Name <address>');
  }
  return from;
}
