import { type Html, html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';

/**
 * One plain sentence per permission. `permissions` are short names: what follows `/auth/` in an
 * API scope (`cls-deal.view`), or the OpenID scope itself (`email`). One that has no sentence yet
 * is named as it is, for a permission must never be hidden.
 */
export function permissionList(permissions: readonly string[], i18n: I18n): Html {
  const sentence = (name: string) => {
    const key = `permission.${name}`;
    return i18n.has(key) ? i18n.t(key) : i18n.t('permission.other', { name });
  };
  return html`<ul class="permissions">${permissions.map((name) => html`<li>${sentence(name)}</li>`)}</ul>`;
}
