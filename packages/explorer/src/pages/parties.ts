import { html } from '@cls/shared/http/html';
import type { Totals } from '../balances/shapes.ts';
import { comparedAnswer, comparedTimes, comparedWith, comparisonAsked } from './compare.ts';
import { nothingText } from './not-yet.ts';
import type { PartyKind } from './party.ts';
import { groupsHead, groupTable } from './portfolio.ts';
import { type PageDeps, seesLenders, showPage, timesAsked, whoAsks } from './show.ts';
import type { Visit } from './visit.ts';

/** A row that compares has up to three numbers where another has one. */
const TOP = { alone: '100', compared: '50' };

/** `/borrowers` and `/lenders`: the largest of each currency; each leads to its own page. */
export async function partiesPage(deps: PageDeps, visit: Visit, kind: PartyKind): Promise<void> {
  const top = TOP[comparedTimes(visit) === undefined ? 'alone' : 'compared'];
  const asked = { ...timesAsked(visit), ...comparisonAsked(visit), groupBy: kind, top };
  const [groups, who] = await Promise.all([
    deps.api.read<Totals>(visit.asker, '/balances/totals', asked),
    whoAsks(deps, visit),
  ]);
  const then = comparedAnswer(visit, groups);
  const { roles } = who.data;
  const mayHaveSome = kind === 'borrower' || roles.length === 0 || seesLenders(roles);
  showPage(deps, visit, {
    title: (text) => text.t(`place.${kind}s`),
    place: `${kind}s`,
    who,
    meta: groups.meta,
    compares: true,
    answers: [groups],
    lists: (text) => (groups.data.length === 0 ? [] : [groupsHead(kind, text)]),
    body: (text) => [
      comparedWith(visit, then, groups.meta.dataFrom, text, { all: true }),
      groups.data.length === 0
        ? html`<div class="notice empty">${mayHaveSome ? nothingText(visit, undefined, text) : html`<p>${text.t('party.noLenders')}</p>`}</div>`
        : groupTable(visit, kind, groups, text.t('party.largest', { top }), text, then),
    ],
  });
}
