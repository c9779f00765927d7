import { type Html, html } from '@cls/shared/http/html';
import type { Device } from '../../audit/actor.ts';
import type { I18n, KeyAfter } from '../../web/i18n.ts';
import { type AccountModel, accountPage, deviceName, instant } from './account-page.ts';

export type LogEventType = KeyAfter<'log.event.'>;

export interface LogEntry {
  readonly type: LogEventType;
  readonly at: Date;
  /** The factor, application or organisation that it was about. */
  readonly subject?: string;
  readonly device?: Device;
  readonly address?: string;
  /** Why it failed, as the log of the operator has it; one without words here is left out. */
  readonly reason?: string;
}

export interface SecurityLogModel extends AccountModel {
  /** The newest first. */
  readonly entries: readonly LogEntry[];
  readonly newerHref?: string;
  readonly olderHref?: string;
}

export function securityLogPage(model: SecurityLogModel, i18n: I18n): string {
  const { entries, newerHref, olderHref, hrefs } = model;
  const lead =
    hrefs.password === undefined
      ? i18n.t('log.leadOrganisation')
      : i18n.rich('log.lead', {
          link: html`<a href="${hrefs.password}">${i18n.t('log.leadLink')}</a>`,
        });
  const body = html`<p class="lead">${lead}</p>
<section class="box">
${
  entries.length === 0
    ? html`<p class="empty">${i18n.t('log.none')}</p>`
    : html`<table class="log">
<thead><tr><th scope="col">${i18n.t('log.when')}</th><th scope="col">${i18n.t('log.what')}</th><th scope="col">${i18n.t('log.where')}</th></tr></thead>
<tbody>${entries.map((entry) => row(entry, i18n))}</tbody>
</table>`
}
</section>
${
  (newerHref !== undefined || olderHref !== undefined) &&
  html`<nav class="pages" aria-label="${i18n.t('log.pages')}">${
    newerHref !== undefined &&
    html`<a class="button" href="${newerHref}" rel="prev">${i18n.t('log.newer')}</a>`
  }${
    olderHref !== undefined &&
    html`<a class="button" href="${olderHref}" rel="next">${i18n.t('log.older')}</a>`
  }</nav>`
}`;
  return accountPage(model, { place: 'log', title: i18n.t('place.log'), body }, i18n);
}

function row({ type, at, subject, device, address, reason }: LogEntry, i18n: I18n): Html {
  const key = `log.reason.${reason}`;
  const why = i18n.has(key) ? i18n.t(key) : undefined;
  const where = [device && deviceName(device, i18n), address].filter((part) => part !== undefined);
  return html`<tr><td class="hint">${instant(at, i18n)}</td>
<td>${i18n.t(`log.event.${type}`)}${why !== undefined && html`<br><span class="hint">${why}</span>`}${subject !== undefined && html`<br><span class="hint">${subject}</span>`}</td>
<td>${where.join(', ')}</td></tr>`;
}
