import { type Html, html, trustedMarkup } from '@cls/shared/http/html';
import type { ApiVersions } from '../versions/api-versions.ts';
import type { Example } from '../versions/examples.ts';
import type { Content, ErrorEntry } from './content.ts';
import { codesOf, operationsOf } from './contract-reader.ts';
import { codeBlock, type PageModel, prose, table } from './page.ts';

/** `/docs/errors`. */
export function errorsPage({ errors }: Content): PageModel {
  return {
    title: 'Errors',
    section: 'errors',
    body: html`${trustedMarkup(errors.introduction)}${table(
      'Error codes',
      ['code', 'status', 'send again'],
      errors.entries.map((entry) => [
        html`<a href="/docs/errors/${entry.code}"><code>${entry.code}</code></a>`,
        entry.statuses.join(', '),
        sendAgain(entry),
      ]),
    )}`,
  };
}

interface ErrorContext {
  readonly issuer: string;
  readonly versions: ApiVersions;
  readonly now: Date;
  /** A recorded refusal. */
  readonly example: Example | undefined;
}

/** `/docs/errors/rate_limited`: the `type` of a problem leads here. */
export function errorPage(entry: ErrorEntry, context: ErrorContext): PageModel {
  const { code, statuses, html: text } = entry;
  return {
    title: code,
    section: 'errors',
    body: html`<dl class="facts">
<div><dt>Status</dt><dd>${statuses.join(', ')}</dd></div>
<div><dt>Send the same request again</dt><dd>${sendAgain(entry)}</dd></div>
</dl>
${trustedMarkup(text)}${exampleOf(entry, context)}${operationsWith(code, context)}<p><a href="/docs/errors">All errors</a></p>
`,
  };
}

function sendAgain({ sendAgain: again, how, statuses: [status] }: ErrorEntry): Html {
  if (!again) return html`no${status === 400 && ': correct the request first'}`;
  return prose(how === undefined ? 'yes' : `yes, ${how}`);
}

/** Documents name their own deployment; shown ones name this one. */
const DEPLOYMENT = /https:\/\/cls\.(?:test|example)(?=\/docs\/errors\/)/g;

function exampleOf({ example: written }: ErrorEntry, { example, issuer }: ErrorContext): Html {
  const shown = example?.body ?? written ?? '';
  const request =
    example && html`<p>Answer to <code>${example.method} ${example.path}</code>:</p>\n`;
  return html`<h2 id="example">Example</h2>
${request}${codeBlock(shown.replaceAll(DEPLOYMENT, issuer), 'json')}`;
}

function operationsWith(code: string, { versions, now }: ErrorContext): Html {
  const { registry, served } = versions;
  const released = registry.releases.filter(
    (release) => registry.statusOf(release, now) !== 'Announced',
  );
  const found = released.flatMap((release) =>
    operationsOf(served(release).module.contract)
      .filter(({ responses }) => responses.some(([, response]) => codesOf(response).includes(code)))
      .map(({ id, method, path }) => ({ version: release.id, operation: id, method, path })),
  );
  if (found.length === 0) return html``;
  return html`<h2 id="operations">Operations that may answer it</h2>
<ul>${found.map(
    ({ version, operation, method, path }) =>
      html`<li><a href="/docs/${version}/operations/${operation}"><code>${method} /api/${version}${path}</code></a></li>`,
  )}</ul>
`;
}
