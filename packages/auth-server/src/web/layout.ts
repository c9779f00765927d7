import { type Html, html, trustedMarkup } from '@cls/shared/http/html';
import type { Locale } from '@cls/shared/pages/browser';
import type { AssetName } from './assets.ts';
import { problemSummary, type RenderableProblem } from './form.ts';
import type { I18n } from './i18n.ts';

/** What every page needs, whatever it shows. */
export interface Frame {
  /** URL path of an asset, with the issuer's own path before it. */
  assetPath(name: AssetName): string;
  /** Sent back by every form as `csrf`; bound to the reader's session. */
  readonly csrfToken: string;
  /** Links to this page in each language; empty when its address works only once. */
  readonly languages: readonly { readonly locale: Locale; readonly href: string }[];
  /** Where people get help: an https or mailto URL. */
  readonly supportHref?: string;
  /** The privacy policy: an https URL. */
  readonly policyHref?: string;
  /** Where people see balances. */
  readonly explorerHref?: string;
  /** URL paths of the operator's own style sheet and logo. */
  readonly brand?: { readonly styles?: string; readonly logo?: string };
}

export interface PageModel {
  readonly frame: Frame;
}

/** An application as people know it. */
export interface Application {
  readonly name: string;
  /** Host of the registered redirect URI that the answer goes to. */
  readonly host: string;
}

/** The link that leads on from a page. Every page at the end of a flow has one. */
export type NextLink =
  | { readonly to: 'application' | 'start_again'; readonly name: string; readonly href: string }
  | {
      readonly to: 'account' | 'sign_in' | 'sign_out' | 'new_link' | 'device';
      readonly href: string;
    };

interface Page {
  readonly title: string;
  readonly problems?: readonly RenderableProblem[];
  readonly body: Html;
  /** Scripts beside `pages.js`; a page works without any. */
  readonly passkeys?: boolean;
}

/** A page with one thing to do: a card below the product's name. */
export function cardPage({ frame }: PageModel, page: Page, i18n: I18n): string {
  const body = html`<div class="stage">
<header class="brand">${brandMark(frame)}${i18n.t('product.name')}</header>
<main class="card" id="content">
${problemSummary(page.problems ?? [], i18n)}<h1>${page.title}</h1>
${page.body}
</main>
${footer(frame, i18n)}
</div>`;
  return document(frame, page, body, i18n);
}

/** The frame around `body`; `cardPage` and `accountPage` are what pages use. */
export function document(frame: Frame, page: Page, body: Html, i18n: I18n): string {
  const failed = (page.problems ?? []).length > 0;
  const title = failed ? i18n.t('page.titleFailed', { title: page.title }) : page.title;
  return html`<!doctype html>
<html lang="${i18n.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${i18n.t('page.title', { title })}</title>
<link rel="icon" href="${frame.assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${frame.assetPath('pages.css')}">
${frame.brand?.styles !== undefined && html`<link rel="stylesheet" href="${frame.brand.styles}">\n`}<script type="module" src="${frame.assetPath('pages.js')}"></script>
${page.passkeys && html`<script type="module" src="${frame.assetPath('passkeys.js')}"></script>\n`}</head>
<body>
${body}
</body>
</html>
`.toString();
}

export function footer({ languages, supportHref, policyHref }: Frame, i18n: I18n): Html {
  const names = { en: 'English', de: 'Deutsch' } as const;
  return html`<footer class="foot">${languages.map(({ locale, href }) =>
    locale === i18n.locale
      ? html`<span>${names[locale]}</span>`
      : html`<a href="${href}" lang="${locale}" hreflang="${locale}">${names[locale]}</a>`,
  )}${supportHref !== undefined && html`<a href="${supportHref}">${i18n.t('page.help')}</a>`}${policyHref !== undefined && html`<a href="${policyHref}">${i18n.t('page.policy')}</a>`}</footer>`;
}

/** The product's sign: a ledger's page with its balance line. Decorative, the name stands beside it. */
export const mark: Html = trustedMarkup(
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#1d4f91"/>' +
    '<path d="M9 10h14M9 16h9M9 22h14" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>',
);

/** The operator's logo, or the product's sign. */
export function brandMark({ brand }: Frame): Html {
  return brand?.logo === undefined ? mark : html`<img class="mark" src="${brand.logo}" alt="">`;
}

/** `Lindholm Portal (portal.example)`, the host kept in one piece. */
export function applicationName({ name, host }: Application): Html {
  return html`<strong>${name}</strong>${host !== '' && html` <span class="host">(${host})</span>`}`;
}

/** An address that breaks after its `@`, if it must. */
export function breakableEmail(email: string): Html {
  const at = email.lastIndexOf('@') + 1;
  return html`${email.slice(0, at)}<wbr>${email.slice(at)}`;
}

export function emailName(email: string): Html {
  return html`<strong>${breakableEmail(email)}</strong>`;
}

/** How people get help; empty when the operator configured none. */
export function contactLine({ supportHref }: Frame, i18n: I18n): Html {
  if (supportHref === undefined) return html``;
  return html`<p class="hint">${i18n.rich('page.contact', { contact: contactLink(supportHref) })}</p>`;
}

/** Shows what people recognise: the e-mail address, or the host of the site. */
export function contactLink(href: string): Html {
  const { protocol, pathname, host } = new URL(href);
  const name = protocol === 'mailto:' ? pathname : host;
  return html`<a href="${href}">${name}</a>`;
}

export function nextLinkHtml(way: NextLink, i18n: I18n): Html {
  const label = i18n.t(`nextLink.${way.to}`, 'name' in way ? { name: way.name } : {});
  return html`<p><a class="button primary" href="${way.href}">${label}</a></p>`;
}
