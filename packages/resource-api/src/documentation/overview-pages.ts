import { type Html, html, trustedMarkup } from '@cls/shared/http/html';
import type { Registry } from '../lifecycle/registry.ts';
import type { Content, ContentPage } from './content.ts';
import { joined, type PageModel, type Section } from './page.ts';
import { otherContracts, statusTable } from './version-pages.ts';

/** `/docs`. */
export function homePage(content: Content, registry: Registry, now: Date): PageModel {
  const latest = registry.latest(now).id;
  return {
    title: 'CLS documentation',
    section: 'home',
    body: html`<p>CLS serves the balances of commercial and syndicated loans: to the cent, on any date, and as they were known at any time.</p>
<h2 id="start">Start</h2>
<ol>
<li>Ask the operator of the service for a service account: an id and a secret.</li>
<li>Follow a quick start: ${inOneLine(pagesIn(content, 'quickstarts'))}.</li>
<li>Look up operations, parameters and fields in the <a href="/docs/${latest}">reference of ${latest}</a>.</li>
</ol>
<h2 id="versions">Versions</h2>
${statusTable(registry, now)}<p><a href="/docs/versioning">What you may rely on</a>, and <a href="/docs/changelog">what changed</a>.</p>
<h2 id="contracts">Contracts</h2>
<ul>
<li><a href="/docs/${latest}#downloads">The balances API ${latest}</a>: OpenAPI 3.1, Postman, Bruno.</li>
${otherContracts()}</ul>
<h2 id="concepts">Concepts</h2>
${linkList(pagesIn(content, 'concepts'))}<h2 id="errors">Errors</h2>
<p>Each <a href="/docs/errors">error code</a> has a page. A problem’s <code>type</code> is its address.</p>
<h2 id="maintainers">For developers of CLS</h2>
${linkList(pagesIn(content, 'maintainers'))}`,
  };
}

/** `/docs/concepts`. */
export function conceptsPage(content: Content): PageModel {
  return { title: 'Concepts', section: 'concepts', body: linkList(pagesIn(content, 'concepts')) };
}

const SECTIONS: Readonly<Record<ContentPage['group'], Section>> = {
  start: 'start',
  quickstarts: 'start',
  concepts: 'concepts',
  versions: 'versions',
  maintainers: 'versions',
};

/** A document of docs/. @param before what stands above its text. */
export function contentPage(one: ContentPage, before?: Html): PageModel {
  const { title, group, html: text, headings } = one;
  const body = html`${before}${trustedMarkup(text)}`;
  return { title, section: SECTIONS[group], headings, body };
}

/** What a browser gets at an address that has no page. */
export function missingPage(): PageModel {
  return {
    title: 'There is no such page',
    section: 'home',
    body: html`<p>The documentation has nothing at this address. <a href="/docs">Begin at its first page</a>.</p>\n`,
  };
}

function pagesIn({ pages }: Content, group: ContentPage['group']): readonly ContentPage[] {
  return pages.filter((one) => one.group === group);
}

function linkList(pages: readonly ContentPage[]): Html {
  return html`<ul>${pages.map(({ path, title }) => html`<li><a href="${path}">${title}</a></li>`)}</ul>
`;
}

function inOneLine(pages: readonly ContentPage[]): Html {
  return html`${joined(pages.map(({ path, title }) => html`<a href="${path}">${title.replace('Quick start: ', '')}</a>`))}`;
}
