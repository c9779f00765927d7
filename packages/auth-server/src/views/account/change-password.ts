import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import {
  newPasswordField,
  type Problem,
  passwordField,
  submit,
  usernameForPasswordManagers,
} from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { type AccountModel, accountPage } from './account-page.ts';

/** Sends `password` (the present one) and `new_password`. */
export interface ChangePasswordModel extends AccountModel {
  readonly action: string;
  readonly lengthMin: number;
  readonly resetHref: string;
  readonly problems: readonly Problem<'password' | 'new_password'>[];
}

export function changePasswordPage(model: ChangePasswordModel, i18n: I18n): string {
  const { frame, action, email, lengthMin, problems } = model;
  const current = passwordField(
    {
      name: 'password',
      label: i18n.t('changePassword.current'),
      attributes: html` autocomplete="current-password" required`,
      problems,
    },
    i18n,
  );
  const body = html`<section class="box narrow">
${form(frame, {
  action,
  body: html`${usernameForPasswordManagers(email)}
${current}
<p class="end"><a href="${model.resetHref}">${i18n.t('signIn.forgot')}</a></p>
${newPasswordField(lengthMin, problems, i18n)}
<p class="hint">${i18n.t('changePassword.effect')}</p>
${submit(i18n.t('changePassword.submit'))}`,
})}
</section>`;
  const title = i18n.t('changePassword.title');
  return accountPage(model, { place: 'password', title, problems, body }, i18n);
}
