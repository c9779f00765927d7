import { type Html, html } from '@cls/shared/http/html';
import type { Context } from 'koa';
import { ApiRefused, type ApiVersion, type Asker } from '../balances/api-client.ts';
import type { Caller, Single, SummedUse, Usage } from '../balances/shapes.ts';
import { SignInRefused } from '../issuer/issuer.ts';
import { sessionEndedPage } from '../sign-in/pages.ts';
import { hasEnded, sessionOf } from '../web/browser.ts';
import { fullPage } from '../web/layout.ts';
import type { Text } from '../web/text.ts';
import { apiCalls } from './api-call.ts';
import { dateCell, type ListHead, table, wordOf } from './cells.ts';
import { shareBar } from './picture.ts';
import { problemPage } from './problem-page.ts';
import { showRefusal } from './refusals.ts';
import { labels, type PageDeps, signedInFrame } from './show.ts';
import { askerOf, type VisitDeps } from './visit.ts';

export interface UsageDeps extends PageDeps, VisitDeps {
  readonly signIn: (
    ctx: Context,
    returnTo: string,
    silent: boolean,
    administers?: boolean,
  ) => Promise<void>;
}

const PATH = '/usage';
/** Where the person comes back to who was signed in for this page. */
const ASKED = `${PATH}?asked=yes`;
/** Rows of a table; the API has all of them. */
const TOP = 50;

/**
 * `/usage`: how the customer uses the API, for its administrators. It has no times of a visit. Its permission
 * is asked for when a person opens it, so that no other token of the explorer has it.
 */
export async function usagePage(deps: UsageDeps, ctx: Context): Promise<void> {
  const { api, pages, sessions, issuer, signIn } = deps;
  if (hasEnded(ctx)) return pages.show(ctx, 401, sessionEndedPage(PATH));
  const wasAsked = ctx.query['asked'] !== undefined;
  const identifier = sessionOf(ctx);
  const session = identifier === undefined ? undefined : await sessions.use(identifier);
  try {
    if (identifier === undefined || session === undefined) {
      return await signIn(ctx, ASKED, false, true);
    }
    Object.assign(ctx.state, { subject: session.subject, address: ctx.ip });
    const asker = askerOf(ctx, session);
    try {
      const [usage, versions, who] = await Promise.all([
        api.read<Usage>(asker, '/usage', { limit: '1' }),
        api.versions(asker),
        readerOf(deps, asker),
      ]);
      if (wasAsked) return ctx.redirect(PATH);
      const visit = { ctx, identifier, session, query: new URLSearchParams(), faults: new Map() };
      pages.show(ctx, 200, (frame) =>
        fullPage(frame, signedInFrame(visit, frame, issuer, { who }), {
          title: frame.text.t('usage.title'),
          style: labels(
            ctx,
            LISTS.map((what) => useHead(what, frame.text)),
          ),
          body: [
            bodyOf(usage, versions, issuer, frame.text),
            apiCalls(deps, [usage], frame.text, 'usage.token'),
          ],
        }),
      );
    } catch (error) {
      if (!(error instanceof ApiRefused)) throw error;
      if (error.code !== 'insufficient_permission') {
        return await showRefusal(deps, ctx, { identifier, session }, error);
      }
      if (!wasAsked) return await signIn(ctx, ASKED, false, true);
      refuse(deps, ctx, error.code);
    }
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error;
    refuse(deps, ctx, error.code);
  }
}

/** An administrator may have no permission to see balances. */
async function readerOf({ api }: UsageDeps, asker: Asker): Promise<Single<Caller> | undefined> {
  try {
    return await api.read<Single<Caller>>(asker, '/me');
  } catch (error) {
    if (!(error instanceof ApiRefused) || error.code !== 'insufficient_permission') throw error;
    return undefined;
  }
}

function refuse({ pages }: UsageDeps, ctx: Context, code: string): void {
  ctx.state['refused'] = code;
  pages.show(ctx, 403, problemPage('no_usage'));
}

function bodyOf(
  { totals, meta: { period } }: Usage,
  versions: readonly ApiVersion[],
  issuer: string,
  text: Text,
): Html {
  const { requests, clients, operations } = totals;
  const days = { from: text.date(period.from), to: text.date(period.to) };
  const name = (use: SummedUse) => versionName(use, versions, text);
  const lists = [
    useTable('versions', totals.versions, requests, (use) => [name(use)], text),
    useTable('clients', clients, requests, (use) => [code(use.clientId), name(use)], text),
    useTable('operations', operations, requests, (use) => [code(use.operation), name(use)], text),
  ];
  return html`<p>${text.t('usage.lead', days)}</p>
<p><a href="${issuer}/account/integrations">${text.t('usage.integrations')}</a></p>
${requests === 0 ? html`<div class="notice empty"><p>${text.t('usage.none')}</p></div>` : lists}`;
}

const LISTS = ['versions', 'clients', 'operations'] as const;
type Listed = (typeof LISTS)[number];

function useHead(what: Listed, text: Text): ListHead {
  const columns = [
    ...(what === 'versions' ? [] : [{ label: text.t(`usage.${what}.column`) }]),
    { label: text.t('usage.version') },
    { label: text.t('usage.requests'), numeric: true },
    { label: text.t('usage.lastDay') },
  ];
  return { id: what, columns };
}

function useTable<U extends SummedUse>(
  what: Listed,
  uses: readonly U[],
  all: number,
  cells: (use: U) => readonly [Html, Html?],
  text: Text,
): Html {
  const caption = text.t(`usage.${what}`);
  const rows = uses.slice(0, TOP).map((use) => {
    const [head, more] = cells(use);
    const { requests, lastDay } = use;
    return html`
<tr><th scope="row">${head}</th>${more !== undefined && html`<td>${more}</td>`}<td>${text.number(requests)}${shareBar(`${requests}`, `${all}`)}</td>${dateCell(text.date(lastDay))}</tr>`;
  });
  return html`<h2>${caption}</h2>${table({ ...useHead(what, text), caption, underHeading: true, rows, isList: true })}${uses.length > TOP && html`<p>${text.t('usage.more', { top: TOP })}</p>`}`;
}

/** The version that was asked for, and when it ends. */
function versionName(
  { requested, served }: SummedUse,
  versions: readonly ApiVersion[],
  text: Text,
) {
  const { support = 'Retired', retirement = '' } =
    versions.find(({ versionId }) => versionId === requested) ?? {};
  const ends = /^\d{4}-\d\d-\d\d/.exec(retirement)?.[0];
  const marks = [
    ...(support === 'Supported' ? [] : [wordOf('support', support, text)]),
    ...(ends === undefined ? [] : [text.t('usage.ends', { on: text.date(ends) })]),
  ];
  const name = requested === served ? requested : `${requested} (${served})`;
  return html`<code>${name}</code>${marks.map((mark) => html` <span class="tag">${mark}</span>`)}`;
}

const code = (value: string) => html`<code>${value}</code>`;
