import { html } from '../../web/html.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, emailName, type PageModel } from '../../web/layout.ts';
import { type ChallengeModel, challengeForm } from './challenge.ts';

/** The second step of signing in; `cancelHref` leads back to sign-in as somebody else. */
export interface SecondFactorModel extends PageModel, ChallengeModel {
  readonly cancelHref: string;
}

export function secondFactorPage(model: SecondFactorModel, i18n: I18n): string {
  const { email, problems, challenge, cancelHref } = model;
  const body = html`<p class="lead">${i18n.rich('secondFactor.lead', { email: emailName(email) })} <a href="${cancelHref}">${i18n.t('secondFactor.notYou')}</a></p>
${challengeForm(model, i18n.t('secondFactor.submit'), i18n)}`;
  const passkeys = challenge.method === 'passkey';
  return cardPage(model, { title: i18n.t('secondFactor.title'), problems, body, passkeys }, i18n);
}
