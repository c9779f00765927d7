import { type Html, html } from '@cls/shared/http/html';
import type { PageModel } from './page.ts';

/** A part of a page below a heading; the first of each page has no heading. */
export interface SearchSection {
  readonly path: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

const QUERY_MAX_CHARS = 100;
const RESULTS_MAX = 30;
const SHOWN_CHARS = 160;
/** What a word is worth by where it stands. */
const WORTH = { title: 9, heading: 4, text: 1 } as const;

/** The sections of a page as it is served. */
export function sectionsOf(path: string, markup: string): readonly SearchSection[] {
  const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(markup) ?? [];
  const [, title = '', body = ''] = /<h1>([\s\S]*?)<\/h1>([\s\S]*)/.exec(main) ?? [];
  return body.split(/(?=<h[23]\b)/).map((part) => {
    const [, id, heading = ''] = /^<h[23](?: id="([^"]*)")?>([\s\S]*?)<\/h[23]>/.exec(part) ?? [];
    return {
      path: id === undefined ? path : `${path}#${id}`,
      title: plain(title),
      heading: plain(heading),
      text: plain(part.replace(/^<h[23][\s\S]*?<\/h[23]>/, '')),
    };
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' },
};

function plain(markup: string): string {
  return markup
    .replace(/<span [^>]*>|<\/span>/g, '') // Colours are inside of words.
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}

/** `/docs/search?q=…`: the sections with every word, the best first. */
export function searchPage(query: string, sections: readonly SearchSection[]): PageModel {
  const asked = query.slice(0, QUERY_MAX_CHARS).trim();
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : ranked(words, sections);
  return {
    title: asked === '' ? 'Search' : `Search: ${asked}`,
    section: 'home',
    query: asked,
    body: html`<p role="status">${countOf(words.length, found.length)}</p>
<ol class="results">${found.slice(0, RESULTS_MAX).map((one) => result(one, words))}</ol>
`,
  };
}

function countOf(words: number, found: number): string {
  if (words === 0)
    return 'Type a word into the field above: an operation, a parameter, an error code.';
  if (found === 0) return 'No page has all of these words. Try fewer words, or a part of one.';
  if (found > RESULTS_MAX) return `The first ${RESULTS_MAX} of ${found} places, the best first.`;
  return found === 1 ? '1 place' : `${found} places, the best first.`;
}

function ranked(words: readonly string[], sections: readonly SearchSection[]) {
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ section }) => section);
}

/** 0 where a word is missing. A page is found by its title through its first section alone. */
function scoreOf({ title, heading, text }: SearchSection, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const inTitle = heading === '' && title.toLowerCase().includes(word);
    const inHeading = heading.toLowerCase().includes(word);
    const inText = text.toLowerCase().includes(word);
    if (!inTitle && !inHeading && !inText) return 0;
    score +=
      (inTitle ? WORTH.title : 0) + (inHeading ? WORTH.heading : 0) + (inText ? WORTH.text : 0);
  }
  return score;
}

function result({ path, title, heading, text }: SearchSection, words: readonly string[]): Html {
  const before = text.toLowerCase().indexOf(words[0] ?? '') - SHOWN_CHARS / 4;
  const at = before <= 0 ? 0 : text.lastIndexOf(' ', before) + 1;
  const shown = text.slice(at, at + SHOWN_CHARS);
  return html`<li><a href="${path}">${title}${heading !== '' && `: ${heading}`}</a><p>${at > 0 && '… '}${marked(shown, words)}${at + SHOWN_CHARS < text.length && ' …'}</p></li>
`;
}

function marked(text: string, words: readonly string[]): Html {
  const parts = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pieces = text.split(new RegExp(`(${parts.join('|')})`, 'i'));
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<mark>${piece}</mark>` : piece))}`;
}
