import type { Readable } from 'node:stream';
import type { Caller } from '@cls/shared/access/caller';
import type { Permission } from '@cls/shared/access-token';
import type { OperationKey, VersionId } from '../lifecycle/release.ts';
import type { Edition } from '../questions/ask/balance-store.ts';
import type { OpenApiDocument } from './openapi.ts';
import type { Walk } from './walk.ts';

/** A request that has passed version, token and permission. */
export interface VersionRequest {
  readonly caller: Caller;
  /** Whether a change of behaviour, by its name, holds for the version that answers. */
  applies(change: string): boolean;
  /** Marks and reads the questions of cursors. */
  readonly walk: Walk;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The best of these media types by `Accept`, or false. */
  accepts(types: string[]): string | false;
}

/** What changes something, beside what every path answers to GET. */
export type WriteMethod = 'POST' | 'PUT' | 'DELETE';

export interface WriteRequest extends VersionRequest {
  /** As it arrives. Leaving it early keeps the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** What an answer lets its caller read. */
export interface ReadByAnswer {
  /** The question in one spelling: `resource?a=1&b=2`. */
  readonly question: string;
  /** Items that were made for the answer until now; all of them once it was sent. */
  readonly items: () => number;
}

export interface VersionResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes ready to send: the same question gets the same bytes. A stream for what is large. */
  readonly body: Buffer | Readable;
  /** The same request gets the same answer for as long as this is the state of the book. */
  readonly edition?: Edition;
  /** Absent where the answer has nothing of the book. */
  readonly read?: ReadByAnswer;
}

/** An item with the fields alone that were asked for. */
export type PickFields = (item: Readonly<Record<string, unknown>>) => Record<string, unknown>;

export interface VersionRoute {
  /** Below `/api/<version>`, such as `/cls/balances`, or `/cls/deals/{id}` with a variable. */
  readonly path: string;
  /** Any one of these suffices. */
  readonly permissions: readonly [Permission, ...Permission[]];
  /**
   * The question in one spelling, without what concerns one page: `resource?a=1&b=2`. Where a newer
   * version's code answers, this refuses first what the version refuses, in its words.
   *
   * @throws {Refusal}
   */
  question(request: VersionRequest): string;
  /** The header row of the version's CSV export. */
  columns?(request: VersionRequest): readonly string[];
  /** Whether the answer is a stream, whose size nobody knows ahead. @throws {Refusal} */
  isExport?(request: Pick<VersionRequest, 'headers' | 'accepts'>): boolean;
  /** Reduces an item to the fields that were asked for. Undefined: all were. */
  pick?(request: VersionRequest): PickFields | undefined;
  /** @throws {Refusal} */
  handle(request: VersionRequest): Promise<VersionResponse>;
  /** Of the version itself: no other version's code answers. Each throws {Refusal}. */
  readonly writes?: Readonly<
    Partial<Record<WriteMethod, (request: WriteRequest) => Promise<VersionResponse>>>
  >;
}

/** An operation as contracts, counts and logs name it; what only reads is a GET. */
export function operationKey(method: string, path: string): OperationKey {
  const write = (['POST', 'PUT', 'DELETE'] as const).find((one) => one === method);
  return `${write ?? 'GET'} ${path as `/${string}`}`;
}

/**
 * The code of one version: a module that presents the current domain in its own shape. What the
 * newest version's code answers is converted for older versions (convert.ts).
 */
export interface ApiVersion {
  readonly id: VersionId;
  readonly routes: readonly VersionRoute[];
  /** The frozen contract: what this version promises. */
  readonly contract: OpenApiDocument;
}
