import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import type { I18n } from '../../web/i18n.ts';
import {
  type Application,
  applicationLinks,
  applicationName,
  besideLogo,
  cardPage,
  emailName,
  type PageModel,
} from '../../web/layout.ts';
import { permissionList } from './permissions.ts';

/** Sends `decision`: `allow` or `deny`. */
export interface ConsentModel extends PageModel {
  readonly action: string;
  readonly application: Application;
  /** Nothing proves which application asks: only the person can tell. */
  readonly unassured?: boolean;
  /** Host that either answer leads to; absent where the person continues at a second device. */
  readonly backTo?: string;
  readonly email: string;
  /** Short names of what is asked; see `permissionList`. */
  readonly permissions: readonly string[];
  /** Where access is withdrawn later. */
  readonly applicationsHref: string;
}

/**
 * Asked of third-party applications, and of every one on a person's own device. Neither answer is easier to reach than the other.
 */
export function consentPage(model: ConsentModel, i18n: I18n): string {
  const { frame, action, application, backTo, permissions } = model;
  const who = html`<strong>${application.name}</strong>`;
  const lead = html`<p class="lead">${i18n.rich('consent.lead', { application: applicationName(application) })}</p>`;
  const body = html`${besideLogo(application, lead)}
<p>${i18n.rich('consent.account', { email: emailName(model.email) })}</p>
${model.unassured === true && html`<p>${i18n.rich('consent.unassured', { application: who })}</p>\n`}<h2>${i18n.rich('consent.may', { application: who })}</h2>
${permissionList(permissions, i18n)}
${applicationLinks(application, i18n)}<p class="hint">${i18n.rich('consent.later', {
    link: html`<a href="${model.applicationsHref}">${i18n.t('consent.laterLink')}</a>`,
  })}</p>
${form(frame, {
  action,
  body: html`<div class="pair"><button class="button" name="decision" value="deny">${i18n.t('consent.deny')}</button>
<button class="button" name="decision" value="allow">${i18n.t('consent.allow')}</button></div>`,
})}
<p class="hint">${backTo === undefined ? i18n.t('consent.nextOnDevice') : i18n.t('consent.next', { host: backTo })}</p>`;
  return cardPage(model, { title: i18n.t('consent.title'), body }, i18n);
}
