// Markdown of docs/ as HTML of the served documentation: links to pages that are served lead there,
// others (to sources and decisions) are text. Code gets the classes of its colours. No markup of a
// file passes through unescaped.
import { dirname, posix } from 'node:path';
import { Marked, Renderer } from 'marked';
import { coloured } from '../../packages/resource-api/dist/src/documentation/colours.js';

/**
 * @param pathOf the served path of a file of the repository, or undefined.
 * @param include the text of a file that a page shows.
 */
export function markdownPages({ pathOf, include }) {
  return (file, text) => {
    const headings = [];
    const ids = new Set();
    const marked = new Marked({ gfm: true });
    const linkOf = (href) => servedLink(file, href, pathOf);
    marked.use({
      walkTokens(token) {
        if (!isInclude(token)) return;
        const { href } = token.tokens[0];
        const shown = posix.join(dirname(file), href);
        const { text: source } = include(shown);
        Object.assign(token, { included: { source, name: posix.basename(shown), href } });
      },
      renderer: {
        heading({ tokens, depth }) {
          const inner = this.parser.parseInline(tokens);
          const plain = inner.replace(/<[^>]+>/g, '');
          const id = uniqueId(ids, unescaped(plain));
          headings.push({ id, depth, text: unescaped(plain) });
          return depth === 1 ? '' : `<h${depth} id="${id}">${inner}</h${depth}>\n`;
        },
        paragraph(token) {
          if (token.included === undefined) return false;
          const { source, name, href } = token.included;
          const to = linkOf(href);
          return `<figure class="source"><figcaption><a href="${escaped(to)}">${escaped(name)}</a></figcaption>${codeBlock(source, posix.extname(name).slice(1))}</figure>\n`;
        },
        link({ href, tokens }) {
          const inner = this.parser.parseInline(tokens);
          const to = linkOf(href);
          return to === undefined ? inner : `<a href="${escaped(to)}">${inner}</a>`;
        },
        code: ({ text: source, lang = '' }) => codeBlock(source, lang.split(' ')[0]),
        table(token) {
          const table = Renderer.prototype.table.call(this, token);
          return `<div class="scroll" role="group" aria-label="Table" tabindex="0">${table}</div>\n`;
        },
        html: ({ text: markup }) => escaped(markup),
      },
    });
    const html = marked.parse(text);
    const [title] = headings.filter(({ depth }) => depth === 1);
    return { title: title?.text ?? file, html, headings: headings.filter((one) => one !== title) };
  };
}

/** A paragraph of nothing but a link with the title "include". */
function isInclude({ type, tokens }) {
  return (
    type === 'paragraph' &&
    tokens.length === 1 &&
    tokens[0].type === 'link' &&
    tokens[0].title === 'include'
  );
}

function servedLink(file, href, pathOf) {
  if (/^(https?|mailto):/.test(href) || href.startsWith('#')) return href;
  const [target, anchor] = href.split('#');
  const path = pathOf(posix.join(dirname(file), target));
  if (path === undefined) return undefined;
  return anchor === undefined ? path : `${path}#${anchor}`;
}

function codeBlock(source, language) {
  return `<pre tabindex="0"><code>${coloured(source.replace(/\n$/, ''), language)}</code></pre>\n`;
}

/** As GitHub makes them, so that an anchor works in both places. */
function uniqueId(ids, text) {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  let id = slug;
  for (let count = 1; ids.has(id); count += 1) id = `${slug}-${count}`;
  ids.add(id);
  return id;
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escaped(text) {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

function unescaped(text) {
  return Object.entries(ENTITIES).reduce(
    (plain, [character, entity]) => plain.replaceAll(entity, character),
    text,
  );
}
