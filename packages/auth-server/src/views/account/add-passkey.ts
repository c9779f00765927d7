import { html } from '@cls/shared/http/html';
import { field, type Problem, passkeyForm } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';

/** Sends `credential` and `name`. `options` is `PublicKeyCredentialCreationOptionsJSON`. */
export interface AddPasskeyModel extends PageModel {
  readonly action: string;
  readonly options: object;
  readonly name?: string;
  readonly cancelHref: string;
  readonly problems: readonly Problem<'name'>[];
}

export function addPasskeyPage(model: AddPasskeyModel, i18n: I18n): string {
  const { frame, action, options, name, problems } = model;
  const fields = field(
    {
      name: 'name',
      label: i18n.t('addPasskey.name'),
      hint: i18n.t('addPasskey.nameHint'),
      ...(name !== undefined && { value: name }),
      attributes: html` type="text" autocomplete="off" maxlength="60" required`,
      problems,
    },
    i18n,
  );
  const label = i18n.t('addPasskey.submit');
  const body = html`<p class="lead">${i18n.t('addPasskey.lead')}</p>
${passkeyForm(frame, { ceremony: 'create', action, options, label, primary: true, fields }, i18n)}
<p class="after"><a href="${model.cancelHref}">${i18n.t('form.cancel')}</a></p>`;
  const title = i18n.t('addPasskey.title');
  return cardPage(model, { title, problems, body, passkeys: true }, i18n);
}
