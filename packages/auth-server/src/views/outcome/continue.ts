import { html } from '../html.ts';
import type { I18n } from '../i18n.ts';
import { cardPage, type PageModel } from '../layout.ts';

/** A form that a protocol sends on through the browser, with nothing to fill in. */
export interface ContinueModel extends PageModel {
  readonly action: string;
  /** Names and values, and nothing else: the form may go to an application. */
  readonly fields: readonly (readonly [string, string])[];
}

/** Goes on by itself where scripts run. */
export function continuePage(model: ContinueModel, i18n: I18n): string {
  const inputs = model.fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  );
  const body = html`<p class="lead">${i18n.t('continue.text')}</p>
<form method="post" action="${model.action}" data-submit-now>
${inputs}<button class="button wide primary" autofocus>${i18n.t('continue.submit')}</button>
</form>`;
  return cardPage(model, { title: i18n.t('continue.title'), body }, i18n);
}
