import { readFileSync } from 'node:fs';

/** A recorded exchange; secrets and tokens are cut. */
export interface Exchange {
  /** With its query. */
  readonly path: string;
  /** The members of the body, or of the form. */
  readonly sent?: object;
  readonly status: number;
  readonly body: unknown;
}

type Exchanges = Readonly<Record<string, Exchange>>;

const read = (name: string): Exchanges =>
  JSON.parse(readFileSync(new URL(`../../../examples/${name}.json`, import.meta.url), 'utf8'));

/** By operation; a refusal by operation and status. */
export const TOKEN_EXAMPLES = read('token');
export const ADMIN_EXAMPLES = read('admin');

export function requestExample(exchange: Exchange | undefined): { readonly example?: object } {
  return exchange?.sent === undefined ? {} : { example: exchange.sent };
}

export function responseExample(exchange: Exchange | undefined): { readonly example?: unknown } {
  return exchange === undefined ? {} : { example: exchange.body };
}
