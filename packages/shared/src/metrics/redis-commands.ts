import type { Metrics } from './metrics.ts';

/** Told of each command when it is sent; what it returns is told when it was answered. */
export type ObserveCommand = (name: string) => (failed: boolean) => void;

/** A command should take less than a millisecond, and fails after `REDIS_TIMEOUT_MS`. */
const SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

export function measuredCommands(metrics: Metrics): ObserveCommand {
  const measure = metrics.histogram(
    {
      name: 'cls_redis_command_duration_seconds',
      help: 'How long a command took, with its way to Redis and back.',
      labels: { outcome: ['done', 'failed'] },
    },
    SECONDS,
  );
  return () => {
    const startedMs = performance.now();
    return (failed) => {
      const outcome = failed ? 'failed' : 'done';
      measure({ outcome }, (performance.now() - startedMs) / 1_000);
    };
  };
}

interface Command {
  readonly name: string;
  readonly promise: Promise<unknown>;
}

/** What the library's clients have in common, a single server’s and a cluster’s. */
interface CommandClient {
  sendCommand(command: Command, ...more: never[]): unknown;
}

/** Observes what a client of ioredis sends. It sends a command again after a redirection: the same one. */
export function observeIoredis(client: object, observe: ObserveCommand): void {
  const redis = client as CommandClient;
  const send = redis.sendCommand.bind(redis);
  const seen = new WeakSet<Command>();
  redis.sendCommand = (command, ...more) => {
    if (!seen.has(command)) {
      seen.add(command);
      const end = observe(command.name);
      command.promise.then(
        () => end(false),
        () => end(true),
      );
    }
    return send(command, ...more);
  };
}
