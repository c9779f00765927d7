import { html } from '@cls/shared/http/html';
import type { I18n, KeyAfter } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';
import { type ChallengeModel, challengeForm } from './challenge.ts';

/** A fresh proof before something sensitive; `reason` says before what. */
export interface StepUpModel extends PageModel, ChallengeModel {
  readonly reason: KeyAfter<'stepUp.reason.'>;
  readonly cancelHref: string;
}

export function stepUpPage(model: StepUpModel, i18n: I18n): string {
  const { problems, challenge, reason, cancelHref } = model;
  const body = html`<p class="lead">${i18n.t(`stepUp.reason.${reason}`)}</p>
${challengeForm(model, i18n.t('stepUp.submit'), i18n)}
<p class="after"><a href="${cancelHref}">${i18n.t('form.cancel')}</a></p>`;
  const passkeys = challenge.method === 'passkey';
  return cardPage(model, { title: i18n.t('stepUp.title'), problems, body, passkeys }, i18n);
}
