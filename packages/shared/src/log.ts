import { pino } from 'pino';
import { fieldsOfLine } from './log-fields.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** JSON lines on stdout, with the fields of log-fields.ts. Hand it ids and codes; never a token, secret, password or one-time code. */
export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

const ECS_VERSION = '8.11.0';

/**
 * @param service name in each line. @param level the least that is written.
 * @param context further fields of a line: which trace it belongs to.
 */
export function createLog(service: string, level: LogLevel, context?: () => object): Log {
  const lines = pino(
    {
      level,
      messageKey: 'message',
      base: { 'service.name': service, 'ecs.version': ECS_VERSION },
      timestamp: () => `,"@timestamp":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ 'log.level': label }) },
      ...(context === undefined ? {} : { mixin: context }),
    },
    gatheredLines(),
  );
  const write = (at: 'error' | 'warn' | 'info' | 'debug') => (fields: object, message: string) => {
    if (lines.isLevelEnabled(at)) lines[at](fieldsOfLine(fields), message);
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
  const line = {
    'log.level': 'error',
    '@timestamp': new Date().toISOString(),
    'cls.lines': lines,
    message: 'log lines could not be written, and are lost',
  };
  return `${JSON.stringify(line)}\n`;
}

export const silentLog: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
