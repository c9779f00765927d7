import { answerTimeout } from '../answer-timeout.ts';

interface Command {
  readonly promise: Promise<unknown>;
  reject(error: Error): void;
  setTimeout(ms: number): void;
}

/** What the library's clients have in common, a single server's and a cluster's. */
interface CommandClient {
  sendCommand(command: Command, ...more: never[]): unknown;
}

/** Lets a client of ioredis read the answers that have arrived before its `commandTimeout` fails them. */
export function readBeforeTimeouts(client: object): void {
  const redis = client as CommandClient;
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, ...more) => {
    let timer: NodeJS.Timeout | undefined;
    const clear = () => clearTimeout(timer);
    command.setTimeout = (ms) => {
      if (timer !== undefined) return; // Sent again after a redirection.
      timer = answerTimeout(() => command.reject(new Error('Command timed out')), ms);
      command.promise.then(clear, clear);
    };
    return send(command, ...more);
  };
}
