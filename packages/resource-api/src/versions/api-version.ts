import type { Readable } from 'node:stream';
import type { Caller } from '@cls/shared/access/caller';
import type { Permission } from '@cls/shared/access-token';

/** A request that has passed version, token and permission. */
export interface VersionRequest {
  readonly caller: Caller;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The best of these media types by `Accept`, or false. */
  accepts(types: string[]): string | false;
}

export interface VersionResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes ready to send: the same question gets the same bytes. A stream for what is large. */
  readonly body: Buffer | string | Readable;
  /** Strong validator, quotes included; http/conditional.ts turns a match into 304. */
  readonly etag?: string;
}

export interface VersionRoute {
  /** Below `/api/<version>`, such as `/cls/balances`. */
  readonly path: string;
  /** Any one of these suffices. */
  readonly permissions: readonly [Permission, ...Permission[]];
  /** @throws {Refusal} */
  handle(request: VersionRequest): Promise<VersionResponse>;
}

/** One version of the API: a module that presents the current domain in its own shape. */
export interface ApiVersion {
  readonly id: `v${number}`;
  readonly support: 'Supported' | 'Deprecated';
  /** RFC 3339 instant after which the version answers 410; undefined: none is planned. */
  readonly retiresAt: string | undefined;
  readonly routes: readonly VersionRoute[];
}
