import { type Html, html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';

/** What is about to be done, and to what. */
export type ConfirmedAction =
  | { readonly kind: 'remove_factor'; readonly name: string; readonly last: boolean }
  | {
      readonly kind:
        | 'withdraw_access'
        | 'revoke_secret'
        | 'revoke_used_secret'
        | 'secret_leaked'
        | 'secret_leaked_operator';
      readonly name: string;
    }
  | { readonly kind: 'first_recovery_codes' | 'new_recovery_codes' };

/** Asks before something that cannot be undone. Sends `confirm=yes`. */
export interface ConfirmationModel extends PageModel {
  readonly subject: ConfirmedAction;
  readonly action: string;
  readonly cancelHref: string;
}

export function confirmationPage(model: ConfirmationModel, i18n: I18n): string {
  const { frame, subject, action, cancelHref } = model;
  const name: Html = html`<strong>${'name' in subject && subject.name}</strong>`;
  const last = subject.kind === 'remove_factor' && subject.last;
  const body = html`<p class="lead">${i18n.rich(`confirmation.${subject.kind}.text`, { name })}</p>
${last && html`<p class="notice warn">${i18n.t('confirmation.remove_factor.last')}</p>\n`}${form(
  frame,
  {
    action,
    body: html`<div class="pair"><a class="button" href="${cancelHref}">${i18n.t('form.cancel')}</a>
<button class="button danger" name="confirm" value="yes">${i18n.t(`confirmation.${subject.kind}.submit`)}</button></div>`,
  },
)}`;
  return cardPage(model, { title: i18n.t(`confirmation.${subject.kind}.title`), body }, i18n);
}
