import { type Html, html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { field, type Problem, submit } from '../../web/form.ts';
import type { I18n, MessageKey } from '../../web/i18n.ts';
import { cardPage, type PageModel } from '../../web/layout.ts';

/** A page with one name to fill in. Sends `name`. */
export interface NameFormModel extends PageModel {
  readonly action: string;
  readonly name: string;
  readonly cancelHref: string;
  readonly problems: readonly Problem<'name'>[];
}

interface Words {
  readonly title: MessageKey;
  readonly lead?: Html;
  readonly label: MessageKey;
  readonly hint: MessageKey;
  readonly submit: MessageKey;
  /** Of the input, such as its longest length. */
  readonly attributes: Html;
}

export function nameForm(model: NameFormModel, words: Words, i18n: I18n): string {
  const { frame, action, name: value, cancelHref, problems } = model;
  const focus = problems.length === 0 && html` autofocus`;
  const input = field(
    {
      ...{ name: 'name', label: i18n.t(words.label), hint: i18n.t(words.hint), value, problems },
      attributes: html` type="text"${words.attributes}${focus}`,
    },
    i18n,
  );
  const body = html`${words.lead}${form(frame, { action, body: html`${input}\n${submit(i18n.t(words.submit))}` })}
<p class="after"><a href="${cancelHref}">${i18n.t('form.cancel')}</a></p>`;
  return cardPage(model, { title: i18n.t(words.title), problems, body }, i18n);
}
