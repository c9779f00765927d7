import { pino } from 'pino';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** JSON lines on stdout. Hand it ids and codes; never a token, secret, password or one-time code. */
export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

/** Fields that are cut out wherever somebody passes them by mistake. */
const REDACTED = [
  'authorization',
  'client_secret',
  'clientSecret',
  'cookie',
  'mfa_token',
  'otp',
  'password',
  'secret',
  'token',
];

/** @param service name in each line. @param level the least that is written. */
export function createLog(service: string, level: LogLevel): Log {
  const plain = pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
  const paths = REDACTED.flatMap((field) => [field, `*.${field}`]);
  const redacting = plain.child({}, { redact: { paths, censor: '[redacted]' } });
  const write = (at: 'error' | 'warn' | 'info' | 'debug') => (fields: object, message: string) => {
    (isHarmless(fields) ? plain : redacting)[at](fields, message);
  };
  return {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
  };
}

/** Nothing in it could be cut out. Looking for that in each line takes longer than to write one. */
function isHarmless(fields: object): boolean {
  for (const [name, value] of Object.entries(fields)) {
    if (REDACTED.includes(name) || (typeof value === 'object' && value !== null)) return false;
  }
  return true;
}

export const silentLog: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
