import { type Html, type HtmlValue, html } from '@cls/shared/http/html';
import type { Example } from '../versions/examples.ts';
import type { JsonSchema, OpenApiDocument } from '../versions/openapi.ts';
import { codesOf, type DescribedOperation, resolved, type Shown } from './contract-reader.ts';
import { codeBlock, joined, type PageModel, prose, table } from './page.ts';
import { fieldList, fieldsOf, typeOf } from './schema-text.ts';
import { tryIt } from './try-it.ts';

interface OperationContext {
  readonly contract: OpenApiDocument;
  readonly version: string;
  /** `https://cls.example/api/v1`. */
  readonly apiUrl: string;
  readonly examples: readonly Example[];
  /** What stands above, where the version ends. */
  readonly notice: Html | undefined;
  /** The scope of a permission in this deployment. */
  scope(permission: string): string;
}

/** `/docs/v1/operations/listBalances`. */
export function operationPage(operation: DescribedOperation, context: OperationContext): PageModel {
  const { method, path, summary, description, parameters } = operation;
  const fieldsPath = `/docs/${context.version}/fields`;
  return {
    title: summary,
    section: 'reference',
    tries: true,
    body: html`${context.notice}${codeBlock(`${method} ${context.apiUrl}${path}`)}
${description !== undefined && html`<p>${prose(description)}</p>\n`}<p><a href="/docs/${context.version}">All operations of ${context.version}</a></p>
${tryIt(operation, context.apiUrl)}<h2 id="permissions">Permissions</h2>
<p>Your token needs one of these:</p>
${permissionTable(operation, context)}<h2 id="parameters">Parameters</h2>
${fieldList(
  parameters.map(({ name, schema, description: words, required }) => ({
    name,
    schema: { ...schema, ...(words !== undefined && { description: withoutValues(words) }) },
    ...(required === true && { note: 'required' }),
  })),
  fieldsPath,
)}<h2 id="answer">The answer</h2>
${answer(operation, context)}${examplesOf(context)}<h2 id="errors">Errors</h2>
${errorTable(operation)}`,
  };
}

/** Values are listed behind the description. */
function withoutValues(description: string): string {
  return description.replace(/ Expected: one of .*$/, '');
}

function permissionTable({ permissions, shows }: DescribedOperation, context: OperationContext) {
  const { securitySchemes } = context.contract.components;
  const meanings = Object.values(securitySchemes).flatMap(({ flows }) =>
    Object.values(flows).flatMap(({ scopes }) => Object.entries(scopes)),
  );
  const meaningOf = (permission: string) =>
    meanings.find(([name]) => name === permission)?.[1] ?? '';
  return table(
    'Permissions',
    ['permission', 'scope in the token', 'what it shows'],
    permissions.map((permission) => [
      html`<code>${permission}</code>`,
      html`<code>${context.scope(permission)}</code>`,
      [prose(meaningOf(permission)), ' ', amountsShown(shows[permission])],
    ]),
  );
}

const AMOUNTS: Readonly<Record<string, string>> = {
  global: 'global amounts',
  every_lender: 'every lender’s share',
  own_share: 'its own share',
};

/** `x-permission` in words: which amounts, by the customer's role in the deal. */
function amountsShown(shown: Shown | undefined): string {
  const sentences = Object.entries(shown?.amounts ?? {}).map(([role, amounts]) => {
    const words = amounts.map((one) => AMOUNTS[one] ?? one).join(' and ');
    return role === 'any' ? `It shows ${words}.` : `As ${role}: ${words}.`;
  });
  return sentences.join(' ');
}

function answer({ responses }: DescribedOperation, context: OperationContext): HtmlValue {
  const { version, contract } = context;
  const fieldsPath = `/docs/${version}/fields`;
  return responses
    .filter(([status]) => status < '400')
    .map(([status, { description, headers = {}, content = {} }]) => {
      const types = Object.entries(content);
      const rows = types.map(([type, { schema = {} }]) => [
        html`<code>${type}</code>`,
        typeOf(schema, fieldsPath),
      ]);
      const columns = content['text/csv']?.['x-columns'] as Columns | undefined;
      return html`<h3 id="status-${status}">${status}</h3>
<p>${prose(description)}</p>
${rows.length > 0 && table('Media types', ['media type', 'what it holds'], rows)}${bodyFields(content['application/json']?.schema, contract, fieldsPath)}${columns !== undefined && columnList(columns)}${status === '200' && headerList(Object.keys(headers), version)}`;
    });
}

/** The outermost members of a JSON answer. */
function bodyFields(schema: JsonSchema | undefined, contract: OpenApiDocument, fieldsPath: string) {
  const target = schema && resolved<JsonSchema>(contract, schema);
  if (target?.properties === undefined) return undefined;
  return html`<p>Fields of the JSON answer; <a href="${fieldsPath}">all fields</a> are explained on a page of their own.</p>
${fieldList(fieldsOf(target), fieldsPath)}`;
}

type Columns = Readonly<Record<string, readonly string[]>>;

function columnList(columns: Columns): Html {
  return html`<details><summary>Columns of CSV</summary>
<dl>${Object.entries(columns).map(
    ([level, names]) =>
      html`<dt>With <code>level=${level}</code></dt><dd>${joined(names.map((name) => html`<code>${name}</code>`))}</dd>\n`,
  )}</dl></details>
`;
}

function headerList(names: readonly string[], version: string): Html {
  return html`<p>Headers: ${joined(names.map((name) => html`<a href="/docs/${version}#header-${name}">${name}</a>`))}.</p>
`;
}

function examplesOf({ examples, apiUrl }: OperationContext): HtmlValue {
  if (examples.length === 0) return undefined;
  return html`<h2 id="examples">Examples</h2>
<p>These are recorded answers, here with line breaks in JSON. A version goes on giving them, byte for byte; only imports have other ids and times.</p>
${examples.map(
  ({ title, method, path, headers = {}, sent, type, body }) => html`<h3>${title}</h3>
${codeBlock([`${method} ${apiUrl}${path}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n'))}${
  sent !== undefined &&
  html`<details><summary>What is sent</summary>${codeBlock(sent, 'json')}</details>
`
}<details><summary>The answer</summary>${codeBlock(body, /json/.test(type) ? 'json' : '')}</details>
`,
)}`;
}

function errorTable({ responses }: DescribedOperation): Html {
  const refused = responses.filter(([status]) => status >= '400');
  return table(
    'Errors',
    ['status', 'code', 'when'],
    refused.map(([status, response]) => [
      status,
      joined(
        codesOf(response).map(
          (code) => html`<a href="/docs/errors/${code}"><code>${code}</code></a>`,
        ),
      ),
      prose(response.description),
    ]),
  );
}
