import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { field, type Problem, submit } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';

/** Asks for the e-mail address whose domain names the organisation. Sends `email`. */
export interface OrganisationModel extends PageModel {
  readonly action: string;
  readonly email?: string;
  readonly signInHref: string;
  readonly problems: readonly Problem<'email'>[];
}

export function organisationPage(model: OrganisationModel, i18n: I18n): string {
  const { frame, action, email, problems } = model;
  const body = html`<p class="lead">${i18n.t('organisation.lead')}</p>
${form(frame, {
  action,
  body: html`${field(
    {
      name: 'email',
      label: i18n.t('form.workEmail'),
      ...(email !== undefined && { value: email }),
      attributes: html` type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required${problems.length === 0 && html` autofocus`}`,
      problems,
    },
    i18n,
  )}
${submit(i18n.t('form.continue'))}`,
})}
<p class="after"><a href="${model.signInHref}">${i18n.t('organisation.back')}</a></p>`;
  return cardPage(model, { title: i18n.t('organisation.title'), problems, body }, i18n);
}
