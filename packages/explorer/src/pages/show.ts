import { type Html, type HtmlValue, html } from '@cls/shared/http/html';
import { handLanguageTo } from '@cls/shared/pages/browser';
import { range } from 'd3-array';
import type { Context } from 'koa';
import type { ApiClient } from '../balances/api-client.ts';
import type { BalanceItem, Caller, List, Meta, Single } from '../balances/shapes.ts';
import { formToken } from '../sign-in/form-token.ts';
import { type Changes, pageAddress } from '../web/address.ts';
import { LANGUAGE_COOKIE } from '../web/browser.ts';
import { type Frame, fullPage, type SignedInFrame } from '../web/layout.ts';
import type { Pages } from '../web/page.ts';
import { allowStyle } from '../web/security.ts';
import type { Text } from '../web/text.ts';
import { apiCalls } from './api-call.ts';
import { type ListHead, labelsOf, wordOf } from './cells.ts';
import { isAllKnown, metaAsKnown } from './knowledge.ts';
import { searchForm } from './search-form.ts';
import { timeBar } from './time-bar.ts';
import type { Visit } from './visit.ts';

export interface PageDeps {
  readonly api: ApiClient;
  readonly pages: Pages;
  readonly issuer: string;
}

export type Place = 'portfolio' | 'deals' | 'borrowers' | 'lenders' | 'changes';
const PLACES: readonly { readonly place: Place; readonly path: string }[] = [
  { place: 'portfolio', path: '/portfolio' },
  { place: 'deals', path: '/deals' },
  { place: 'borrowers', path: '/borrowers' },
  { place: 'lenders', path: '/lenders' },
  { place: 'changes', path: '/changes' },
];

/** Whether a reader with these roles may see other lenders. */
export function seesLenders(roles: readonly string[]): boolean {
  return roles.includes('agent') || roles.includes('full');
}

/** Pages that the header leads to. Whoever sees no other lender has no list of them. */
export function placesFor(roles: readonly string[]) {
  return PLACES.filter(({ place }) => place !== 'lenders' || seesLenders(roles));
}

/** Who asks for what of the book, at which times. */
export type AskedAt = Pick<Visit, 'asker' | 'query' | 'times'>;

/** The parameters of the visit, for questions to the API. */
export function timesAsked({ times }: Pick<Visit, 'times'>) {
  return { asOf: times.asOf, knownAt: times.knownAt };
}

interface OfDeals {
  readonly path: string;
  readonly question?: Changes;
  /** Deals of one question. */
  readonly atOnce: number;
}

/**
 * Lists of what the deals of some items have, asked for some deals at a time.
 *
 * @returns the answers that are whole: what a list that goes on lacks, nobody knows
 */
export async function listsOfDeals<T>(
  { api }: Pick<PageDeps, 'api'>,
  visit: AskedAt,
  items: readonly Pick<BalanceItem, 'deal'>[],
  { path, question = {}, atOnce }: OfDeals,
): Promise<readonly List<T>[]> {
  const ids = [...new Set(items.map(({ deal }) => deal.id))];
  const lists = await Promise.all(
    range(0, ids.length, atOnce).map((at) => {
      const dealId = ids.slice(at, at + atOnce);
      const asked = { ...timesAsked(visit), ...question, dealId, limit: '1000' };
      return api.read<List<T>>(visit.asker, path, asked);
    }),
  );
  return lists.filter(({ page }) => !page.hasMore);
}

/** Who asks, with the times of a question without any. */
export interface Who extends Single<Caller> {
  /** The last date with data is that of what is known at the visit. */
  readonly known: Meta;
}

/**
 * Who asks, and whether something newer is known: asked beside the page's own questions. Where
 * something is, one more question tells through when data went as known at the visit.
 */
