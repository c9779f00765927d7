import { type Html, html } from '@cls/shared/http/html';
import type { Problem } from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { type AccountModel, accountPage, instant, lastUsed } from './account-page.ts';

export interface Factor {
  readonly kind: 'totp' | 'passkey';
  /** What the person called it. */
  readonly name: string;
  readonly addedAt: Date;
  readonly lastUsedAt?: Date;
  readonly renameHref: string;
  /** Asks before it removes; absent for the last one where the policy demands one. */
  readonly removeHref?: string;
}

export interface FactorsModel extends AccountModel {
  readonly factors: readonly Factor[];
  readonly recoveryCodes: { readonly left: number; readonly total: number };
  readonly addTotpHref: string;
  readonly addPasskeyHref: string;
  /** Asks before it replaces those that there are. */
  readonly newCodesHref: string;
  readonly problems: readonly Problem[];
}

export function factorsPage(model: FactorsModel, i18n: I18n): string {
  const { factors, recoveryCodes, problems } = model;
  const body = html`<p class="lead">${i18n.t('factors.lead')}</p>
<section class="box">
<h2>${i18n.t('factors.yours')}</h2>
${
  factors.length === 0
    ? html`<p class="empty">${i18n.t('factors.none')}</p>`
    : html`<ul class="records">${factors.map((factor) => record(factor, i18n))}</ul>`
}
<div class="buttons"><a class="button" href="${model.addPasskeyHref}">${i18n.t('factors.addPasskey')}</a>
<a class="button" href="${model.addTotpHref}">${i18n.t('factors.addTotp')}</a></div>
</section>
${
  factors.length > 0 &&
  html`<section class="box">
<h2>${i18n.t('factors.codes')}</h2>
<p>${i18n.t('factors.codesText')}</p>
<p>${
    recoveryCodes.total === 0
      ? i18n.t('factors.codesNone')
      : i18n.t('factors.codesLeft', { left: recoveryCodes.left, total: recoveryCodes.total })
  }</p>
<div class="buttons"><a class="button" href="${model.newCodesHref}">${i18n.t(recoveryCodes.total === 0 ? 'factors.firstCodes' : 'factors.newCodes')}</a></div>
</section>`
}`;
  const title = i18n.t('place.factors');
  return accountPage(model, { place: 'factors', title, problems, body }, i18n);
}

function record(
  { kind, name, addedAt, lastUsedAt, renameHref, removeHref }: Factor,
  i18n: I18n,
): Html {
  const used = lastUsed(lastUsedAt, i18n);
  return html`<li>
<div><h3>${name}</h3>
<p>${i18n.t(`factors.kind.${kind}`)}</p>
<p class="hint">${i18n.rich('factors.dates', { added: instant(addedAt, i18n), used })}</p>
${removeHref === undefined && html`<p class="hint">${i18n.t('factors.last')}</p>\n`}</div>
<div class="buttons"><a class="button" href="${renameHref}" aria-label="${i18n.t('factors.renameNamed', { name })}">${i18n.t('factors.rename')}</a>
${
  removeHref !== undefined &&
  html`<a class="button" href="${removeHref}" aria-label="${i18n.t('factors.removeNamed', { name })}">${i18n.t('form.remove')}</a>`
}</div>
</li>`;
}
