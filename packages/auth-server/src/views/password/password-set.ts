import { html } from '../html.ts';
import type { I18n } from '../i18n.ts';
import { cardPage, type PageModel, wayOnLink } from '../layout.ts';

/** After a password was set by a link, which signs nobody in. */
export interface PasswordSetModel extends PageModel {
  readonly signInHref: string;
}

export function passwordSetPage(model: PasswordSetModel, i18n: I18n): string {
  const body = html`<p class="lead">${i18n.t('passwordSet.text')}</p>
${wayOnLink({ to: 'sign_in', href: model.signInHref }, i18n)}`;
  return cardPage(model, { title: i18n.t('passwordSet.title'), body }, i18n);
}
