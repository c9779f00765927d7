import { type Html, html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';
import { type Application, besideLogo } from '../../web/layout.ts';
import { permissionList } from '../authorization/permissions.ts';
import { type AccountModel, accountPage, instant, lastUsed } from './account-page.ts';

export interface ApplicationWithAccess extends Application {
  /** Short names; see `permissionList`. */
  readonly permissions: readonly string[];
  readonly since: Date;
  readonly lastUsedAt?: Date;
  /** Absent where the application has no page to open. */
  readonly openHref?: string | undefined;
  /** Asks before it withdraws. */
  readonly withdrawHref: string;
}

export interface ApplicationsModel extends AccountModel {
  readonly applications: readonly ApplicationWithAccess[];
}

export function applicationsPage(model: ApplicationsModel, i18n: I18n): string {
  const { applications } = model;
  const body = html`<p class="lead">${i18n.t('applications.lead')}</p>
<section class="box">
${
  applications.length === 0
    ? html`<p class="empty">${i18n.t('applications.none')}</p>`
    : html`<ul class="records">${applications.map((each) => record(each, i18n))}</ul>`
}
</section>`;
  const title = i18n.t('place.applications');
  return accountPage(model, { place: 'applications', title, body }, i18n);
}

function record(application: ApplicationWithAccess, i18n: I18n): Html {
  const { name, host, permissions, since, lastUsedAt, openHref, withdrawHref } = application;
  const used = lastUsed(lastUsedAt, i18n);
  return html`<li>
<div>${besideLogo(application, html`<h2>${name}${host !== '' && html` <span class="host">(${host})</span>`}</h2>`)}
${permissionList(permissions, i18n)}
<p class="hint">${i18n.rich('applications.dates', { since: instant(since, i18n), used })}</p></div>
<div class="buttons">${openHref !== undefined && html`<a class="button" href="${openHref}" aria-label="${i18n.t('applications.openNamed', { name })}">${i18n.t('applications.open')}</a>\n`}<a class="button" href="${withdrawHref}" aria-label="${i18n.t('applications.withdrawNamed', { name })}">${i18n.t('applications.withdraw')}</a></div>
</li>`;
}
