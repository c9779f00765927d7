import { type Html, html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';
import { type Application, besideLogo } from '../../web/layout.ts';
import { type AccountModel, accountPage } from './account-page.ts';
import { permissionCodes } from './integrations.ts';

export interface CustomerApplication extends Pick<Application, 'name' | 'host' | 'logoHref'> {
  readonly id: string;
  /** What it may ask for. */
  readonly scopes: readonly string[];
  readonly redirectUris: readonly string[];
  readonly disabled: boolean;
  readonly openHref?: string | undefined;
}

export interface CustomerApplicationsModel extends AccountModel {
  readonly applications: readonly CustomerApplication[];
}

/** The applications of the reader's organisation, into which people sign in. */
export function customerApplicationsPage(model: CustomerApplicationsModel, i18n: I18n): string {
  const { applications, hrefs } = model;
  const body = html`<p class="lead">${i18n.t('customerApplications.lead')}</p>
${
  applications.length === 0
    ? html`<section class="box"><p class="empty">${i18n.t('customerApplications.none')}</p></section>`
    : applications.map((each) => section(each, i18n))
}
<div class="buttons"><a class="button" href="${hrefs.integrations}">${i18n.t('integrations.back')}</a></div>`;
  const title = i18n.t('customerApplications.title');
  return accountPage(model, { place: 'integrations', title, body }, i18n);
}

function section(application: CustomerApplication, i18n: I18n): Html {
  const { id, name, host, scopes, redirectUris, disabled, openHref } = application;
  const heading = html`<h2>${name}${host !== '' && html` <span class="host">(${host})</span>`}${disabled && html` <span class="tag">${i18n.t('integrations.disabled')}</span>`}</h2>`;
  return html`<section class="box">
${besideLogo(application, heading)}
<dl class="facts">
<div><dt>${i18n.t('integrations.clientId')}</dt><dd><code>${id}</code></dd></div>
<div><dt>${i18n.t('customerApplications.scopes')}</dt><dd>${permissionCodes(scopes)}</dd></div>
${redirectUris.length > 0 && html`<div><dt>${i18n.t('customerApplications.redirects')}</dt><dd>${permissionCodes(redirectUris)}</dd></div>`}
</dl>
${openHref !== undefined && html`<div class="buttons"><a class="button" href="${openHref}" aria-label="${i18n.t('applications.openNamed', { name })}">${i18n.t('applications.open')}</a></div>`}
</section>
`;
}
