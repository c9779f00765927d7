import { type Html, html, trustedMarkup } from '@cls/shared/http/html';
import type { Registry } from '../lifecycle/registry.ts';
import type { Release } from '../lifecycle/release.ts';
import type { JsonSchema, OpenApiDocument } from '../versions/openapi.ts';
import { byTag, type DescribedOperation, operationsOf, resolved } from './contract-reader.ts';
import { codeBlock, joined, type PageModel, prose, table } from './page.ts';
import { fieldList, fieldsOf, typeOf, valuesOf } from './schema-text.ts';

/** The registry at this instant, for people. */
export function statusTable(registry: Registry, now: Date): Html {
  return table(
    'Status of versions',
    ['version', 'status', 'end'],
    registry
      .table(now)
      .map(({ versionId, support, retirement }) => [
        versionId === 'latest'
          ? html`<code>latest</code>, today ${registry.latest(now).id}`
          : html`<a href="/docs/${versionId}"><code>${versionId}</code></a>`,
        support,
        retirement === 'N/A' ? 'no end is planned' : retirement,
      ]),
  );
}

/** What stands above every page of a version that ends. */
export function endNotice(registry: Registry, release: Release, now: Date): Html | undefined {
  const status = registry.statusOf(release, now);
  if (status !== 'Deprecated' && status !== 'Retired') return undefined;
  const { id, retiresAt } = release;
  const successor = registry.successorOf(release, now)?.id;
  const end = retiresAt === undefined ? 'Its end has no date yet.' : `It retires at ${retiresAt}.`;
  return html`<p class="notice"><strong>${id} ${status === 'Retired' ? 'has ended.' : 'is deprecated.'}</strong> ${
    status === 'Deprecated' && end
  }${
    successor !== undefined &&
    html` Use <a href="/docs/${successor}">${successor}</a>: <a href="/docs/${successor}/changes">what changes</a>.`
  }</p>
`;
}

/** `/docs/v1`: what the version has, and where it stands in time. */
export function versionPage(
  release: Release,
  contract: OpenApiDocument,
  { registry, now, apiUrl }: { registry: Registry; now: Date; apiUrl: string },
): PageModel {
  const { id } = release;
  const { description } = contract.info as { description?: string };
  return {
    title: `Reference of ${id}`,
    section: 'reference',
    body: html`${endNotice(registry, release, now)}<p>${prose(description ?? '')}</p>
<p>Status: ${registry.statusOf(release, now)}. ${lifeOf(release)} <a href="/docs/versioning">What you may rely on</a>, <a href="/docs/${id}/changes">what changed in ${id}</a>.</p>
${codeBlock(apiUrl)}<h2 id="operations">Operations</h2>
${byTag(operationsOf(contract)).map(
  ([tag, operations]) => html`<h3>${tag}</h3>\n${operationTable(id, tag, operations)}`,
)}<p><a href="/docs/${id}/fields">All objects and their fields</a></p>
<h2 id="downloads">Downloads</h2>
<ul>
${
  registry.statusOf(release, now) !== 'Retired' &&
  html`<li><a href="/api/${id}/openapi.json">OpenAPI 3.1 description</a>: the contract, for tools and generated clients.</li>
`
}<li><a href="/docs/${id}/cls.postman_collection.json">Postman collection</a> (format 2.1): set the variables <code>clientId</code> and <code>clientSecret</code>; a script gets the token. <code>newman run</code> runs it on the command line.</li>
<li><a href="/docs/${id}/cls.bruno.zip">Bruno collection</a>: unpack it, open the folder, and fill in the environment. <code>bru run</code> runs it on the command line.</li>
${otherContracts()}</ul>
<h2 id="headers">Headers of answers</h2>
${headerTable(contract)}`,
  };
}

function operationTable(id: string, tag: string, operations: readonly DescribedOperation[]): Html {
  return table(
    `Operations: ${tag}`,
    ['operation', 'request', 'permissions'],
    operations.map((one) => [
      html`<a href="/docs/${id}/operations/${one.id}">${one.summary}</a>`,
      html`<code>${one.method} ${one.path}</code>`,
      joined(
        one.permissions.map((name) => html`<code>${name}</code>`),
        ' or ',
      ),
    ]),
  );
}

/** The list of operations beside each page of the reference. @param current the page's own path */
export function operationMenu(
  id: string,
  operations: readonly DescribedOperation[],
  current: string,
): Html {
  const link = (path: string, label: string) =>
    html`<li><a href="${path}"${path === current && trustedMarkup(' aria-current="page"')}>${label}</a></li>\n`;
  return html`<nav class="side" aria-label="Reference of ${id}">
<ul>${link(`/docs/${id}`, `Reference of ${id}`)}${link(`/docs/${id}/fields`, 'Objects and fields')}</ul>
${byTag(operations).map(
  ([tag, list]) => html`<h2>${tag}</h2>
<ul>${list.map((one) => link(`/docs/${id}/operations/${one.id}`, one.summary))}</ul>
`,
)}</nav>
`;
}

