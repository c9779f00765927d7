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
].flatMap((field) => [field, `*.${field}`]);

/** @param service name in each line. @param level the least that is written. */
export function createLog(service: string, level: LogLevel): Log {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: REDACTED, censor: '[redacted]' },
  });
}

export const silentLog: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
