import { html } from '@cls/shared/http/html';
import type { Totals } from '../balances/shapes.ts';
import { comparedAnswer, comparedWith, comparisonAsked } from './compare.ts';
import { nothingText } from './not-yet.ts';
import type { PartyKind } from './party.ts';
import { groupTable } from './portfolio.ts';
import { type PageDeps, showPage, timesAsked, whoAsks } from './show.ts';
import type { Visit } from './visit.ts';

const TOP = '100';

/** `/borrowers` and `/lenders`: the largest of each currency; each leads to its own page. */
export async function partiesPage(deps: PageDeps, visit: Visit, kind: PartyKind): Promise<void> {
  const asked = { ...timesAsked(visit), ...comparisonAsked(visit), groupBy: kind, top: TOP };
  const [groups, who] = await Promise.all([
    deps.api.read<Totals>(visit.asker, '/balances/totals', asked),
    whoAsks(deps, visit),
  ]);
  const then = comparedAnswer(visit, groups);
  showPage(deps, visit, {
    title: (text) => text.t(`place.${kind}s`),
    place: `${kind}s`,
    who,
    meta: groups.meta,
    compares: true,
    answers: [groups],
    body: (text) => [
      comparedWith(visit, then, groups.meta.dataFrom, text, { all: true }),
      groups.data.length === 0
        ? html`<div class="notice empty">${nothingText(visit, undefined, text)}</div>`
        : groupTable(visit, kind, groups, text.t('party.largest', { top: TOP }), text, then),
    ],
  });
}
