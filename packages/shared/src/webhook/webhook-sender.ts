import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { checkedLookup, type Resolve } from '../http/checked-lookup.ts';
import { type TargetPolicy, TargetRefused } from '../http/public-host.ts';
import { UnsealFailed } from '../seal.ts';
import type { SendResult } from '../send-attempt.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { webhookHeaders } from './webhook-signature.ts';
import { webhookUrl } from './webhook-target.ts';

export interface WebhookMessage {
  /** The same at each attempt. */
  readonly id: string;
  readonly target: string;
  /** The body: JSON. */
  readonly document: string;
}

/** Sends a message once. Never throws. */
export type SendWebhook<M extends WebhookMessage> = (message: M, now: Date) => Promise<SendResult>;

export interface WebhookOptions<M extends WebhookMessage> extends TargetPolicy {
  /** The secret that signs. What it throws is the answer of the attempt. */
  readonly openSecret: (message: M) => string;
  readonly resolve?: Resolve;
  /** For one attempt, from the name's resolution to the end of the answer. */
  readonly timeoutMs?: number;
  /** Passes the trace on to the receiver. */
  readonly tracing?: Tracing | undefined;
}

const TIMEOUT_MS = 15_000;
const GONE = 410;

/**
 * Sends messages as Standard Webhooks, to public addresses alone (`checkedLookup`). A redirect is an answer
 * like any other that is not 2xx; bodies of answers are not read.
 */
export function webhookSender<M extends WebhookMessage>(
  options: WebhookOptions<M>,
): SendWebhook<M> {
  const { openSecret, resolve, timeoutMs = TIMEOUT_MS, tracing } = options;
  const send: SendWebhook<M> = async (message, now) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const secret = openSecret(message);
      const url = webhookUrl(message.target, options);
      const headers = {
        ...webhookHeaders(message.id, message.document, secret, now),
        ...tracing?.headers(),
      };
      const lookup = checkedLookup(options, resolve);
      return resultOf(await post(url, message.document, { headers, lookup, signal }));
    } catch (error) {
      return later(signal.aborted ? `no answer within ${timeoutMs / 1000} seconds` : whyOf(error));
    }
  };
  if (tracing === undefined) return send;
  return (message, now) => tracing.during('webhook', () => send(message, now));
}

function resultOf(status: number): SendResult {
  const answer = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { outcome: 'delivered', answer };
  // The receiver wants no more of them.
  return status === GONE ? { outcome: 'refused', answer } : later(answer);
}

function later(answer: string): SendResult {
  return { outcome: 'later', answer };
}

function whyOf(error: unknown): string {
  if (error instanceof TargetRefused) return `not sent: ${error.message}`;
  if (error instanceof UnsealFailed) return 'not sent: the secret was sealed with another key';
  // Such as ECONNREFUSED; the message would name the address.
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** With the host's name in the request and in the certificate, to the first of its addresses that answers. */
function post(
  url: URL,
  body: string,
  { headers, ...options }: Pick<RequestOptions, 'lookup' | 'signal'> & { headers: object },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(
      url,
      {
        ...options,
        method: 'POST',
        agent: false,
        maxHeaderSize: 16_384,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'cls-notices/1',
        },
      },
      (response) => {
        resolve(response.statusCode ?? 0);
        response.on('error', () => undefined).destroy();
      },
    );
    request.on('error', reject).end(body);
  });
}
