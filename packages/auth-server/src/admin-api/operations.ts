/**
 * What the administrators' API answers to: its paths, methods, permissions, parameters, bodies,
 * answers and refusals. Requests are routed by it, and the contract (openapi.ts) is made of it.
 */
import {
  ADMIN_PERMISSION,
  type AdminPermission,
  SECRETS_PERMISSION,
} from '@cls/shared/access-token';
import { groupBy } from '@cls/shared/group-by';
import type { ProblemCode } from '@cls/shared/http/problem-codes';
import type { z } from 'zod';
import * as answers from './answers.ts';
import * as bodies from './read-body.ts';
import * as queries from './read-query.ts';
import { REFUSALS, type RefusalCode } from './refusals.ts';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/admin/v1`, with `{id}` and `{secretId}`. */
  readonly path: string;
  /** Which permission opens it. */
  readonly permission: AdminPermission;
  readonly summary: string;
  readonly query: z.ZodObject;
  /** Without it, the body is empty or an empty object. */
  readonly body?: z.ZodObject;
  readonly status: 200 | 201;
  readonly answer: z.ZodType;
  /** Beside those of every operation (`refusalsOf`). */
  readonly refusals: readonly RefusalCode[];
}

const NO_ACCOUNT = ['account_not_found'] as const;
const BEYOND = [...NO_ACCOUNT, 'account_beyond_caller'] as const;
const NO_SERVICE_ACCOUNT = ['service_account_not_found'] as const;
const NO_SECRET = [...NO_SERVICE_ACCOUNT, 'secret_not_found'] as const;
const NOT_MADE = ['secret_beyond_caller', 'too_many_secrets', 'no_secrets'] as const;

const ok = { status: 200, query: queries.NONE } as const;
const made = { status: 201, query: queries.NONE } as const;
const people = { permission: ADMIN_PERMISSION } as const;
const person = { ...people, ...ok, answer: answers.ACCOUNT, refusals: NO_ACCOUNT } as const;
const secrets = { permission: SECRETS_PERMISSION } as const;
const ACCOUNT = '/accounts/{id}';
const SERVICE_ACCOUNT = '/service-accounts/{id}';
const SECRET = `${SERVICE_ACCOUNT}/secrets/{secretId}`;

/** By operationId. */
export const OPERATIONS = {
  listAccounts: {
    ...{ method: 'GET', path: '/accounts', ...people, ...ok, query: queries.ACCOUNTS },
    ...{ summary: 'List the accounts of people, by id', answer: answers.ACCOUNTS, refusals: [] },
  },
  inviteAccount: {
    ...{ method: 'POST', path: '/accounts', ...people, ...made, body: bodies.INVITATION },
    ...{ summary: 'Invite a person', answer: answers.INVITATION },
    refusals: ['account_exists', 'too_many_invitations'],
  },
  showAccount: { method: 'GET', path: ACCOUNT, ...person, summary: 'Show an account' },
  setPermissions: {
    ...{ method: 'PUT', path: `${ACCOUNT}/permissions`, ...person, body: bodies.PERMISSIONS },
    ...{ summary: 'Replace all permissions', refusals: BEYOND },
  },
  setName: {
    ...{ method: 'PUT', path: `${ACCOUNT}/name`, ...person, body: bodies.NAME_ONLY },
    summary: 'Replace the name; null takes it away',
  },
  listEvents: {
    ...{ method: 'GET', path: `${ACCOUNT}/events`, ...person, query: queries.EVENTS },
    ...{ summary: 'List what happened to an account, newest first', answer: answers.EVENTS },
  },
  disable: {
    ...{ method: 'POST', path: `${ACCOUNT}/disable`, ...person },
    summary: 'Disable an account and end its sessions',
  },
  enable: {
    ...{ method: 'POST', path: `${ACCOUNT}/enable`, ...person },
    ...{ summary: 'Enable an account', refusals: BEYOND },
  },
  resetFactors: {
    ...{ method: 'POST', path: `${ACCOUNT}/reset-factors`, ...person },
    summary: 'Remove every second factor and end the sessions',
    refusals: BEYOND,
  },
  endSessions: {
    ...{ method: 'POST', path: `${ACCOUNT}/end-sessions`, ...person, summary: 'End all sessions' },
  },
  listApplications: {
    ...{ method: 'GET', path: '/applications', ...people, ...ok, query: queries.APPLICATIONS },
    ...{ summary: 'List the applications that people sign in to, by id' },
    ...{ answer: answers.APPLICATIONS, refusals: [] },
  },
  listServiceAccounts: {
    ...{ method: 'GET', path: '/service-accounts', ...secrets, ...ok },
    ...{ summary: 'List the service accounts, by id', query: queries.SERVICE_ACCOUNTS },
    ...{ answer: answers.SERVICE_ACCOUNTS, refusals: [] },
  },
  listSecrets: {
    ...{ method: 'GET', path: `${SERVICE_ACCOUNT}/secrets`, ...secrets, ...ok },
    ...{ summary: 'List secrets, newest first, ended ones too', query: queries.SECRETS },
    ...{ answer: answers.SECRETS, refusals: NO_SERVICE_ACCOUNT },
  },
  createSecret: {
    ...{ method: 'POST', path: `${SERVICE_ACCOUNT}/secrets`, ...secrets, ...made },
    ...{ summary: 'Make one more secret, shown once', body: bodies.NEW_SECRET },
    ...{ answer: answers.NEW_SECRET, refusals: [...NO_SERVICE_ACCOUNT, ...NOT_MADE] },
  },
  replaceSecret: {
    ...{ method: 'POST', path: `${SECRET}/replace`, ...secrets, ...made },
    ...{ summary: 'Replace a secret; the new one is shown once', body: bodies.REPLACEMENT },
    ...{ answer: answers.NEW_SECRET, refusals: [...NO_SECRET, ...NOT_MADE] },
  },
  revokeSecret: {
    ...{ method: 'DELETE', path: SECRET, ...secrets, ...ok, query: queries.FORCE },
    ...{ summary: 'End a secret and its tokens', answer: answers.SECRET },
    refusals: [...NO_SECRET, 'secret_in_use'],
  },
  listServiceAccountEvents: {
    ...{ method: 'GET', path: `${SERVICE_ACCOUNT}/events`, ...secrets, ...ok },
    ...{ summary: 'List token requests, refusals and changes, newest first' },
    ...{ query: queries.EVENTS, answer: answers.EVENTS, refusals: NO_SERVICE_ACCOUNT },
  },
  compromised: {
    ...{ method: 'POST', path: `${SERVICE_ACCOUNT}/compromised`, ...secrets, ...ok },
    ...{ summary: 'End all secrets and their tokens at once', answer: answers.COMPROMISED },
    refusals: [...NO_SERVICE_ACCOUNT, 'no_secrets'],
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
/** The query of an operation, as it was read. */
export type QueryOf<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['query']>;

/** All refusals of an operation, by status. */
export function refusalsOf({
  method,
  query,
  refusals,
}: Operation): Readonly<Record<number, readonly ProblemCode[]>> {
  const own = groupBy(refusals, (code) => REFUSALS[code].status);
  const { cursor, ...shape } = query.shape;
  const checked = method !== 'GET' || Object.keys(shape).length > 0;
  return {
    400: [
      'unknown_parameter',
      ...(checked ? (['invalid_parameter'] as const) : []),
      ...(cursor ? (['invalid_cursor'] as const) : []),
    ],
    401: ['missing_token'],
    ...Object.fromEntries(own),
    403: [
      ...(['insufficient_permission', 'caller_disabled', 'token_expired'] as const),
      ...(['token_invalid', 'token_revoked', 'token_untrusted'] as const),
      ...(own.get(403) ?? []),
    ],
    ...(method !== 'GET' && { 413: ['body_too_large'], 415: ['unsupported_media_type'] }),
    500: ['internal'],
    503: ['unavailable'],
  };
}