/** What auth-server serves, below the same base URL. */
export function otherContracts(): Html {
  return html`<li><a href="/oauth/openapi.json">OpenAPI 3.1 description of the token endpoint</a>, revocation and introspection (<a href="/docs/tokens">Tokens</a>).</li>
<li><a href="/admin/v1/openapi.json">OpenAPI 3.1 description of the administrators’ API</a> (<a href="/docs/accounts">Accounts</a>).</li>
`;
}

function lifeOf({ releasedAt, promotesAt, deprecatedAt, retiresAt, brownouts = [] }: Release) {
  return [
    `Released on ${dayOf(releasedAt)}.`,
    promotesAt === releasedAt ? '' : `latest since ${dayOf(promotesAt)}.`,
    deprecatedAt === undefined ? '' : `Deprecated on ${dayOf(deprecatedAt)}.`,
    retiresAt === undefined ? '' : `It retires at ${retiresAt}.`,
    ...brownouts.map(({ from, to }) => `Switched off from ${from} to ${to}.`),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

function headerTable(contract: OpenApiDocument): Html {
  const headers = (contract.components['headers'] ?? {}) as Readonly<Record<string, unknown>>;
  return html`<dl class="fields">${Object.entries(headers).map(([name, value]) => {
    const { description = '' } = resolved<{ description?: string }>(contract, value);
    return html`<div><dt id="header-${name}"><code>${name}</code></dt><dd>${prose(description)}</dd></div>\n`;
  })}</dl>
`;
}

/** `/docs/v1/fields`: every object of the version's answers. */
export function fieldsPage(id: string, { components }: OpenApiDocument): PageModel {
  const path = `/docs/${id}/fields`;
  const schemas = Object.entries(components.schemas);
  return {
    title: `Objects and fields of ${id}`,
    section: 'reference',
    headings: schemas.map(([name]) => ({ id: name, depth: 2, text: name })),
    body: html`<p>A name with dots is a field within a field. <code>[]</code> is each item of a list. <a href="/docs/${id}">All operations of ${id}</a>.</p>
${schemas.map(([name, schema]) => html`<h2 id="${name}">${name}</h2>\n${schemaText(schema, name, path)}`)}`,
  };
}

function schemaText(schema: JsonSchema, name: string, path: string): Html {
  const words = schema.description;
  if (name.endsWith('Fields')) {
    const whole = name.replace(/Fields$/, '');
    return html`<p>${words !== undefined && prose(words)} Its fields are those of <a href="${path}#${whole}">${whole}</a>.</p>\n`;
  }
  if (schema.properties !== undefined) {
    return html`${words !== undefined && html`<p>${prose(words)}</p>\n`}${fieldList(fieldsOf(schema), path)}`;
  }
  return html`<p>${words !== undefined && prose(words)} ${schema.oneOf && 'One of: '}<span class="type">${typeOf(schema, path)}</span>${valuesOf(schema)}</p>
${schema.pattern !== undefined && html`<p>Pattern: <code>${schema.pattern}</code></p>\n`}`;
}

const RULES: Readonly<Record<string, string>> = {
  R1: 'an endpoint is removed',
  R2: 'a permission means something else',
  R3: 'a parameter or field is removed',
  R4: 'a parameter is required',
  R5: 'another behaviour',
  R6: 'a new validation',
};

/** `/docs/v2/changes`: what a program must do to move to the version. */
export function changesPage(release: Release, predecessor: Release | undefined): PageModel {
  const { id, changes } = release;
  return {
    title: `What changed in ${id}`,
    section: 'versions',
    body: html`<p>${lifeOf(release)}</p>
${
  predecessor === undefined
    ? html`<p>${id} is the first version. It grows by compatible additions alone: the <a href="/docs/changelog">changelog</a> has them by release of the product.</p>\n`
    : html`<p>These changes are incompatible with <a href="/docs/${predecessor.id}">${predecessor.id}</a>: a program that moves to ${id} must look at each. Additions are in the <a href="/docs/changelog">changelog</a>.</p>
${changes.map(
  ({ name, summary, covers }) => html`<h2 id="${name}">${prose(summary)}</h2>
<ul>${covers.map(
    ({ rule, operation }) =>
      html`<li><code>${operation}</code>: ${RULES[rule]} (<a href="/docs/versioning#what-you-may-rely-on">${rule}</a>)</li>`,
  )}</ul>
`,
)}`
}`,
  };
}
