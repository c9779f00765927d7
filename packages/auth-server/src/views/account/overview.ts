import { type Html, html } from '@cls/shared/http/html';
import type { Device } from '../../audit/actor.ts';
import type { I18n } from '../../web/i18n.ts';
import { breakableEmail } from '../../web/layout.ts';
import { type AccountModel, accountPage, deviceName, instant } from './account-page.ts';

export interface OverviewModel extends AccountModel {
  /** The customer that the person belongs to. */
  readonly organisation: string;
  /** The customer's provider, when the person signs in there and not by a password here. */
  readonly upstream?: { readonly organisation: string; readonly host: string };
  readonly passwordSetAt?: Date;
  readonly factorCount: number;
  /** `total` is 0 when none were ever made. */
  readonly recoveryCodes: { readonly left: number; readonly total: number };
  /** Codes below which new ones are advised. */
  readonly recoveryCodesLow: number;
  readonly sessionCount: number;
  readonly applicationCount: number;
  readonly lastSignIn?: { readonly at: Date; readonly device: Device; readonly address?: string };
  /** Where the person changes the name that applications show. */
  readonly nameHref: string;
  /** A file with all that is stored about the person. */
  readonly downloadHref: string;
}

export function overviewPage(model: OverviewModel, i18n: I18n): string {
  const { hrefs, organisation, lastSignIn } = model;
  const row = (label: string, value: Html | string, link?: Html) =>
    html`<div><dt>${label}</dt><dd>${value}</dd>${link && html`<dd class="do">${link}</dd>`}</div>`;
  const link = (place: 'password' | 'factors' | 'sessions' | 'applications' | 'log') => {
    const href = hrefs[place];
    return href === undefined
      ? undefined
      : html`<a href="${href}">${i18n.t(`overview.${place}Link`)}</a>`;
  };
  const signedIn =
    lastSignIn &&
    html`${instant(lastSignIn.at, i18n)}, ${deviceName(lastSignIn.device, i18n)}${lastSignIn.address !== undefined && html`, ${lastSignIn.address}`}`;
  const body = html`${advice(model, i18n)}<section class="box">
<h2>${i18n.t('overview.profile')}</h2>
<dl class="facts">
${row(i18n.t('overview.name'), model.name ?? i18n.t('overview.nameNone'), html`<a href="${model.nameHref}">${i18n.t('overview.nameLink')}</a>`)}
${row(i18n.t('form.email'), breakableEmail(model.email))}
${row(i18n.t('overview.organisation'), organisation)}
</dl>
<p class="hint">${i18n.t('overview.profileHint')}</p>
</section>
<section class="box">
<h2>${i18n.t('overview.security')}</h2>
<dl class="facts">
${row(i18n.t('form.password'), password(model, i18n), link('password'))}
${row(i18n.t('place.factors'), i18n.count('overview.factors', model.factorCount), link('factors'))}
${row(i18n.t('place.sessions'), i18n.count('overview.sessions', model.sessionCount), link('sessions'))}
${row(i18n.t('place.applications'), i18n.count('overview.applications', model.applicationCount), link('applications'))}
${signedIn && row(i18n.t('overview.lastSignIn'), signedIn, link('log'))}
</dl>
</section>
<section class="box">
<h2>${i18n.t('overview.data')}</h2>
<p>${i18n.t('overview.dataText')}</p>
<p><a class="button" href="${model.downloadHref}" download>${i18n.t('overview.download')}</a></p>
</section>`;
  return accountPage(model, { place: 'overview', title: i18n.t('overview.title'), body }, i18n);
}

function password({ hrefs, upstream, passwordSetAt }: OverviewModel, i18n: I18n): string {
  if (upstream !== undefined) return i18n.t('overview.upstream', upstream);
  if (hrefs.password === undefined) return i18n.t('overview.passwordNone');
  if (passwordSetAt === undefined) return i18n.t('overview.passwordSet');
  return i18n.t('overview.passwordSetOn', { date: i18n.date(passwordSetAt) });
}

/** The one thing most worth doing next. */
function advice(model: OverviewModel, i18n: I18n): Html {
  const { factorCount, recoveryCodes, recoveryCodesLow, hrefs } = model;
  const factors = html`<a href="${hrefs.factors}">${i18n.t('overview.factorsLink')}</a>`;
  if (factorCount === 0 && hrefs.password !== undefined) {
    return html`<p class="notice warn">${i18n.t('overview.noFactor')} ${factors}</p>\n`;
  }
  if (factorCount > 0 && recoveryCodes.left < recoveryCodesLow) {
    const text =
      recoveryCodes.total === 0
        ? i18n.t('factors.codesNone')
        : i18n.count('overview.fewCodes', recoveryCodes.left);
    return html`<p class="notice warn">${text} ${factors}</p>\n`;
  }
  return html``;
}
