import { type Html, html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';
import { type AccountModel, accountPage, instant, lastUsed } from './account-page.ts';

export interface ClientSecret {
  /** `sec_` and 26 characters. */
  readonly id: string;
  readonly name: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt?: Date;
  readonly lastUsedFrom?: string;
  readonly endsAt?: Date;
  /** Absent where the reader may make no secret. */
  readonly replaceHref?: string;
  readonly revokeHref: string;
  readonly leakedHref: string;
}

export interface Integration {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly disabled: boolean;
  readonly secrets: readonly ClientSecret[];
  readonly newSecrets: 'offered' | 'operator' | 'none';
  readonly createHref: string;
}

export interface IntegrationsModel extends AccountModel {
  readonly integrations: readonly Integration[];
  readonly requestsHref: string;
  readonly peopleHref: string;
  readonly applicationsHref: string;
}

/** The service accounts of the reader's organisation, with their secrets. */
export function integrationsPage(model: IntegrationsModel, i18n: I18n): string {
  const { frame, integrations, requestsHref, peopleHref, applicationsHref } = model;
  const body = html`<p class="lead">${i18n.t('integrations.lead')}</p>
<div class="buttons"><a class="button" href="${requestsHref}">${i18n.t('tokenRequests.title')}</a>
<a class="button" href="${applicationsHref}">${i18n.t('customerApplications.title')}</a>
<a class="button" href="${peopleHref}">${i18n.t('people.title')}</a>${frame.explorerHref !== undefined && html`\n<a class="button" href="${frame.explorerHref}usage">${i18n.t('integrations.usage')}</a>`}</div>
${
  integrations.length === 0
    ? html`<section class="box"><p class="empty">${i18n.t('integrations.none')}</p></section>`
    : integrations.map((each) => section(each, i18n))
}`;
  const title = i18n.t('place.integrations');
  return accountPage(model, { place: 'integrations', title, body }, i18n);
}

/** Names of permissions as callers write them in a scope, a line each. */
export function permissionCodes(permissions: readonly string[]): Html {
  return html`${permissions.map((name, index) => html`${index > 0 && html`<br>`}<code>${name}</code>`)}`;
}

function section(integration: Integration, i18n: I18n): Html {
  const { id, name, permissions, disabled, secrets, newSecrets, createHref } = integration;
  return html`<section class="box">
<h2>${name}${disabled && html` <span class="tag">${i18n.t('integrations.disabled')}</span>`}</h2>
<dl class="facts">
<div><dt>${i18n.t('integrations.clientId')}</dt><dd><code>${id}</code></dd></div>
<div><dt>${i18n.t('integrations.permissions')}</dt><dd>${permissionCodes(permissions)}</dd></div>
</dl>
${secrets.length > 0 && html`<ul class="records">${secrets.map((each) => record(each, i18n))}</ul>`}
${
  newSecrets === 'offered'
    ? html`<div class="buttons"><a class="button" href="${createHref}" aria-label="${i18n.t('integrations.newSecretFor', { name })}">${i18n.t('integrations.newSecret')}</a></div>`
    : html`<p class="hint">${i18n.t(`integrations.newSecrets.${newSecrets}`)}</p>`
}
</section>
`;
}

function record(secret: ClientSecret, i18n: I18n): Html {
  const { id, name, createdAt, lastUsedAt, lastUsedFrom, endsAt } = secret;
  const created = instant(createdAt, i18n);
  const used =
    lastUsedAt !== undefined && lastUsedFrom !== undefined
      ? i18n.rich('integrations.usedFrom', { at: instant(lastUsedAt, i18n), address: lastUsedFrom })
      : lastUsed(lastUsedAt, i18n);
  const button = (action: 'replace' | 'revoke' | 'leaked', href: string) =>
    html`<a class="button" href="${href}" aria-label="${i18n.t(`integrations.${action}Named`, { name: name ?? id })}">${i18n.t(`integrations.${action}`)}</a>\n`;
  return html`<li>
<div><h3>${name ?? i18n.t('integrations.unnamed')}</h3>
<p class="hint"><code>${id}</code></p>
<p class="hint">${i18n.rich('integrations.dates', { created, used })}</p>
${endsAt !== undefined && html`<p>${i18n.rich('integrations.ends', { at: instant(endsAt, i18n) })}</p>\n`}</div>
<div class="buttons">${secret.replaceHref !== undefined && button('replace', secret.replaceHref)}${button('revoke', secret.revokeHref)}${button('leaked', secret.leakedHref)}</div>
</li>`;
}
