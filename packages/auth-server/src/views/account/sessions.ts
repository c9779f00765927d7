import { type Html, html } from '@cls/shared/http/html';
import { form } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import {
  type AccountModel,
  accountPage,
  type Device,
  deviceName,
  instant,
} from './account-page.ts';

export interface AccountSession {
  readonly id: string;
  readonly device: Device;
  readonly address?: string;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** The one that asks. */
  readonly current: boolean;
}

export interface SessionsModel extends AccountModel {
  /** The current one first. */
  readonly sessions: readonly AccountSession[];
  /** Takes `session`, an id. */
  readonly endAction: string;
  /** Takes an empty form. */
  readonly endOthersAction: string;
}

export function sessionsPage(model: SessionsModel, i18n: I18n): string {
  const { frame, sessions, endOthersAction } = model;
  const body = html`<p class="lead">${i18n.t('sessions.lead')}</p>
<section class="box">
<ul class="records">${sessions.map((session) => record(model, session, i18n))}</ul>
</section>
${
  sessions.some(({ current }) => !current)
    ? form(frame, {
        action: endOthersAction,
        body: html`<button class="button">${i18n.t('sessions.endOthers')}</button>`,
      })
    : html`<p class="empty">${i18n.t('sessions.onlyThis')}</p>`
}`;
  return accountPage(model, { place: 'sessions', title: i18n.t('place.sessions'), body }, i18n);
}

function record({ frame, endAction }: SessionsModel, session: AccountSession, i18n: I18n): Html {
  const { id, device, address, startedAt, lastSeenAt, current } = session;
  const name = deviceName(device, i18n);
  const dates = { started: instant(startedAt, i18n), seen: instant(lastSeenAt, i18n) };
  return html`<li>
<div><h2>${name}${current && html` <span class="tag">${i18n.t('sessions.current')}</span>`}</h2>
${address !== undefined && html`<p>${i18n.t('device.address', { address })}</p>\n`}<p class="hint">${i18n.rich('sessions.dates', dates)}</p></div>
${
  !current &&
  form(frame, {
    action: endAction,
    body: html`<input type="hidden" name="session" value="${id}">
<button class="button" aria-label="${i18n.t('sessions.endNamed', { name })}">${i18n.t('sessions.end')}</button>`,
  })
}
</li>`;
}
