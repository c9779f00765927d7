import { html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';
import { type NameFormModel, nameForm } from './name-form.ts';

export function renameFactorPage(model: NameFormModel, i18n: I18n): string {
  return nameForm(
    model,
    {
      title: 'renameFactor.title',
      label: 'renameFactor.name',
      hint: 'addTotp.nameHint',
      attributes: html` autocomplete="off" maxlength="60" required`,
      submit: 'renameFactor.submit',
    },
    i18n,
  );
}
