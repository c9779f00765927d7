import { createHash } from 'node:crypto';
import { type Html, type HtmlValue, html, trustedMarkup } from '@cls/shared/http/html';
import type { ImportReport } from '../import-report.ts';
import { reportSections } from './report-sections.ts';
import type { Section, Table } from './section.ts';

/** The colours are those of the page kit. */
const STYLE = `
:root{color-scheme:light dark;--ground:#f3f5f8;--surface:#fff;--text:#17202c;--muted:#515d6c;--line:#d6dce4}
@media screen and (prefers-color-scheme:dark){:root{--ground:#0f141b;--surface:#18202a;--text:#e8ecf2;--muted:#a9b4c2;--line:#303b49}}
*{box-sizing:border-box}
body{margin:0;font:100%/1.5 system-ui,sans-serif;color:var(--text);background:var(--ground);overflow-wrap:anywhere}
main{max-inline-size:72rem;margin-inline:auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
p{margin:.25rem 0}
section{margin-block-start:1.5rem;padding:1rem;background:var(--surface);border:1px solid var(--line);border-radius:.5rem;overflow-x:auto}
h2{font-size:1rem;margin:0 0 .5rem}
table{border-collapse:collapse;inline-size:100%;font-size:.875rem}
caption{text-align:start;padding-block-end:.25rem}
caption p{font-size:1rem}
th,td{text-align:start;vertical-align:top;padding:.375rem .75rem .375rem 0;border-block-end:1px solid var(--line);unicode-bidi:isolate;min-inline-size:6rem}
th{font-weight:600}
.number{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums}
@media print{body{background:none}section{border:0;padding:0;overflow:visible}tr{break-inside:avoid}thead{display:table-header-group}}
`;
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** One page with its own style, without scripts, and without anything from elsewhere. */
export function reportHtml(report: ImportReport): string {
  const [head, ...sections] = reportSections(report);
  const title = head?.title ?? 'Statement';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title} – ${report.file}</title>
<style>${trustedMarkup(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${paragraphs(head?.sentences ?? [])}${head?.table && tableHtml('What was read', head.table)}
${sections.map(sectionHtml)}
</main>
</body>
</html>
`.toString();
}

function sectionHtml({ title, sentences, table }: Section): Html {
  const about = html`<h2>${title}</h2>${paragraphs(sentences)}`;
  return html`<section tabindex="0" aria-label="${title}">
${table ? tableHtml(about, table) : about}
</section>
`;
}

function paragraphs(sentences: readonly string[]): readonly Html[] {
  return sentences.map((sentence) => html`<p>${sentence}</p>\n`);
}

function tableHtml(caption: HtmlValue, { columns, numbers = [], rows }: Table): Html {
  const isNamed = columns.some((name) => name !== '');
  const classes = columns.map((name) => numbers.includes(name) && NUMBER);
  const head = columns.map((name, at) => html`<th scope="col"${classes[at]}>${name}</th>`);
  return html`<table>
<caption>${caption}</caption>
${isNamed && html`<thead><tr>${head}</tr></thead>\n`}<tbody>
${rows.map((row) => rowHtml(row, classes))}</tbody>
</table>`;
}

function rowHtml(row: readonly string[], classes: readonly HtmlValue[]): Html {
  const cells = row.map((cell, at) =>
    at === 0 ? html`<th scope="row">${cell}</th>` : html`<td${classes[at]}>${cell}</td>`,
  );
  return html`<tr>${cells}</tr>\n`;
}

const NUMBER = trustedMarkup(' class="number"');
