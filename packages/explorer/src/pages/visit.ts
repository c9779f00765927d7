import type { Clock } from '@cls/shared/clock';
import type { Locale } from '@cls/shared/pages/browser';
import type { Context } from 'koa';
import { type ApiClient, ApiRefused, type Asker } from '../balances/api-client.ts';
import type { Caller, Meta, Single } from '../balances/shapes.ts';
import type { KeepSessions, KeptSession } from '../sessions/keep-sessions.ts';
import { sessionEndedPage } from '../sign-in/pages.ts';
import { safeReturn, sameWith } from '../web/address.ts';
import { hasEnded, sessionOf } from '../web/browser.ts';
import type { Pages } from '../web/page.ts';
import { viewerOf, wasHere } from '../web/viewers.ts';
import { anotherPersonPage } from './another-person.ts';
import { type Faults, faultsIn, readTyped } from './form-faults.ts';
import { metaAsKnown } from './knowledge.ts';
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
  /** What the person has to write anew; the query is without it. */
  readonly faults: Faults;
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

export interface PageKind {
  /** A page shows its forms again where something in them cannot be read; a file is refused. */
  readonly hasForms: boolean;
}

/**
 * A page for people who are signed in; others sign in first, and come back to the same address.
 * An address without times is led to one that has them: all that the visit shows belongs together.
 */
export function visited(
  deps: VisitDeps,
  page: (visit: Visit) => Promise<void>,
  { hasForms }: PageKind,
) {
  return async (ctx: Context): Promise<void> => {
    if (hasEnded(ctx)) return deps.pages.show(ctx, 401, sessionEndedPage(safeReturn(ctx.url)));
    const identifier = sessionOf(ctx);
    const session = identifier === undefined ? undefined : await deps.sessions.use(identifier);
    if (identifier === undefined || session === undefined) {
      // Who was signed in here may still be at the issuer: no page is shown then.
      return deps.signIn(ctx, ctx.url, identifier !== undefined);
    }
    Object.assign(ctx.state, { subject: session.subject, address: ctx.ip });
    const asker = askerOf(ctx, session);
    const { locale } = deps.pages.frame(ctx).text;
    const { sent, query, faults, isNew, isOthers } = readAddress(ctx, session, locale);
    if (isOthers) {
      ctx.state['refused'] = 'another_person';
      const href = sameWith(ctx.path, query, {});
      return deps.pages.show(ctx, 409, anotherPersonPage(session.email, href));
    }
    if (isNew && faults.size === 0) return ctx.redirect(sameWith(ctx.path, query, {}));
    try {
      const times = timesOf(query);
      if (times === undefined) return await freeze(deps, ctx, asker, sent);
      const parts = ctx.state['parts'] as Visit['parts'];
      const visit = { ctx, identifier, session, asker, query, parts, times, faults };
      await (hasForms ? withForms(deps, page, visit, locale) : page(visit));
    } catch (error) {
      if (!(error instanceof ApiRefused)) throw error;
      await showRefusal(deps, ctx, { identifier, session }, error);
    }
  };
}

/** What the address asks for: as it was sent, and as it is read. */
function readAddress(ctx: Context, { subject }: KeptSession, locale: Locale) {
  const sent = withoutEmpty(new URLSearchParams(ctx.querystring));
  const typed = readTyped(new URLSearchParams(ctx.querystring), locale);
  const query = withoutEmpty(typed.query);
  const viewer = viewerOf(subject);
  const before = query.get('viewer') ?? viewer;
  for (const one of [sent, query]) one.set('viewer', viewer);
  return {
    ...{ sent, query, faults: typed.faults },
    isNew: typed.isNew || before !== viewer,
    /** The tab was open while somebody else was signed in. */
    isOthers: before !== viewer && wasHere(ctx, before),
  };
}

/** Where the API refuses fields of a form, the page is shown without them, and says so beside each. */
async function withForms(
  deps: VisitDeps,
  page: (visit: Visit) => Promise<void>,
  visit: Visit,
  locale: Locale,
): Promise<void> {
  const { query, faults } = visit;
  try {
    await page(await atTimes(deps, visit));
  } catch (error) {
    const refused = faultsIn(error, query, locale);
    if (refused === undefined) throw error;
    const rest = new URLSearchParams([...query].filter(([name]) => !refused.has(name)));
    // Each round has less to refuse: it takes out what the address has.
    const next = { ...visit, query: rest, faults: new Map([...faults, ...refused]) };
    await withForms(deps, page, next, locale);
  }
}

/** With the usual times in the place of those that were refused. */
async function atTimes({ api }: VisitDeps, visit: Visit): Promise<Visit> {
  const [asOf, knownAt] = [visit.query.get('asOf'), visit.query.get('knownAt')];
  if (asOf !== null && knownAt !== null) return visit;
  const usual = await usualTimes(api, visit.asker, knownAt);
  const times = { ...usual, ...(asOf === null ? {} : { asOf }) };
  const query = new URLSearchParams(visit.query);
  for (const [name, time] of Object.entries(times)) query.set(name, time);
  return { ...visit, query, times };
}

/** The last date, as known at a time; of all that is known without one. */
async function usualTimes(api: ApiClient, asker: Asker, knownAt: string | null): Promise<Times> {
  if (knownAt !== null) return { ...timesIn(await metaAsKnown(api, asker, knownAt)), knownAt };
  return timesIn((await api.read<Single<Caller>>(asker, '/me')).meta);
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
    Object.assign(changes, timesIn(meta), firstView(ctx.path, query, data.roles));
  } else {
    const usual = await usualTimes(api, asker, known).catch((error: unknown) => {
      if (!(error instanceof ApiRefused) || error.status !== 400) throw error;
      return usualTimes(api, asker, null);
    });
    // One that is refused stays too: the page says so beside its field.
    Object.assign(changes, usual, { knownAt: known });
  }
  if (askedOf !== null) changes['asOf'] = askedOf;
  ctx.redirect(sameWith(ctx.path, query, changes));
}

/** A lender's own share comes first; it is the address that says so. */
function firstView(path: string, query: URLSearchParams, roles: readonly string[]) {
  const isLender = roles.includes('lender') && !roles.includes('agent');
  return path === '/portfolio' && isLender && !query.has('view') ? { view: 'own' } : {};
}

/** A book without a journal knows nothing: then any instant says as much. */
export function timesIn({ asOf, knownAt }: Meta): Times {
  return { asOf, knownAt: knownAt ?? `${asOf}T00:00:00Z` };
}

export function askerOf({ res, state }: Context, { accessToken }: KeptSession): Asker {
  const gone = new AbortController();
  res.once('close', () => res.writableFinished || gone.abort());
  return { accessToken, requestId: `${state['requestId']}`, signal: gone.signal };
}
