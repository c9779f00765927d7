import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { codeField, field, type Problem, submit } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';
import { qrCode } from '../qr-code.ts';

/**
 * Sends `code` and `name`. The secret stays with the server; only the code comes back. Reached
 * from the account area and, under `MFA_POLICY=required`, in the middle of signing in.
 */
export interface AddTotpModel extends PageModel {
  readonly action: string;
  /** Base32, for typing by hand. */
  readonly secret: string;
  /** `otpauth://totp/…` */
  readonly uri: string;
  readonly name?: string;
  readonly cancelHref: string;
  readonly problems: readonly Problem<'code' | 'name'>[];
}

export function addTotpPage(model: AddTotpModel, i18n: I18n): string {
  const { frame, action, secret, uri, name, problems } = model;
  const groups = secret.match(/.{1,4}/g)?.join(' ') ?? '';
  const body = html`<ol class="steps">
<li><h2>${i18n.t('addTotp.scan')}</h2>
<p>${i18n.t('addTotp.scanText')}</p>
${qrCode(uri, i18n.t('addTotp.qr'))}
<p><a href="${uri}">${i18n.t('addTotp.open')}</a></p>
<details><summary>${i18n.t('addTotp.manual')}</summary>
<p>${i18n.t('addTotp.manualText')}</p>
<p class="key"><code id="secret">${groups}</code></p>
<button type="button" class="button" hidden data-copy="secret" data-done="${i18n.t('form.copied')}">${i18n.t('addTotp.copy')}</button>
</details></li>
<li><h2>${i18n.t('addTotp.confirm')}</h2>
${form(frame, {
  action,
  body: html`${codeField(i18n.t('addTotp.codeHint'), false, problems, i18n)}
${field(
  {
    name: 'name',
    label: i18n.t('addTotp.name'),
    hint: i18n.t('addTotp.nameHint'),
    value: name ?? i18n.t('addTotp.nameDefault'),
    attributes: html` type="text" autocomplete="off" maxlength="60" required`,
    problems,
  },
  i18n,
)}
${submit(i18n.t('addTotp.submit'))}`,
})}</li>
</ol>
<p class="after"><a href="${model.cancelHref}">${i18n.t('form.cancel')}</a></p>`;
  return cardPage(model, { title: i18n.t('addTotp.title'), problems, body }, i18n);
}
