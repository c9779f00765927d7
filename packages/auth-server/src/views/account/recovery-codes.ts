import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { fieldProblem, type Problem, submit } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';

/** New codes, shown this once. Sends `saved=yes`. */
export interface RecoveryCodesModel extends PageModel {
  readonly action: string;
  readonly email: string;
  readonly codes: readonly string[];
  readonly createdAt: Date;
  readonly problems: readonly Problem<'saved'>[];
}

export function recoveryCodesPage(model: RecoveryCodesModel, i18n: I18n): string {
  const { frame, action, email, codes, createdAt, problems } = model;
  const failed = problems.some(({ field }) => field === 'saved');
  const done = i18n.t('form.copied');
  const body = html`<p class="lead">${i18n.t('recoveryCodes.lead')}</p>
<p class="printed">${i18n.t('recoveryCodes.for', { email, date: i18n.date(createdAt) })}</p>
<ul class="codes" id="codes">${codes.map((code) => html`<li><code>${code}</code></li>\n`)}</ul>
<div class="buttons">
<button type="button" class="button" hidden data-download="codes" data-filename="${i18n.t('recoveryCodes.file')}" data-heading="${i18n.t('recoveryCodes.for', { email, date: i18n.date(createdAt) })}">${i18n.t('recoveryCodes.download')}</button>
<button type="button" class="button" hidden data-print>${i18n.t('recoveryCodes.print')}</button>
<button type="button" class="button" hidden data-copy="codes" data-done="${done}">${i18n.t('recoveryCodes.copy')}</button>
</div>
<p class="hint">${i18n.t('recoveryCodes.keep')}</p>
${form(frame, {
  action,
  body: html`${fieldProblem('saved', problems, i18n)}<label class="check"><input type="checkbox" id="saved" name="saved" value="yes" required${failed && html` aria-invalid="true" autofocus aria-describedby="saved-problem"`}> ${i18n.t('recoveryCodes.saved')}</label>
${submit(i18n.t('form.continue'))}`,
})}`;
  return cardPage(model, { title: i18n.t('recoveryCodes.title'), problems, body }, i18n);
}
