import { ConfigurationError } from '../environment.ts';
import type { Log } from '../log.ts';
import { reasonOf } from '../reason.ts';

export interface RunningService {
  readonly log: Log;
  stop(): Promise<void>;
}

/**
 * Runs a service as this process: stops it on SIGTERM and SIGINT. An uncaught error is logged and
 * ends the process, so that a supervisor starts a new one in a known state.
 */
export async function runService(start: () => Promise<RunningService>): Promise<void> {
  let service: RunningService;
  try {
    service = await start();
  } catch (error) {
    process.stderr.write(`${startFailure(error)}\n`);
    process.exit(1);
  }
  const { log } = service;
  let stopping = false;
  const stop = (reason: string, exitCode: number) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'stopping');
    service.stop().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  const crash = (error: unknown) => {
    log.error({ err: error }, 'uncaught error');
    stop('crash', 1);
  };
  process.on('SIGTERM', () => stop('SIGTERM', 0));
  process.on('SIGINT', () => stop('SIGINT', 0));
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  // When a supervisor that is connected by IPC dies, this process must end too.
  process.on('disconnect', () => stop('the supervisor is gone', 0));
}

/** Errors that the operator can correct are one sentence in the log. Others need the stack. */
function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected =
    error instanceof ConfigurationError ||
    [
      'DirectoryInUse',
      'DirectoryUnusable',
      'PortUnavailable',
      'DatabaseUnavailable',
      'MigrationError',
      'UnsealFailed',
    ].includes(error.name);
  return expected ? reasonOf(error) : (error.stack ?? error.message);
}
