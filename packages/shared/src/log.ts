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
  const plain = pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    gatheredLines(),
  );
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

/** How long a line waits for others, in milliseconds: a write costs more than making a line. */
const GATHER_MS = 20;

/** Bytes that wait while standard output takes none, as a file on a full disk. What is more is lost. */
const WAITING_MAX = 4 * 1024 * 1024;

/**
 * Stdout. What waits is written when the process exits, after an uncaught error too. A log that cannot be
 * written stops nothing: lines wait, each new one tries again, and a line says how many were lost.
 */
function gatheredLines(): { write(line: string): void } {
  let waiting = '';
  let lost = 0;
  let refused = false;
  const writeWaiting = () => {
    const lines = waiting;
    waiting = '';
    if (lines === '') return;
    refused = false;
    stdout.write(lost === 0 ? lines : `${lossOf(lost)}${lines}`);
    lost = refused ? lost + lines.split('\n').length - 1 : 0;
    // A write that is refused for want of room tries nothing; an empty one does.
    if (refused) stdout.write('');
  };
  process.once('exit', writeWaiting); // Before pino's own listener, which waits for its writes.
  const stdout = pino.destination({ dest: 1, sync: false, maxLength: WAITING_MAX });
  stdout.on('error', () => undefined);
  stdout.on('drop', () => {
    refused = true;
  });
  return {
    write(line) {
      if (waiting === '') setTimeout(writeWaiting, GATHER_MS);
      waiting += line;
    },
  };
}

function lossOf(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'error', time, lines, msg: 'log lines could not be written, and are lost' })}\n`;
}

/** Nothing in it could be cut out. Looking for that in each line takes longer than to write one. */
function isHarmless(fields: object): boolean {
  for (const name of Object.keys(fields)) {
    const value: unknown = fields[name as keyof typeof fields];
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
