import { type Html, html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';
import { breakableEmail } from '../../web/layout.ts';
import { type AccountModel, accountPage, instant } from './account-page.ts';
import { permissionCodes } from './integrations.ts';

export interface Person {
  readonly email: string;
  readonly name?: string;
  readonly permissions: readonly string[];
  readonly secondFactor: boolean;
  readonly disabled: boolean;
  readonly pending: boolean;
  readonly lastSignedInAt?: Date;
}

export interface PeopleModel extends AccountModel {
  readonly people: readonly Person[];
  readonly moreHref?: string | undefined;
}

/** The people of the reader's organisation. */
export function peoplePage(model: PeopleModel, i18n: I18n): string {
  const { people, moreHref, hrefs } = model;
  const body = html`<p class="lead">${i18n.t('people.lead')}</p>
<section class="box">
<ul class="records">${people.map((person) => record(person, i18n))}</ul>
</section>
<div class="buttons"><a class="button" href="${hrefs.integrations}">${i18n.t('integrations.back')}</a>
${moreHref !== undefined && html`<a class="button" href="${moreHref}" rel="next">${i18n.t('people.more')}</a>`}</div>`;
  const title = i18n.t('people.title');
  return accountPage(model, { place: 'integrations', title, body }, i18n);
}

function record(person: Person, i18n: I18n): Html {
  const {
    email,
    name,
    permissions,
    secondFactor,
    disabled,
    pending,
    lastSignedInAt: last,
  } = person;
  const state = disabled ? 'disabled' : pending ? 'invited' : undefined;
  return html`<li>
<div><h2>${name ?? breakableEmail(email)}${state && html` <span class="tag">${i18n.t(`people.${state}`)}</span>`}</h2>
${name !== undefined && html`<p>${breakableEmail(email)}</p>\n`}<p class="hint">${permissionCodes(permissions)}</p>
<p class="hint">${i18n.t(secondFactor ? 'people.secondFactor' : 'people.noSecondFactor')} · ${last === undefined ? i18n.t('people.neverSignedIn') : i18n.rich('people.lastSignIn', { at: instant(last, i18n) })}</p></div>
</li>`;
}
