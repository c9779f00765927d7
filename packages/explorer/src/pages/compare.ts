import { type Html, html } from '@cls/shared/http/html';
import { sameWith } from '../web/address.ts';
import type { Text } from '../web/text.ts';
import type { Times, Visit } from './visit.ts';

const NAMES = ['cmpAsOf', 'cmpKnownAt'] as const;

/** The times that the address compares with; what it leaves out is as now. */
export function comparedTimes({ query, times }: Visit): Times | undefined {
  const [asOf, knownAt] = NAMES.map((name) => query.get(name));
  if (asOf == null && knownAt == null) return undefined;
  return { asOf: asOf ?? times.asOf, knownAt: knownAt ?? times.knownAt };
}

/** The same page, compared with the same date as it was known then. */
export function compareAddress({ ctx, query }: Visit, knownAt: string): string {
  return sameWith(ctx.path, query, { cmpAsOf: undefined, cmpKnownAt: knownAt });
}

export function compareForm({ ctx, query }: Visit, text: Text): Html {
  const kept = [...query].filter(([name]) => !NAMES.some((one) => one === name) && name !== 'lang');
  const hidden = kept.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const [asOf, knownAt] = NAMES.map((name) => query.get(name) ?? '');
  return html`<details class="filters"${(asOf !== '' || knownAt !== '') && html` open`}><summary>${text.t('compare.title')}</summary>
<form method="get" action="${ctx.path}">${hidden}
<label>${text.t('time.asOf')} <input type="date" name="cmpAsOf" value="${asOf}"></label>
<label>${text.t('time.knownAt')} <input type="text" name="cmpKnownAt" value="${knownAt}" size="27" maxlength="40" spellcheck="false"></label>
<button class="button">${text.t('compare.show')}</button></form></details>`;
}

/** With what the page compares, and the way back. */
export function comparedWith({ asOf, knownAt }: Times, wasThere: boolean, text: Text): Html {
  const values = { asOf: text.date(asOf), knownAt };
  return html`<p class="notice" role="status">${text.t('compare.with', values)}${!wasThere && html` ${text.t('compare.absent')}`}</p>`;
}
