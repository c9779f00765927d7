import { html } from '../html.ts';
import type { I18n } from '../i18n.ts';
import { cardPage, type PageModel } from '../layout.ts';

/** After a password was set by a link: the person signs in with it wherever they need to. */
export function passwordSetPage(model: PageModel, i18n: I18n): string {
  const body = html`<p class="lead" role="status">${i18n.t('signIn.notice.password_set')}</p>`;
  return cardPage(model, { title: i18n.t('setPassword.title'), body }, i18n);
}
