import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { field, type Problem, submit } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';

/** Sends `name`. */
export interface ChangeNameModel extends PageModel {
  readonly action: string;
  readonly name: string;
  readonly cancelHref: string;
  readonly problems: readonly Problem<'name'>[];
}

export function changeNamePage(model: ChangeNameModel, i18n: I18n): string {
  const { frame, action, name, cancelHref, problems } = model;
  const body = html`${form(frame, {
    action,
    body: html`${field(
      {
        name: 'name',
        label: i18n.t('changeName.name'),
        hint: i18n.t('changeName.hint'),
        value: name,
        attributes: html` type="text" autocomplete="name" maxlength="100"${problems.length === 0 && html` autofocus`}`,
        problems,
      },
      i18n,
    )}
${submit(i18n.t('changeName.submit'))}`,
  })}
<p class="after"><a href="${cancelHref}">${i18n.t('form.cancel')}</a></p>`;
  return cardPage(model, { title: i18n.t('changeName.title'), problems, body }, i18n);
}
