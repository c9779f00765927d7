import { type Html, type HtmlValue, html } from '@cls/shared/http/html';
import type { Locale } from '@cls/shared/pages/browser';
import type { AssetName } from './assets.ts';
import type { Text } from './text.ts';

/** What every page needs, whatever it shows. */
export interface Frame {
  readonly text: Text;
  assetPath(name: AssetName): string;
  /** This page in each language. */
  readonly languages: readonly { readonly locale: Locale; readonly href: string }[];
  readonly supportHref?: string;
  readonly requestId: string;
}

/** Who is signed in, and the way out. */
export interface SignedInFrame {
  readonly email: string;
  readonly name?: string;
  /** What the person is in the deals, in words. */
  readonly role: string;
  /** The person's account at the issuer. */
  readonly accountHref: string;
  /** Bound to the session. */
  readonly csrf: string;
  /** Finds deals, from every page. */
  readonly search: Html;
  /** Pages that the header leads to. */
  readonly navigation: readonly {
    readonly label: string;
    readonly href: string;
    readonly current: boolean;
  }[];
}

export interface Page {
  readonly title: string;
  /** The title of the window, where it says more than the heading. */
  readonly bookmark?: string;
  readonly body: HtmlValue;
  /** Above the content: the time bar. */
  readonly bar?: Html;
  /** What the footer says of the data. */
  readonly source?: HtmlValue;
}

/** A page with one thing to say: not signed in, or something is in the way. */
export function cardPage(frame: Frame, page: Page): string {
  return document(
    frame,
    page,
    html`<div class="stage"><header class="brand">${MARK}${frame.text.t('product')}</header>
<main class="card" id="content"><h1>${page.title}</h1>
${page.body}</main>
${footer(frame, page)}</div>`,
  );
}

/** A page of a person who is signed in. */
export function fullPage(frame: Frame, signedIn: SignedInFrame, page: Page): string {
  const { text } = frame;
  const { navigation, search, email, name, role, accountHref, csrf } = signedIn;
  const links = navigation.map(
    ({ label, href, current }) =>
      html`<li><a href="${href}"${current && html` aria-current="page"`}>${label}</a></li>`,
  );
  const [home] = navigation;
  return document(
    frame,
    page,
    html`<a class="skip" href="#content">${text.t('page.skip')}</a>
<header class="head">
<a class="brand" href="${home?.href ?? '/'}">${MARK}${text.t('product')}</a>
<nav aria-label="${text.t('page.navigation')}"><ul>${links}</ul></nav>
${search}
<div class="who"><span>${name !== undefined && html`${name} · `}${email}${role !== '' && html` · ${role}`}</span>
<a href="${accountHref}">${text.t('page.account')}</a>
<form method="post" action="/sign-out"><input type="hidden" name="csrf" value="${csrf}"><button class="button">${text.t('page.signOut')}</button></form></div>
</header>
${page.bar}
<main id="content"><h1>${page.title}</h1>
${page.body}</main>
${footer(frame, page)}
<script type="module" src="${frame.assetPath('explorer.js')}"></script>`,
  );
}

const NAMES = { en: 'English', de: 'Deutsch' } as const;

function footer({ text, languages, supportHref, requestId }: Frame, { source }: Page): Html {
  const links = languages.map(({ locale, href }) =>
    locale === text.locale
      ? html`<span>${NAMES[locale]}</span>`
      : html`<a href="${href}" lang="${locale}" hreflang="${locale}">${NAMES[locale]}</a>`,
  );
  return html`<footer class="foot">${source !== undefined && html`<p>${source}</p>`}
<p>${text.t('page.reference')} <code>${requestId}</code></p>
<p class="links">${links}${supportHref !== undefined && html`<a href="${supportHref}">${text.t('page.help')}</a>`}</p></footer>`;
}

function document(frame: Frame, { title, bookmark }: Page, body: Html): string {
  const { text, assetPath } = frame;
  return html`<!doctype html>
<html lang="${text.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${bookmark ?? title} · ${text.t('product')}</title>
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('explorer.css')}">
</head>
<body>
${body}
</body>
</html>
`.toString();
}

/** A ledger's page with its balance line. Decorative: the name stands beside it. */
const MARK = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#1d4f91"/><path d="M9 10h14M9 16h9M9 22h14" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>`;
