import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { FORM_FIELDS } from '../../library/reliances/form-fields.ts';
import type { I18n } from '../../web/i18n.ts';
import {
  type Application,
  applicationName,
  cardPage,
  emailName,
  type NextLink,
  nextLinkHtml,
  type PageModel,
} from '../../web/layout.ts';

/** Sends `logout=yes` to `action`; `xsrf` is the provider's own token, when it wants one. */
export interface SignOutModel extends PageModel {
  readonly action: string;
  readonly xsrf?: string;
  readonly email?: string;
  /** Which application asked, if one did. */
  readonly application?: Application;
  readonly stayHref: string;
}

/** Asks first (RP-initiated logout §2): a link alone must not sign anybody out. */
export function signOutPage(model: SignOutModel, i18n: I18n): string {
  const { frame, action, xsrf, application, email } = model;
  const body = html`${
    application &&
    html`<p class="lead">${i18n.rich('signOut.asked', { application: applicationName(application) })}</p>\n`
  }<p>${email === undefined ? i18n.t('signOut.text') : i18n.rich('signOut.textFor', { email: emailName(email) })}</p>
${form(frame, {
  action,
  body: html`${xsrf !== undefined && html`<input type="hidden" name="${FORM_FIELDS.secret}" value="${xsrf}">\n`}<div class="pair"><a class="button" href="${model.stayHref}">${i18n.t('signOut.stay')}</a>
<button class="button primary" name="${FORM_FIELDS.signOut}" value="yes">${i18n.t('signOut.submit')}</button></div>`,
})}`;
  return cardPage(model, { title: i18n.t('signOut.title'), body }, i18n);
}

export interface SignedOutModel extends PageModel {
  readonly signInHref: string;
  readonly nextLink?: NextLink;
}

export function signedOutPage(model: SignedOutModel, i18n: I18n): string {
  const { signInHref, nextLink } = model;
  const body = html`<p class="lead">${i18n.t('signedOut.text')}</p>
${nextLink && nextLinkHtml(nextLink, i18n)}<p class="after"><a href="${signInHref}">${i18n.t('signedOut.again')}</a></p>`;
  return cardPage(model, { title: i18n.t('signedOut.title'), body }, i18n);
}
