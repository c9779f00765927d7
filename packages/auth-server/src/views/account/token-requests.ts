import { type Html, html } from '@cls/shared/http/html';
import type { I18n } from '../../web/i18n.ts';
import { type AccountModel, accountPage, instant } from './account-page.ts';

export interface TokenRequest {
  /** Of the service account. */
  readonly name: string;
  readonly at: Date;
  readonly address?: string;
  readonly issued: boolean;
  /** The error of a refusal (RFC 6749 §5.2). */
  readonly reason?: string;
}

export interface TokenRequestsModel extends AccountModel {
  /** The newest first. */
  readonly requests: readonly TokenRequest[];
}

export function tokenRequestsPage(model: TokenRequestsModel, i18n: I18n): string {
  const { requests, hrefs } = model;
  const heads = (['log.when', 'tokenRequests.client', 'tokenRequests.answer'] as const).map(
    (key) => html`<th scope="col">${i18n.t(key)}</th>`,
  );
  const body = html`<p class="lead">${i18n.t('tokenRequests.lead')}</p>
<section class="box">
${
  requests.length === 0
    ? html`<p class="empty">${i18n.t('tokenRequests.none')}</p>`
    : html`<table class="log">
<thead><tr>${heads}</tr></thead>
<tbody>${requests.map((request) => row(request, i18n))}</tbody>
</table>`
}
</section>
<p><a class="button" href="${hrefs.integrations}">${i18n.t('integrations.back')}</a></p>`;
  const title = i18n.t('tokenRequests.title');
  return accountPage(model, { place: 'integrations', title, body }, i18n);
}

function row({ name, at, address, issued, reason }: TokenRequest, i18n: I18n): Html {
  return html`<tr><td class="hint">${instant(at, i18n)}${address !== undefined && html`<br>${address}`}</td>
<td>${name}</td>
<td>${issued ? i18n.t('tokenRequests.issued') : refusal(reason, i18n)}</td></tr>
`;
}

function refusal(reason: string | undefined, i18n: I18n): Html {
  const key = `tokenRequests.reason.${reason}`;
  return html`${i18n.t('tokenRequests.refused')}${reason !== undefined && html`<br><span class="hint">${i18n.has(key) && html`${i18n.t(key)} `}<code>${reason}</code></span>`}`;
}
