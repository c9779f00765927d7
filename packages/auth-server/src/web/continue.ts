import { type Html, html } from '@cls/shared/http/html';
import type { I18n } from './i18n.ts';
import { cardPage, type PageModel } from './layout.ts';

/** A form that a protocol sends on through the browser, with nothing to fill in. */
export interface ContinueModel extends PageModel {
  readonly action: string;
  /** Names and values, and nothing else: the form may go to an application. */
  readonly fields: readonly (readonly [string, string])[];
}

/** Continues by itself where scripts run. */
export function continuePage(model: ContinueModel, i18n: I18n): string {
  const inputs = model.fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  );
  const way = html`<form method="post" action="${model.action}" data-submit-now>
${inputs}<button class="button wide primary" autofocus>${i18n.t('continue.submit')}</button>
</form>`;
  return pageAround(model, way, i18n);
}

/** Where a browser goes by itself, by its answer's header. */
export interface RefreshRedirectModel extends PageModel {
  readonly href: string;
}

export function refreshRedirectPage(model: RefreshRedirectModel, i18n: I18n): string {
  const label = i18n.t('continue.submit');
  const way = html`<p><a class="button wide primary" href="${model.href}">${label}</a></p>`;
  return pageAround(model, way, i18n);
}

function pageAround(model: PageModel, way: Html, i18n: I18n): string {
  const body = html`<p class="lead">${i18n.t('continue.text')}</p>
${way}`;
  return cardPage(model, { title: i18n.t('continue.title'), body }, i18n);
}
