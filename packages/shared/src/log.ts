import { pino } from 'pino';
import { fieldsOfLine } from './log-fields.ts';
import { gatheredLines } from './log-output.ts';

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

export const silentLog: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
