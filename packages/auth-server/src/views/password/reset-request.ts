import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { field, type Problem, submit } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, contactLine, emailName, type PageModel } from '../../web/layout.ts';

/** Sends `email`. */
export interface ResetRequestModel extends PageModel {
  readonly action: string;
  readonly email?: string;
  readonly signInHref: string;
  readonly problems: readonly Problem<'email'>[];
}

export function resetRequestPage(model: ResetRequestModel, i18n: I18n): string {
  const { frame, action, email, problems } = model;
  const body = html`<p class="lead">${i18n.t('resetRequest.lead')}</p>
${form(frame, {
  action,
  body: html`${field(
    {
      name: 'email',
      label: i18n.t('form.email'),
      ...(email !== undefined && { value: email }),
      attributes: html` type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required${problems.length === 0 && html` autofocus`}`,
      problems,
    },
    i18n,
  )}
${submit(i18n.t('resetRequest.submit'))}`,
})}
${contactLine(model.frame, i18n)}
<p class="after"><a href="${model.signInHref}">${i18n.t('form.backToSignIn')}</a></p>`;
  return cardPage(model, { title: i18n.t('resetRequest.title'), problems, body }, i18n);
}

export interface ResetSentModel extends PageModel {
  readonly email: string;
  /** How long the link in the message works. */
  readonly validForS: number;
  readonly requestHref: string;
  readonly signInHref: string;
}

/** The same page whether the account exists or not. */
export function resetSentPage(model: ResetSentModel, i18n: I18n): string {
  const { email, validForS } = model;
  const values = { email: emailName(email), time: i18n.duration(validForS) };
  const body = html`<p class="lead">${i18n.rich('resetSent.text', values)}</p>
<p>${i18n.rich('resetSent.nothing', {
    link: html`<a href="${model.requestHref}">${i18n.t('resetSent.again')}</a>`,
  })}</p>
${contactLine(model.frame, i18n)}
<p class="after"><a href="${model.signInHref}">${i18n.t('form.backToSignIn')}</a></p>`;
  return cardPage(model, { title: i18n.t('resetSent.title'), body }, i18n);
}
