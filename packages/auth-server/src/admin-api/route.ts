import type { IncomingMessage } from 'node:http';
import type { Actor } from '../audit/actor.ts';
import type { Administrator } from './administrator.ts';
import type { OperationName, QueryOf } from './operations.ts';

/** A request of an administrator who was let in. */
export interface AdminRequest<Query = unknown> extends Omit<Administrator, 'clientId'> {
  /** For the audit: who acts. */
  readonly actor: Actor;
  /** What the path names: `{id}` and `{secretId}`; empty where it names nothing. */
  readonly id: string;
  readonly secretId: string;
  readonly query: Query;
  /** Its body is not read yet, where the operation takes one. */
  readonly request: IncomingMessage;
}

export interface AdminAnswer {
  readonly body: object;
  readonly location?: string;
}

export type Handle<Query = unknown> = (request: AdminRequest<Query>) => Promise<AdminAnswer>;

/** What answers each operation. */
export type Handlers = { readonly [N in OperationName]: Handle<QueryOf<N>> };
