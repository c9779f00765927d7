import { html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import { FORM_FIELDS } from '../../library/reliances/form-fields.ts';
import { field, type Problem, submit } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, emailName, type PageModel } from '../../web/layout.ts';
import { permissionList } from './permissions.ts';

/** How much of a code people may type, with spaces and hyphens where they please. */
export const USER_CODE_MAX = 20;

/** RFC 8628 §3.3: where a person types the code that a device shows. Sends `user_code`. */
export interface DeviceCodeModel extends PageModel {
  readonly action: string;
  readonly xsrf?: string;
  /** As it was typed in the attempt before. */
  readonly userCode?: string;
  readonly problems: readonly Problem<'user_code'>[];
}

export function deviceCodePage(model: DeviceCodeModel, i18n: I18n): string {
  const { frame, action, userCode, problems } = model;
  const body = html`<p class="lead">${i18n.t('deviceCode.lead')}</p>
${form(frame, {
  action,
  body: html`${xsrfField(model.xsrf)}${field(
    {
      name: FORM_FIELDS.userCode,
      label: i18n.t('deviceCode.label'),
      hint: i18n.t('deviceCode.hint'),
      ...(userCode !== undefined && { value: userCode }),
      attributes: html` type="text" class="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="${USER_CODE_MAX}" required${problems.length === 0 && html` autofocus`}`,
      problems,
    },
    i18n,
  )}
${submit(i18n.t('form.continue'))}`,
})}`;
  return cardPage(model, { title: i18n.t('deviceCode.title'), problems, body }, i18n);
}

/** Sends `user_code`, and `confirm=yes` or `abort=yes`: the provider's own names. */
export interface DeviceConfirmationModel extends PageModel {
  readonly action: string;
  readonly xsrf?: string;
  readonly userCode: string;
  readonly applicationName: string;
  /** Absent while nobody is signed in: the code is confirmed first. */
  readonly email?: string;
  readonly permissions: readonly string[];
  /** Where the device asked from. */
  readonly address: string;
}

/** RFC 8628 §5.4: the person compares code and address, for another may have sent the code. */
export function deviceConfirmationPage(model: DeviceConfirmationModel, i18n: I18n): string {
  const { frame, action, userCode, address } = model;
  const name = html`<strong>${model.applicationName}</strong>`;
  const body = html`<p class="lead">${i18n.rich('deviceConfirmation.lead', { application: name })}</p>
<p class="user-code">${userCode}</p>
<p class="notice warn">${i18n.t('deviceConfirmation.warning')}</p>
<p>${
    model.email !== undefined &&
    html`${i18n.rich('consent.account', { email: emailName(model.email) })} `
  }${i18n.t('deviceConfirmation.address', { address })}</p>
<h2>${i18n.rich('consent.may', { application: name })}</h2>
${permissionList(model.permissions, i18n)}
${form(frame, {
  action,
  body: html`${xsrfField(model.xsrf)}<input type="hidden" name="${FORM_FIELDS.userCode}" value="${userCode}">
<div class="pair"><button class="button" name="${FORM_FIELDS.deny}" value="yes">${i18n.t('deviceConfirmation.deny')}</button>
<button class="button" name="${FORM_FIELDS.allow}" value="yes">${i18n.t('deviceConfirmation.allow')}</button></div>`,
})}`;
  return cardPage(model, { title: i18n.t('deviceConfirmation.title'), body }, i18n);
}

export interface DeviceDoneModel extends PageModel {
  readonly outcome: 'allowed' | 'denied';
  readonly applicationName: string;
}

export function deviceDonePage(model: DeviceDoneModel, i18n: I18n): string {
  const { outcome, applicationName: application } = model;
  const body = html`<p class="lead">${i18n.t(`deviceDone.${outcome}`, { application })}</p>
<p>${i18n.t('deviceDone.close')}</p>`;
  return cardPage(model, { title: i18n.t(`deviceDone.${outcome}Title`), body }, i18n);
}

function xsrfField(xsrf: string | undefined) {
  return (
    xsrf !== undefined && html`<input type="hidden" name="${FORM_FIELDS.secret}" value="${xsrf}">\n`
  );
}