export async function whoAsks({ api }: PageDeps, { asker, times }: Visit): Promise<Who> {
  const who = await api.read<Single<Caller>>(asker, '/me');
  const isNewest = isAllKnown(who.meta, times.knownAt);
  return { ...who, known: isNewest ? who.meta : await metaAsKnown(api, asker, times.knownAt) };
}

export interface Shown {
  readonly title: (text: Text) => string;
  /** What the page shows of it, such as filters: in the title that a bookmark keeps. */
  readonly detail?: (text: Text) => string;
  readonly place?: Place;
  readonly body: (text: Text) => HtmlValue;
  /** Those of the body, for the names beside their cells. */
  readonly lists?: (text: Text) => readonly ListHead[];
  readonly who: Who;
  /** The first date on which there is what the page shows; that of the book where it is left out. */
  readonly begins?: string | undefined;
  /** Of the answer that the page shows. */
  readonly meta: Meta;
  /** The page can show another time beside its own. */
  readonly compares?: true;
  /** What the page shows, for those who ask the API for the same. */
  readonly answers?: readonly object[];
}

export function showPage(deps: PageDeps, visit: Visit, page: Shown): void {
  const { pages, issuer } = deps;
  pages.show(visit.ctx, visit.faults.size > 0 ? 400 : 200, (frame) => {
    const last = page.who.known.asOf;
    const projectedAfter = visit.times.asOf > last ? last : undefined;
    const text = { ...frame.text, projectedAfter };
    return fullPage(frame, signedInFrame(visit, frame, issuer, page), {
      title: page.title(text),
      bookmark: bookmarkOf(visit, page, text),
      bar: timeBar(visit, page, text),
      style: labels(visit.ctx, page.lists?.(text) ?? []),
      body: [page.body(text), apiCalls(deps, page.answers ?? [], text)],
      source: [
        sourceLine(visit, page.meta, text),
        html`<span class="printed">${visit.ctx.href}</span>`,
      ],
    });
  });
}

/** The rules that name the cells of lists, which the policy of the page then allows. */
export function labels(ctx: Context, lists: readonly ListHead[]): string | undefined {
  if (lists.length === 0) return undefined;
  const style = labelsOf(lists);
  allowStyle(ctx, style);
  return style;
}

/** Tells one view from another among bookmarks and tabs: what, of which, as of when. */
function bookmarkOf({ times }: Visit, { title, detail }: Shown, text: Text): string {
  const shown = detail?.(text) ?? '';
  return [`${title(text)}${shown === '' ? '' : `: ${shown}`}`, text.date(times.asOf)].join(' · ');
}

/** @param who is undefined where the person may see no balances: then nothing leads to them. */
export function signedInFrame(
  visit: Pick<Visit, 'ctx' | 'identifier' | 'session' | 'query' | 'faults'>,
  { text }: Frame,
  issuer: string,
  { place, who }: { readonly place?: Place; readonly who: Single<Caller> | undefined },
): SignedInFrame {
  const { identifier, session, query } = visit;
  const roles = who?.data.roles ?? [];
  const customer = who?.data.customer.name ?? null;
  return {
    role: [
      ...(customer === null ? [] : [customer]),
      ...roles.map((role) => wordOf('role', role, text)),
    ].join(', '),
    email: session.email,
    ...(session.name === undefined ? {} : { name: session.name }),
    accountHref: handLanguageTo(`${issuer}/account`, visit.ctx, LANGUAGE_COOKIE),
    csrfToken: formToken(identifier),
    search: who === undefined ? html`` : searchForm(visit, text),
    navigation: (who === undefined ? [] : placesFor(roles)).map((one) => ({
      label: text.t(`place.${one.place}`),
      href: pageAddress(one.path, query),
      current: one.place === place,
    })),
  };
}

function sourceLine({ times }: Visit, { ledgerSeq }: Meta, text: Text): Html {
  return html`${text.t('page.source', {
    asOf: text.date(times.asOf),
    knownAt: text.dateTime(times.knownAt),
    ledgerSeq: text.number(ledgerSeq),
  })}`;
}
