import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import {
  newPasswordField,
  type Problem,
  submit,
  usernameForPasswordManagers,
} from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, emailName, type PageModel } from '../../web/layout.ts';

/** Sends `new_password`. The second factor is still asked for afterwards. */
export interface SetPasswordModel extends PageModel {
  readonly action: string;
  readonly email: string;
  /** In characters, as Unicode code points. */
  readonly lengthMin: number;
  readonly problems: readonly Problem<'new_password'>[];
}

export function setPasswordPage(model: SetPasswordModel, i18n: I18n): string {
  const { frame, action, email, lengthMin, problems } = model;
  const body = html`<p class="lead">${i18n.rich('setPassword.lead', { email: emailName(email) })}</p>
${form(frame, {
  action,
  body: html`${usernameForPasswordManagers(email)}
${newPasswordField(lengthMin, problems, i18n, problems.length === 0)}
${submit(i18n.t('setPassword.submit'))}`,
})}
<p class="hint">${i18n.t('setPassword.after')}</p>`;
  return cardPage(model, { title: i18n.t('setPassword.title'), problems, body }, i18n);
}

/** Sends `new_password`; an offer of a second factor follows (`enrolFactorPage`). */
export interface InvitationModel extends SetPasswordModel {
  readonly organisation: string;
  readonly expiresAt: Date;
}

export function invitationPage(model: InvitationModel, i18n: I18n): string {
  const { frame, action, email, organisation, lengthMin, problems } = model;
  const values = {
    organisation: html`<strong>${organisation}</strong>`,
    email: emailName(email),
  };
  const body = html`<p class="lead">${i18n.rich('invitation.lead', values)}</p>
${form(frame, {
  action,
  body: html`${usernameForPasswordManagers(email)}
${newPasswordField(lengthMin, problems, i18n, problems.length === 0)}
${submit(i18n.t('invitation.submit'))}`,
})}
<p class="hint">${i18n.t('invitation.until', { date: i18n.dateTime(model.expiresAt) })}</p>`;
  return cardPage(model, { title: i18n.t('invitation.title'), problems, body }, i18n);
}
