import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@cls/shared/log';
import type { Letter, MailSender } from '@cls/shared/mail/mail-sender';

/** Seconds before each further try. */
const RETRY_AFTER_S = [2, 15, 60, 300] as const;
/** Messages that wait; a server that is down for long must not fill the memory. */
const WAITING_MAX = 5_000;

/** Sends messages off the request's path, each tried again when it cannot be sent. */
export interface MailQueue {
  /** Takes the message at once. */
  add(letter: Letter): void;
  /** Messages that wait or are being sent. */
  readonly waiting: number;
  /** Tries each waiting message once more, then gives up: for a process that is about to end. */
  drain(): Promise<void>;
}

/** A process that ends waits no longer for a mail server that hangs. */
const DRAIN_MAX_MS = 15_000;

export interface MailQueueOptions {
  readonly drainMaxMs?: number;
  /** Called for each message that is not tried again. */
  readonly onLost?: () => void;
}

/** A message that is given up is logged without its text, because the text holds links. */
export function mailQueue(
  sender: MailSender,
  log: Log,
  { drainMaxMs = DRAIN_MAX_MS, onLost = () => undefined }: MailQueueOptions = {},
): MailQueue {
  const waiting = new Map<Letter, NodeJS.Timeout>();
  const sending = new Map<Promise<void>, Letter>();
  let ending = false;
  let ended = false;

  const giveUp = ({ to, subject }: Letter, err: unknown): void => {
    onLost();
    log.error({ err, to, subject }, 'a message could not be sent; given up');
  };
  const attempt = async (letter: Letter, tries: number): Promise<void> => {
    try {
      await sender.send(letter);
    } catch (err) {
      if (ended) return;
      const afterS = ending ? undefined : RETRY_AFTER_S[tries];
      if (afterS === undefined) return giveUp(letter, err);
      const { to, subject } = letter;
      log.warn({ err, to, subject, afterS }, 'a message could not be sent; trying again');
      waiting.set(letter, setTimeout(() => begin(letter, tries + 1), afterS * 1000).unref());
    }
  };
  const begin = (letter: Letter, tries: number): void => {
    waiting.delete(letter);
    const work = attempt(letter, tries).finally(() => sending.delete(work));
    sending.set(work, letter);
  };
  return {
    get waiting() {
      return waiting.size + sending.size;
    },
    add(letter) {
      if (waiting.size + sending.size < WAITING_MAX) return begin(letter, 0);
      const { to, subject } = letter;
      onLost();
      log.error({ to, subject }, 'a message was not sent: too many messages are waiting');
    },
    async drain() {
      ending = true;
      for (const [letter, timer] of waiting) {
        clearTimeout(timer);
        begin(letter, RETRY_AFTER_S.length);
      }
      const sent = Promise.all(sending.keys());
      await Promise.race([sent, sleep(drainMaxMs, undefined, { ref: false })]);
      ended = true;
      const late = new Error('the mail server did not answer before the process ended');
      for (const letter of sending.values()) giveUp(letter, late);
      sender.close();
    },
  };
}
