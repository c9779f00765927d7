import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { submit } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';
import { type NameFormModel, nameForm } from './name-form.ts';

export interface NewSecretModel extends NameFormModel {
  /** Name of the service account. */
  readonly client: string;
}

export function newSecretPage(model: NewSecretModel, i18n: I18n): string {
  const client = html`<strong>${model.client}</strong>`;
  return nameForm(
    model,
    {
      title: 'newSecret.title',
      lead: html`<p class="lead">${i18n.rich('newSecret.lead', { client })}</p>\n`,
      label: 'newSecret.name',
      hint: 'newSecret.nameHint',
      attributes: html` autocomplete="off" maxlength="100" required`,
      submit: 'newSecret.submit',
    },
    i18n,
  );
}

/** How long an old secret is accepted beside the new one, in seconds. */
export const KEEP_FOR_S = { '0d': 0, '1d': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
export type KeepFor = keyof typeof KEEP_FOR_S;

export function isKeepFor(text: string): text is KeepFor {
  return Object.hasOwn(KEEP_FOR_S, text);
}

/** Sends `keep`. */
export interface ReplaceSecretModel extends Omit<NewSecretModel, 'problems'> {
  /** What is chosen to begin with. */
  readonly keepFor: KeepFor;
}

export function replaceSecretPage(model: ReplaceSecretModel, i18n: I18n): string {
  const { frame, action, client, name, keepFor, cancelHref } = model;
  const names = { name: html`<strong>${name}</strong>`, client: html`<strong>${client}</strong>` };
  const choices = Object.entries(KEEP_FOR_S).map(([value, seconds]) => {
    const label =
      seconds === 0
        ? i18n.t('replaceSecret.atOnce')
        : i18n.t('replaceSecret.in', { time: i18n.duration(seconds) });
    return html`<label class="check"><input type="radio" name="keep" value="${value}"${value === keepFor && html` checked`}> ${label}</label>\n`;
  });
  const body = html`<p class="lead">${i18n.rich('replaceSecret.lead', names)}</p>
${form(frame, {
  action,
  body: html`<fieldset>
<legend>${i18n.t('replaceSecret.keep')}</legend>
${choices}</fieldset>
<p class="hint">${i18n.t('replaceSecret.hint')}</p>
${submit(i18n.t('replaceSecret.submit'))}`,
})}
<p class="after"><a href="${cancelHref}">${i18n.t('form.cancel')}</a></p>`;
  return cardPage(model, { title: i18n.t('replaceSecret.title'), body }, i18n);
}

/** A new secret, shown this once. */
export interface ShownSecretModel extends PageModel {
  readonly client: string;
  readonly clientId: string;
  readonly secretId: string;
  readonly secret: string;
  readonly doneHref: string;
}

export function shownSecretPage(model: ShownSecretModel, i18n: I18n): string {
  const { client, clientId, secretId, secret, doneHref } = model;
  const body = html`<p class="lead">${i18n.rich('shownSecret.lead', { client: html`<strong>${client}</strong>` })}</p>
<h2>${i18n.t('shownSecret.secret')}</h2>
<p class="key"><code id="secret">${secret}</code></p>
<div class="buttons"><button type="button" class="button" hidden data-copy="secret" data-done="${i18n.t('form.copied')}">${i18n.t('shownSecret.copy')}</button></div>
<p>${i18n.t('integrations.clientId')}<br><code>${clientId}</code></p>
<p class="hint">${i18n.t('shownSecret.id')} <code>${secretId}</code></p>
<p class="hint">${i18n.t('shownSecret.keep')}</p>
<p><a class="button primary wide" href="${doneHref}">${i18n.t('shownSecret.done')}</a></p>`;
  return cardPage(model, { title: i18n.t('shownSecret.title'), body }, i18n);
}
