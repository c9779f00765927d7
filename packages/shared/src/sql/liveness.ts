/**
 * Distinguishes a server that does not answer from a statement that takes long: once a statement has run
 * for a while, a question that any server answers at once goes out on a connection of its own.
 * While it stays without an answer, nobody waits: requests fail at once, so that a frozen database
 * holds neither connections nor callers.
 */

import { answerTimeout } from '../answer-timeout.ts';
import { DatabaseUnavailable } from './database.ts';

/** A statement younger than this is waited for. */
const SLOW_MS = 500;
/** How long the question may stay without an answer. */
const ANSWER_MS = 1_500;
/** The same where the connection has to be made first, which takes a busy server a while. */
const CONNECT_MS = 5_000;
const CHECK_MS = 250;

export interface Liveness {
  /** Runs work that needs an answer. @throws {DatabaseUnavailable} at once while there is none. */
  guard<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

export interface Pulse {
  /** Whether `ask` finds its connection made. */
  readonly connected: boolean;
  /** Resolves when the server answers anything, a refusal too. */
  ask(): Promise<void>;
  /** Gives up what `ask` waits for. */
  abandon(): void;
  /** Called when the server has stopped answering. */
  onSilence(): void;
}

/** For connections that wait as long as it takes: an operator's tools. */
export const patient: Liveness = { guard: (work) => work(), stop: () => undefined };

export function liveness(pulse: Pulse): Liveness {
  const waiting = new Set<{ readonly sinceMs: number; reject(error: Error): void }>();
  let silent = false;
  let asking = false;
  let stopped = false;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const check = async (): Promise<void> => {
    const nowMs = performance.now();
    const slow = [...waiting].some(({ sinceMs }) => nowMs - sinceMs > SLOW_MS);
    if (stopped || asking || !(slow || silent || isWithoutConnection(nowMs))) return;
    asking = true;
    askedAtMs = nowMs;
    const answered = await answers(pulse.ask(), pulse.connected || silent ? ANSWER_MS : CONNECT_MS);
    asking = false;
    if (!answered) {
      pulse.abandon();
      if (silent) return;
      silent = true;
      for (const { reject } of waiting) reject(noAnswer());
      pulse.onSilence();
    } else {
      silent = false;
    }
  };
  /**
   * A question makes the connection before it is needed, at first and after each loss, so that later
   * ones only need an answer.
   */
  const isWithoutConnection = (nowMs: number) => !pulse.connected && nowMs - askedAtMs > CHECK_MS;
  const watch = () => {
    timer ??= setInterval(() => {
      if (waiting.size > 0 || silent) void check();
      else {
        clearInterval(timer);
        timer = undefined;
      }
    }, CHECK_MS).unref();
  };

  return {
    guard(work) {
      if (silent) return Promise.reject(noAnswer());
      return new Promise((resolve, reject) => {
        const entry = { sinceMs: performance.now(), reject };
        const end = () => waiting.delete(entry);
        const answer = work();
        answer.then(end, end);
        answer.then(resolve, reject);
        waiting.add(entry);
        watch();
        if (isWithoutConnection(entry.sinceMs)) void check();
      });
    },
    // A transaction that ends after this still sends statements; nobody would close a connection made for them.
    stop() {
      stopped = true;
      clearInterval(timer);
      pulse.abandon();
    },
  };
}

async function answers(question: Promise<void>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  let answered = false;
  const answer = question.then(
    () => true,
    () => true,
  );
  void answer.then(() => {
    answered = true;
  });
  const late = new Promise<boolean>((resolve) => {
    timer = answerTimeout(() => resolve(answered), withinMs);
    timer.unref();
  });
  const outcome = await Promise.race([answer, late]);
  clearTimeout(timer);
  return outcome;
}

function noAnswer(): DatabaseUnavailable {
  return new DatabaseUnavailable('the database does not answer');
}
