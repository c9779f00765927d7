import { type Html, html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import type { Device } from '../../audit/actor.ts';
import type { I18n } from '../../web/i18n.ts';
import { type AccountModel, accountPage, deviceName, instant } from './account-page.ts';

export interface AccountSession {
  readonly id: string;
  readonly device: Device;
  readonly address?: string;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** The one that asks. */
  readonly current: boolean;
  /** The browser is remembered: it is forgotten together with its session. */
  readonly remembered?: { readonly id: string; readonly until: Date };
}

/** A remembered browser in which nobody is signed in. */
export interface RememberedDevice {
  readonly id: string;
  readonly device: Device;
  readonly address?: string;
  readonly lastUsedAt: Date;
  readonly until: Date;
}

export interface SessionsModel extends AccountModel {
  /** The current one first. */
  readonly sessions: readonly AccountSession[];
  readonly devices: readonly RememberedDevice[];
  /** Takes `session`, an id. */
  readonly endAction: string;
  /** Takes an empty form. */
  readonly endOthersAction: string;
  /** Takes `device`, an id. */
  readonly forgetAction: string;
}

export function sessionsPage(model: SessionsModel, i18n: I18n): string {
  const { frame, sessions, devices, endOthersAction } = model;
  const names = namesOf(
    sessions.map(({ device, startedAt: since }) => ({ device, since })),
    i18n,
  );
  const others = sessions.some(({ current }) => !current) || devices.length > 0;
  const body = html`<p class="lead">${i18n.t('sessions.lead')}</p>
<section class="box">
<ul class="records">${sessions.map((session, index) => record(model, session, names[index] ?? '', i18n))}</ul>
</section>
${devices.length > 0 && remembered(model, i18n)}${
  others
    ? form(frame, {
        action: endOthersAction,
        body: html`<button class="button">${i18n.t('sessions.endOthers')}</button>`,
      })
    : html`<p class="empty">${i18n.t('sessions.onlyThis')}</p>`
}`;
  return accountPage(model, { place: 'sessions', title: i18n.t('place.sessions'), body }, i18n);
}

/** The name of the device; of several of one kind with its start, and a number if that is the same. */
function namesOf(
  items: readonly { readonly device: Device; readonly since: Date }[],
  i18n: I18n,
): readonly string[] {
  const kinds = items.map(({ device }) => deviceName(device, i18n));
  const named = kinds.map((name, index) => {
    const since = items[index]?.since;
    if (since === undefined || count(kinds, name) === 1) return name;
    return i18n.t('sessions.sameKind', { name, started: i18n.dateTime(since) });
  });
  return named.map((name, index) => {
    if (count(named, name) === 1) return name;
    const number = count(named.slice(0, index + 1), name);
    return i18n.t('sessions.numbered', { name, number });
  });
}

function count(names: readonly string[], name: string): number {
  return names.filter((each) => each === name).length;
}

function record(model: SessionsModel, session: AccountSession, name: string, i18n: I18n): Html {
  const { id, address, startedAt, lastSeenAt, current, remembered: kept } = session;
  const dates = { started: instant(startedAt, i18n), seen: instant(lastSeenAt, i18n) };
  const until = kept && i18n.rich('sessions.remembered', { until: instant(kept.until, i18n) });
  return html`<li>
<div><h2>${name}${current && html` <span class="tag">${i18n.t('sessions.current')}</span>`}</h2>
${address !== undefined && html`<p>${i18n.t('device.address', { address })}</p>\n`}<p class="hint">${i18n.rich('sessions.dates', dates)}</p>
${until && html`<p class="hint">${until}</p>\n`}</div>
${
  current
    ? kept && forgetForm(model, kept.id, name, i18n)
    : form(model.frame, {
        action: model.endAction,
        body: html`<input type="hidden" name="session" value="${id}">
<button class="button" aria-label="${i18n.t('sessions.endNamed', { name })}">${i18n.t('sessions.end')}</button>`,
      })
}
</li>`;
}

function remembered(model: SessionsModel, i18n: I18n): Html {
  const { devices } = model;
  const names = namesOf(
    devices.map(({ device, lastUsedAt: since }) => ({ device, since })),
    i18n,
  );
  const records = devices.map(({ id, address, lastUsedAt, until }, index) => {
    const name = names[index] ?? '';
    const dates = { until: instant(until, i18n), used: instant(lastUsedAt, i18n) };
    return html`<li>
<div><h3>${name}</h3>
${address !== undefined && html`<p>${i18n.t('device.address', { address })}</p>\n`}<p class="hint">${i18n.rich('devices.dates', dates)}</p></div>
${forgetForm(model, id, name, i18n)}
</li>`;
  });
  return html`<section class="box">
<h2>${i18n.t('devices.title')}</h2>
<p>${i18n.t('devices.lead')}</p>
<ul class="records">${records}</ul>
</section>
`;
}

function forgetForm(
  { frame, forgetAction }: SessionsModel,
  id: string,
  name: string,
  i18n: I18n,
): Html {
  return form(frame, {
    action: forgetAction,
    body: html`<input type="hidden" name="device" value="${id}">
<button class="button" aria-label="${i18n.t('sessions.forgetNamed', { name })}">${i18n.t('sessions.forget')}</button>`,
  });
}
