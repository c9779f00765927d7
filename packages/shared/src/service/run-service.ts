import { ConfigurationError } from '../environment.ts';
import type { Log } from '../log.ts';
import { reasonOf } from '../reason.ts';

export interface RunningService {
  readonly log: Log;
  stop(): Promise<void>;
}

/** For requests under way, and for a store that does not answer: longer than both take by themselves. */
const STOP_MS = 30_000;

/**
 * Runs a service as this process: stops it on SIGTERM and SIGINT. An uncaught error is logged and
 * ends the process, so that a supervisor starts a new one in a known state. Both take a bounded time.
 *
 * @param read @throws {ConfigurationError}
 * @param stopMs how long `stop` may take beside `drainDelayMs`, in which it answers further requests.
 */
export async function runService<Config extends { readonly drainDelayMs: number }>(
  read: () => Config,
  start: (config: Config) => Promise<RunningService>,
  stopMs = STOP_MS,
): Promise<void> {
  let config: Config;
  let service: RunningService;
  try {
    config = read();
    service = await start(config);
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
    setTimeout(() => {
      log.error({ reason }, 'stopping takes too long: the process ends without it');
      process.exit(1);
    }, config.drainDelayMs + stopMs);
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
