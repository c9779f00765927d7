import { type Html, type HtmlValue, html, trustedMarkup } from '@cls/shared/http/html';
import { coloured } from './colours.ts';
import type { Heading } from './content.ts';

/** Where a page belongs in the menu. */
export type Section = 'home' | 'start' | 'reference' | 'errors' | 'concepts' | 'versions';

export interface PageModel {
  readonly title: string;
  readonly section: Section;
  readonly body: HtmlValue;
  /** What stands beside the text, on narrow screens below it. */
  readonly side?: Html;
  /** A list of these stands above the text. */
  readonly headings?: readonly Heading[];
  /** What its reader searched for. */
  readonly query?: string;
  /** Whether the page sends requests for its reader. */
  readonly tries?: boolean;
}

/**
 * A whole page: menu, title, contents, text.
 *
 * @param latest the id of the version whose reference the menu leads to.
 */
export function page(
  latest: string,
  { title, section, body, side, query = '', headings = [], tries = false }: PageModel,
): string {
  const name = section === 'home' ? title : `${title} · CLS documentation`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/assets/documentation.css">
<script type="module" src="/docs/assets/copy.js"></script>
${tries && html`<script type="module" src="/docs/assets/try-it.js"></script>\n`}</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header><a class="brand" href="/docs">CLS documentation</a>
<nav aria-label="Documentation"><ul>${menu(latest).map(
    ([key, href, label]) =>
      html`<li><a href="${href}"${key === section && trustedMarkup(' aria-current="true"')}>${label}</a></li>`,
  )}</ul></nav>
<form role="search" action="/docs/search"><label class="unseen" for="search">Search the documentation</label><input id="search" name="q" type="search" maxlength="100" value="${query}"> <button>Search</button></form></header>
${side && trustedMarkup('<div class="beside">\n')}<main id="content" tabindex="-1">
<h1>${title}</h1>
${contents(headings)}${body}
</main>
${side}${side && trustedMarkup('</div>\n')}</body>
</html>
`.toString();
}

function menu(latest: string): readonly (readonly [Section, string, string])[] {
  return [
    ['start', '/docs/quickstarts', 'Quick starts'],
    ['reference', `/docs/${latest}`, 'Reference'],
    ['errors', '/docs/errors', 'Errors'],
    ['concepts', '/docs/concepts', 'Concepts'],
    ['versions', '/docs/versioning', 'Versions'],
  ];
}

/** With fewer headings than this, a list of them is of no use. */
const CONTENTS_MIN = 4;

function contents(headings: readonly Heading[]): HtmlValue {
  const main = headings.filter(({ depth }) => depth === 2);
  if (main.length < CONTENTS_MIN) return undefined;
  return html`<details class="contents"><summary>On this page</summary><ul>${main.map(
    ({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`,
  )}</ul></details>
`;
}

/** Values with a text between each two. */
export function joined(values: readonly HtmlValue[], between = ', '): HtmlValue {
  return values.map((value, index) => [index > 0 && between, value]);
}

/** Text with `code` in backticks. */
export function prose(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** @param language of its colours; none where it has none. */
export function codeBlock(text: string, language = '', attributes = ''): Html {
  return html`<pre tabindex="0"${trustedMarkup(attributes)}><code>${coloured(text, language)}</code></pre>
`;
}

/** @param rows cells as markup or text; the first of each row is its heading. */
export function table(
  label: string,
  head: readonly string[],
  rows: readonly (readonly HtmlValue[])[],
): Html {
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  )}</tbody></table></div>
`;
}
