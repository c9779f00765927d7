import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { field, type Problem, submit } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';

/** Sends `name`. */
export interface RenameFactorModel extends PageModel {
  readonly action: string;
  readonly name: string;
  readonly cancelHref: string;
  readonly problems: readonly Problem<'name'>[];
}

export function renameFactorPage(model: RenameFactorModel, i18n: I18n): string {
  const { frame, action, name, cancelHref, problems } = model;
  const body = html`${form(frame, {
    action,
    body: html`${field(
      {
        name: 'name',
        label: i18n.t('renameFactor.name'),
        hint: i18n.t('addTotp.nameHint'),
        value: name,
        attributes: html` type="text" autocomplete="off" maxlength="60" required${problems.length === 0 && html` autofocus`}`,
        problems,
      },
      i18n,
    )}
${submit(i18n.t('renameFactor.submit'))}`,
  })}
<p class="after"><a href="${cancelHref}">${i18n.t('form.cancel')}</a></p>`;
  return cardPage(model, { title: i18n.t('renameFactor.title'), problems, body }, i18n);
}
