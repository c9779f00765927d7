import { createHash } from 'node:crypto';
import { type Html, type HtmlValue, html, trustedMarkup } from '../http/html.ts';
import type { Locale } from './browser.ts';

/** Links to a page in each language. */
export type Languages = readonly { readonly locale: Locale; readonly href: string }[];

export interface DocumentModel {
  readonly locale: Locale;
  /** Of the window. */
  readonly title: string;
  /** Of the whole document, for its style sheet. */
  readonly className?: string | undefined;
  /** URL paths, as all that follow. */
  readonly icon: string;
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** Rules of this document alone, which the policy has to allow (`allowingStyle`). */
  readonly style?: string | undefined;
  readonly body: Html;
}

/** What every document has around its body. */
export function document(model: DocumentModel): string {
  const { locale, title, className, icon, styles, scripts, style, body } = model;
  return html`<!doctype html>
<html lang="${locale}"${className !== undefined && html` class="${className}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
${styles.map((href) => html`<link rel="stylesheet" href="${href}">\n`)}${scripts.map((src) => html`<script type="module" src="${src}"></script>\n`)}${style !== undefined && html`<style>${trustedMarkup(style)}</style>\n`}</head>
<body>
${body}
</body>
</html>
`.toString();
}

/** The body of a page with one thing to do: a card below the product's name. */
export function card(brand: HtmlValue, content: Html, footer: Html): Html {
  return html`<div class="stage">
<header class="brand">${brand}</header>
<main class="card" id="content">
${content}
</main>
${footer}
</div>`;
}

/** Leads past a page's head, to its `#content`. */
export function skipLink(label: string): Html {
  return html`<a class="skip" href="#content">${label}</a>`;
}

const NAMES = { en: 'English', de: 'Deutsch' } as const;

export function languageLinks(languages: Languages, current: Locale): readonly Html[] {
  return languages.map(({ locale, href }) =>
    locale === current
      ? html`<span>${NAMES[locale]}</span>`
      : html`<a href="${href}" lang="${locale}" hreflang="${locale}">${NAMES[locale]}</a>`,
  );
}

/** The product's sign: a ledger's page with its balance line. Decorative, the name stands beside it. */
export const MARK: Html = trustedMarkup(
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#1d4f91"/>' +
    '<path d="M9 10h14M9 16h9M9 22h14" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>',
);

export interface FormModel {
  readonly action: string;
  readonly body: Html;
  /** Further attributes of the element. */
  readonly attributes?: Html;
}

/** A form that changes something: it sends back what only our own page for this reader knows. */
export function form(
  { csrfToken }: { readonly csrfToken: string },
  { action, body, attributes }: FormModel,
): Html {
  return html`<form method="post" action="${action}"${attributes}>
<input type="hidden" name="csrf" value="${csrfToken}">
${body}
</form>`;
}

/** For every answer of a service with pages. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  // For browsers that read no frame-ancestors (RFC 9700 §4.16).
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

/**
 * The policy every page needs: own style sheet, scripts and pictures; no inline code, no frame,
 * nothing from elsewhere (CSP level 3).
 *
 * @param formTargets sources where the page's forms end, beside this site: browsers apply
 *   `form-action` to the redirects that follow a form too.
 * @param more further directives.
 */
export function pagePolicy(formTargets: readonly string[], more: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    ...more,
    "img-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A page's policy that allows one more style sheet: exactly these rules, in the document itself. */
export function allowingStyle(policy: string, style: string): string {
  const digest = createHash('sha256').update(style).digest('base64');
  return policy.replace("style-src 'self'", `$& 'sha256-${digest}'`);
}
