import { form } from '../form.ts';
import { html } from '../html.ts';
import type { I18n } from '../i18n.ts';
import { cardPage, type PageModel } from '../layout.ts';

/**
 * Offers a second factor after an invitation, or demands one before going on (`MFA_POLICY` is
 * `required`): then there is no `skipAction`.
 */
export interface EnrolFactorModel extends PageModel {
  readonly totpHref: string;
  readonly passkeyHref: string;
  /** Takes an empty form: not now. */
  readonly skipAction?: string;
  /** Leaves the sign-in; shown where it cannot be skipped. */
  readonly cancelHref: string;
}

export function enrolFactorPage(model: EnrolFactorModel, i18n: I18n): string {
  const { frame, skipAction } = model;
  const required = skipAction === undefined;
  const choice = (method: 'passkey' | 'totp', href: string) => html`<li><a href="${href}">
<strong>${i18n.t(`enrolFactor.${method}`)}</strong>
<span>${i18n.t(`enrolFactor.${method}Text`)}</span></a></li>`;
  const body = html`<p class="lead">${i18n.t(required ? 'enrolFactor.required' : 'enrolFactor.offered')}</p>
<ul class="choices">
${choice('passkey', model.passkeyHref)}
${choice('totp', model.totpHref)}
</ul>
${
  required
    ? html`<p class="after"><a href="${model.cancelHref}">${i18n.t('enrolFactor.cancel')}</a></p>`
    : form(frame, {
        action: skipAction,
        body: html`<button class="button wide">${i18n.t('enrolFactor.skip')}</button>`,
      })
}`;
  return cardPage(model, { title: i18n.t('enrolFactor.title'), body }, i18n);
}
