import { html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';
import {
  cardPage,
  emailName,
  type NextLink,
  nextLinkHtml,
  type PageModel,
} from '../../web/layout.ts';

/** After a password was set by a link, which signs nobody in. */
export interface PasswordSetModel extends PageModel {
  readonly nextLink: NextLink;
  /** Who is signed in in this browser, and has to leave first. */
  readonly signedInEmail?: string;
}

export function passwordSetPage(model: PasswordSetModel, i18n: I18n): string {
  const { nextLink, signedInEmail: email } = model;
  const body = html`<p class="lead">${i18n.t('passwordSet.text')}</p>
${email !== undefined && html`<p>${i18n.rich('passwordSet.signOutFirst', { email: emailName(email) })}</p>\n`}${nextLinkHtml(nextLink, i18n)}`;
  return cardPage(model, { title: i18n.t('passwordSet.title'), body }, i18n);
}
