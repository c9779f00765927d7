import type { ServerResponse } from 'node:http';
import { type Metrics, oneValue } from '../metrics/metrics.ts';
import { Refusal } from './refusal.ts';

/**
 * Bytes of an answer that an ingress takes at once, however slowly its caller reads. A longer answer
 * may keep its place here until its caller has read it.
 */
export const LONG_ANSWER_BYTES = 128 * 1_024;

/** How many long answers may be under way at once in this process; 0: no limit. */
export interface LongAnswerLimits {
  readonly perCaller: number;
  readonly perCustomer: number;
  readonly inAll: number;
}

export interface Reader {
  /** The caller's name in limits. */
  readonly caller: string;
  /** Undefined where it is not known; then only the caller and the process have a limit. */
  readonly customer: string | undefined;
}

export interface LongAnswers {
  /**
   * Counts a long answer as under way until the returned function is called.
   *
   * @throws {Refusal} 429 where the caller or its customer has as many as it may have, 503 where the
   *   process has
   */
  begin(reader: Reader): () => void;
}

const RETRY_S = { caller: 5, customer: 5, process: 10 } as const;

/** Ends what an answer holds when it was sent, or its caller is gone. */
export function endWithAnswer(response: ServerResponse, end: () => void): void {
  if (response.destroyed) end();
  else response.once('close', end);
}

/** Bounds how many places slow readers can hold; `cutSlowReaders` bounds for how long. */
export function longAnswers(limits: LongAnswerLimits, metrics: Metrics): LongAnswers {
  const { perCaller, perCustomer, inAll } = limits;
  const underWay = new Map<string, number>();
  let total = 0;
  const refused = metrics.counter({
    name: 'cls_long_answers_refused_total',
    help: 'Long answers that were refused, by whose limit was reached.',
    labels: { limit: Object.keys(RETRY_S) },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge({ name, help, labels: {} }, () => oneValue(read()));
  gauge('cls_long_answers_under_way', 'Exports and other long answers under way.', () => total);
  gauge('cls_long_answers_limit', 'How many may be under way at once; 0: no limit.', () => inAll);

  const isFull = (limit: number, count: number) => limit > 0 && count >= limit;
  const refusal = (limit: keyof typeof RETRY_S, make: (retryS: number) => Refusal) => {
    refused({ limit });
    return make(RETRY_S[limit]);
  };
  return {
    begin({ caller, customer }) {
      const keys = [
        `caller ${caller}`,
        ...(customer === undefined ? [] : [`customer ${customer}`]),
      ];
      const [ofCaller = 0, ofCustomer = 0] = keys.map((key) => underWay.get(key) ?? 0);
      if (isFull(perCaller, ofCaller)) {
        throw refusal('caller', (retryS) => tooMany(perCaller, 'caller', retryS));
      }
      if (isFull(perCustomer, ofCustomer)) {
        throw refusal('customer', (retryS) => tooMany(perCustomer, 'customer', retryS));
      }
      if (isFull(inAll, total)) throw refusal('process', allTaken);
      for (const key of keys) underWay.set(key, (underWay.get(key) ?? 0) + 1);
      total += 1;
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        total -= 1;
        for (const key of keys) {
          const left = (underWay.get(key) ?? 1) - 1;
          if (left === 0) underWay.delete(key);
          else underWay.set(key, left);
        }
      };
    },
  };
}

function tooMany(limit: number, of: 'caller' | 'customer', retryS: number): Refusal {
  return new Refusal({
    status: 429,
    code: 'too_many_at_once',
    title: 'Too many requests at once',
    detail: `${limit} exports or other answers of more than 128 KiB are under way for this ${of}; read one of them to its end first.`,
    headers: { 'Retry-After': `${retryS}` },
  });
}

function allTaken(retryS: number): Refusal {
  return new Refusal({
    status: 503,
    code: 'unavailable',
    title: 'Service unavailable',
    detail:
      'As many exports and other answers of more than 128 KiB are under way as this service sends at once. Try again later.',
    headers: { 'Retry-After': `${retryS}` },
  });
}
