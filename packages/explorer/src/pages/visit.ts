import type { Clock } from '@cls/shared/clock';
import type { Context } from 'koa';
import { type ApiClient, ApiRefused, type Asker } from '../balances/api-client.ts';
import type { Caller, List, Meta, Single } from '../balances/shapes.ts';
import type { KeepSessions, KeptSession } from '../sessions/keep-sessions.ts';
import { sameWith } from '../web/address.ts';
import { readCookie, SESSION_COOKIE } from '../web/browser.ts';
import type { Pages } from '../web/page.ts';
import { showRefusal } from './refusals.ts';

/** A request of a person who is signed in, at the two times of the visit. */
export interface Visit {
  readonly ctx: Context;
  /** The cookie's identifier: the session's forms are bound to it. */
  readonly identifier: string;
  readonly session: KeptSession;
  readonly asker: Asker;
  readonly query: URLSearchParams;
  /** Of the path, by name. */
  readonly parts: Readonly<Record<string, string>>;
  readonly times: Times;
}

/** The date of the balances, and what was known then. */
export interface Times {
  readonly asOf: string;
  readonly knownAt: string;
}

export interface VisitDeps {
  readonly sessions: KeepSessions;
  readonly api: ApiClient;
  readonly pages: Pages;
  readonly clock: Clock;
  /** Leads to the issuer, and back to the same address. */
  readonly signIn: (ctx: Context, returnTo: string, silent: boolean) => Promise<void>;
}

/**
 * A page for people who are signed in; others sign in first, and come back to the same address.
 * An address without times is led to one that has them: all that the visit shows belongs together.
 */
export function visited(deps: VisitDeps, page: (visit: Visit) => Promise<void>) {
  return async (ctx: Context): Promise<void> => {
    const identifier = readCookie(ctx, SESSION_COOKIE);
    const session = identifier === undefined ? undefined : await deps.sessions.use(identifier);
    if (identifier === undefined || session === undefined) {
      // Who was signed in here may still be at the issuer: no page is shown then.
      return deps.signIn(ctx, ctx.url, identifier !== undefined);
    }
    Object.assign(ctx.state, { subject: session.subject, address: ctx.ip });
    const asker = askerOf(ctx, session);
    const query = withoutEmpty(new URLSearchParams(ctx.querystring));
    try {
      const times = timesOf(query);
      if (times === undefined) return await freeze(deps, ctx, asker, query);
      const parts = ctx.state['parts'] as Visit['parts'];
      await page({ ctx, identifier, session, asker, query, parts, times });
    } catch (error) {
      if (!(error instanceof ApiRefused)) throw error;
      await showRefusal(deps, ctx, { identifier, session }, error);
    }
  };
}

function timesOf(query: URLSearchParams): Times | undefined {
  const [asOf, knownAt] = [query.get('asOf'), query.get('knownAt')];
  return asOf === null || knownAt === null ? undefined : { asOf, knownAt };
}

/** Forms send each field, also the empty ones. */
function withoutEmpty(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([, value]) => value !== ''));
}

async function freeze(
  { api }: VisitDeps,
  ctx: Context,
  asker: Asker,
  query: URLSearchParams,
): Promise<void> {
  const [askedOf, known] = [query.get('asOf'), query.get('knownAt')];
  const changes: Record<string, string> = {};
  if (known === null) {
    const { data, meta } = await api.read<Single<Caller>>(asker, '/me');
    Object.assign(changes, times(meta), firstView(ctx.path, query, data.roles));
  } else {
    // The last date of an earlier knowledge is that of its own answer.
    const question = { ...LEAST, knownAt: known };
    const { meta } = await api.read<List<unknown>>(asker, '/balances', question);
    Object.assign(changes, times(meta), { knownAt: known });
  }
  if (askedOf !== null) changes['asOf'] = askedOf;
  const address = sameWith(ctx.path, query, changes);
  const { lang } = ctx.query;
  ctx.redirect(typeof lang === 'string' ? `${address}&lang=${encodeURIComponent(lang)}` : address);
}

/** A lender's own share comes first; it is the address that says so. */
function firstView(path: string, query: URLSearchParams, roles: readonly string[]) {
  const isLender = roles.includes('lender') && !roles.includes('agent');
  return path === '/portfolio' && isLender && !query.has('view') ? { view: 'own' } : {};
}

const LEAST = { limit: '1', include: 'none', fields: 'id' };

/** A book without a journal knows nothing: then any instant says as much. */
function times({ asOf, knownAt }: Meta): Times {
  return { asOf, knownAt: knownAt ?? `${asOf}T00:00:00Z` };
}

export function askerOf({ res, state }: Context, { accessToken }: KeptSession): Asker {
  const gone = new AbortController();
  res.once('close', () => res.writableFinished || gone.abort());
  return { accessToken, requestId: `${state['requestId']}`, signal: gone.signal };
}
