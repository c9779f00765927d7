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
  /** Whether `begin` would count one more; for who asks and refuses nobody. */
  hasRoom(reader: Reader): boolean;
}

const RETRY_S = { caller: 5, customer: 5, process: 10 } as const;
type Limited = keyof typeof RETRY_S;

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

  const keysOf = ({ caller, customer }: Reader) => [
    `caller ${caller}`,
    ...(customer === undefined ? [] : [`customer ${customer}`]),
  ];
  /** The first limit that is reached. */
  const reached = (reader: Reader) => {
    const [ofCaller = 0, ofCustomer = 0] = keysOf(reader).map((key) => underWay.get(key) ?? 0);
    const counts: readonly { limited: Limited; limit: number; count: number }[] = [
      { limited: 'caller', limit: perCaller, count: ofCaller },
      { limited: 'customer', limit: perCustomer, count: ofCustomer },
      { limited: 'process', limit: inAll, count: total },
    ];
    return counts.find(({ limit, count }) => limit > 0 && count >= limit);
  };
  return {
    hasRoom: (reader) => reached(reader) === undefined,
    begin(reader) {
      const full = reached(reader);
      if (full !== undefined) {
        refused({ limit: full.limited });
        throw refusal(full);
      }
      const keys = keysOf(reader);
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

function refusal({ limited, limit }: { limited: Limited; limit: number }): Refusal {
  const retryS = RETRY_S[limited];
  return limited === 'process' ? allTaken(retryS) : tooMany(limit, limited, retryS);
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
