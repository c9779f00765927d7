import { html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';

/** Demands that an account without a second factor sets one up. */
export interface EnrolFactorModel extends PageModel {
  /** Who demands it: `MFA_POLICY`, or `acr_values` of the application's request. */
  readonly because: 'policy' | 'application';
  readonly totpHref: string;
  readonly passkeyHref: string;
  /** Leaves the sign-in, back to the application. */
  readonly cancelHref: string;
}

export function enrolFactorPage(model: EnrolFactorModel, i18n: I18n): string {
  const choice = (method: 'passkey' | 'totp', href: string) => html`<li><a href="${href}">
<strong>${i18n.t(`enrolFactor.${method}`)}</strong>
<span>${i18n.t(`enrolFactor.${method}Text`)}</span></a></li>`;
  const body = html`<p class="lead">${i18n.t(`enrolFactor.because.${model.because}`)}</p>
<ul class="choices">
${choice('passkey', model.passkeyHref)}
${choice('totp', model.totpHref)}
</ul>
<p class="after"><a href="${model.cancelHref}">${i18n.t('form.cancel')}</a></p>`;
  return cardPage(model, { title: i18n.t('enrolFactor.title'), body }, i18n);
}
