import { html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';
import { type NameFormModel, nameForm } from './name-form.ts';

export function changeNamePage(model: NameFormModel, i18n: I18n): string {
  return nameForm(
    model,
    {
      title: 'changeName.title',
      label: 'changeName.name',
      hint: 'changeName.hint',
      attributes: html` autocomplete="name" maxlength="100"`,
      submit: 'changeName.submit',
    },
    i18n,
  );
}
