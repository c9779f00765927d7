import { type Html, html } from '@cls/shared/http/html';
import { form, skipLink } from '@cls/shared/pages/document';
import type { Device } from '../../audit/actor.ts';
import type { RenderableProblem } from '../../web/form.ts';
import { problemSummary } from '../../web/form.ts';
import type { I18n, KeyAfter } from '../../web/i18n.ts';
import { brandMark, documentAround, footer, type PageModel } from '../../web/layout.ts';

export const ACCOUNT_PLACES = [
  'overview',
  'password',
  'factors',
  'sessions',
  'applications',
  'integrations',
  'log',
] as const;
export type AccountPlace = (typeof ACCOUNT_PLACES)[number];

/** What every page of the account area shows around its content. */
export interface AccountModel extends PageModel {
  readonly email: string;
  /** What applications call the person. */
  readonly name?: string;
  readonly hrefs: Readonly<
    Record<Exclude<AccountPlace, 'password' | 'integrations'> | 'signOut', string>
  > & {
    /** Absent where the person has no password here. */
    readonly password?: string;
    /** Absent where the person may not manage integrations. */
    readonly integrations?: string;
  };
  /** What was just done. */
  readonly notice?: KeyAfter<'notice.'>;
}

interface AccountPage {
  /** Where in the navigation this page is, or below what. */
  readonly place: AccountPlace;
  readonly title: string;
  readonly problems?: readonly RenderableProblem[];
  readonly body: Html;
  readonly passkeys?: boolean;
}

export function accountPage(model: AccountModel, page: AccountPage, i18n: I18n): string {
  const { frame, email, name, hrefs, notice } = model;
  const places = ACCOUNT_PLACES.filter((place) => hrefs[place] !== undefined).map(
    (place) =>
      html`<li><a href="${hrefs[place]}"${place === page.place && html` aria-current="page"`}>${i18n.t(`place.${place}`)}</a></li>`,
  );
  const body = html`${skipLink(i18n.t('page.skip'))}
<header class="head">
<a class="brand" href="${hrefs.overview}">${brandMark(frame)}${i18n.t('product.name')}</a>
<span class="who">${name !== undefined && html`${name} · `}${email}</span>
${frame.explorerHref !== undefined && html`<a href="${frame.explorerHref}">${i18n.t('account.balances')}</a>\n`}${form(frame, { action: hrefs.signOut, body: html`<button class="button">${i18n.t('account.signOut')}</button>` })}
</header>
<div class="columns">
<nav aria-label="${i18n.t('account.navigation')}"><ul>${places}</ul></nav>
<main id="content">
${problemSummary(page.problems ?? [], i18n)}${
  notice && html`<p class="notice" role="status">${i18n.t(`notice.${notice}`)}</p>\n`
}<h1>${page.title}</h1>
${page.body}
</main>
</div>
${footer(frame, i18n)}`;
  return documentAround(frame, page, body, i18n);
}

/** `<time>` with the machine's form beside the reader's. */
export function instant(at: Date, i18n: I18n): Html {
  return html`<time datetime="${at.toISOString()}">${i18n.dateTime(at)}</time>`;
}

/** `last used 21 Nov 2026, 09:30 UTC` */
export function lastUsed(at: Date | undefined, i18n: I18n): Html {
  if (at === undefined) return html`${i18n.t('used.notYet')}`;
  return i18n.rich('used.last', { at: instant(at, i18n) });
}

export function deviceName({ browser, system }: Device, i18n: I18n): string {
  if (browser !== undefined && system !== undefined) {
    return i18n.t('device.browserOnSystem', { browser, system });
  }
  return browser ?? system ?? i18n.t('device.unknown');
}
