import type { IncomingMessage } from 'node:http';
import type { AdminPermission } from '@cls/shared/access-token';
import type { Actor } from '../audit/actor.ts';
import type { Administrator } from './administrator.ts';

/** A request of an administrator who was let in. */
export interface AdminRequest extends Omit<Administrator, 'clientId'> {
  /** For the audit: who acts. */
  readonly actor: Actor;
  /** What the path names: `{id}` and `{secretId}`; empty where it names nothing. */
  readonly id: string;
  readonly secretId: string;
  /** The query as it was sent. */
  readonly query: string;
  /** Its body is not read yet. */
  readonly request: IncomingMessage;
}

export interface AdminAnswer {
  readonly body: object;
  /** 200 without it. */
  readonly status?: number;
  readonly location?: string;
}

export type Handle = (request: AdminRequest) => Promise<AdminAnswer>;

export interface AdminRoute {
  /** Which permission opens it. */
  readonly permission: AdminPermission;
  /** Below `/admin/v1`. */
  readonly path: string;
  /** By method. */
  readonly handlers: Readonly<Record<string, Handle>>;
}
