import { html } from '../../web/html.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, emailName, type PageModel, type WayOn, wayOnLink } from '../../web/layout.ts';

/** After a password was set by a link, which signs nobody in. */
export interface PasswordSetModel extends PageModel {
  readonly wayOn: WayOn;
  /** Who is signed in in this browser, and has to leave first. */
  readonly signedInEmail?: string;
}

export function passwordSetPage(model: PasswordSetModel, i18n: I18n): string {
  const { wayOn, signedInEmail: email } = model;
  const body = html`<p class="lead">${i18n.t('passwordSet.text')}</p>
${email !== undefined && html`<p>${i18n.rich('passwordSet.signOutFirst', { email: emailName(email) })}</p>\n`}${wayOnLink(wayOn, i18n)}`;
  return cardPage(model, { title: i18n.t('passwordSet.title'), body }, i18n);
}
