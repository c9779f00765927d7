import { strToU8, zipSync } from 'fflate';
import {
  type CollectionSource,
  inOrder,
  KEPT,
  PROFILE_NAME,
  pathValue,
  sentBy,
} from './collection-values.ts';
import { byTag, type DescribedOperation, type Parameter } from './contract-reader.ts';
import { FIRST_VALUES, firstQuery } from './postman.ts';

/** The files of a version's collection of Bruno, by name. */
function brunoFiles(source: CollectionSource): Readonly<Record<string, string>> {
  const { version, issuer, operations } = source;
  const name = `CLS ${version}`;
  const requests = byTag(inOrder(operations)).flatMap(([tag, list], at): [string, string][] => [
    [`${tag}/folder.bru`, block('meta', [`name: ${tag}`, `seq: ${at + 1}`]).join('\n')],
    ...list.map((operation, index): [string, string] => [
      `${tag}/${operation.id}.bru`,
      request(operation, source, index + 1),
    ]),
  ]);
  return {
    'bruno.json': `${JSON.stringify({ version: '1', name, type: 'collection' }, null, 2)}\n`,
    'collection.bru': AUTHORIZATION,
    'environments/CLS.bru': [
      ...block('vars', [`baseUrl: ${issuer}`, 'clientId:', `profileName: ${PROFILE_NAME}`]),
      'vars:secret [',
      '  clientSecret',
      ']',
      '',
    ].join('\n'),
    ...Object.fromEntries(requests),
  };
}

/** The same collection packed, with the same bytes each time. */
export function brunoZip(source: CollectionSource): Buffer {
  const folder = `cls-${source.version}`;
  const entries = Object.entries(brunoFiles(source)).map(([name, text]): [string, Uint8Array] => [
    `${folder}/${name}`,
    strToU8(text),
  ]);
  return Buffer.from(zipSync(Object.fromEntries(entries), { mtime: '2000-01-01T00:00:00' }));
}

const AUTHORIZATION = [
  ...block('auth', ['mode: oauth2']),
  ...block('auth:oauth2', [
    'grant_type: client_credentials',
    'access_token_url: {{baseUrl}}/oauth/token',
    'client_id: {{clientId}}',
    'client_secret: {{clientSecret}}',
    'scope:',
    'credentials_placement: basic_auth_header',
    'credentials_id: credentials',
    'token_placement: header',
    'token_header_prefix: Bearer',
    'auto_fetch_token: true',
    'auto_refresh_token: false',
  ]),
].join('\n');

function request(operation: DescribedOperation, source: CollectionSource, seq: number): string {
  const { id, method, path, summary, parameters } = operation;
  const sent = sentBy(operation, source);
  const format = sent?.type === 'application/json' ? 'json' : 'text';
  const { version, issuer } = source;
  const query = parameters.filter((one) => one.in === 'query');
  const variables = parameters
    .filter((one) => one.in === 'path')
    .map(({ name }) => `${name}: ${pathValue(operation)}`);
  const headers = parameters
    .filter((one) => one.in === 'header')
    .map(({ name }) => `${name}: {{$guid}}`);
  const kept = Object.entries(KEPT[id] ?? {}).map(
    ([name, place]) => `bru.setVar('${name}', res.body.${place} ?? '');`,
  );
  const url = `{{baseUrl}}/api/${version}${path.replace(/\{(\w+)\}/g, ':$1')}${firstQuery(query, sent?.query)}`;
  return [
    ...block('meta', [`name: ${summary}`, 'type: http', `seq: ${seq}`]),
    ...block(method.toLowerCase(), [
      `url: ${url}`,
      `body: ${sent === undefined ? 'none' : format}`,
      'auth: inherit',
    ]),
    ...(query.length === 0
      ? []
      : block(
          'params:query',
          query.map((one) => parameterLine(one, sent?.query)),
        )),
    ...(variables.length === 0 ? [] : block('params:path', variables)),
    ...block('headers', [
      'Accept: application/json',
      ...(sent === undefined ? [] : [`Content-Type: ${sent.type}`]),
      ...headers,
    ]),
    ...(sent === undefined ? [] : block(`body:${format}`, sent.body.trimEnd().split('\n'))),
    ...block('assert', ['res.status: in [200, 202, 204]']),
    ...(kept.length === 0 ? [] : block('script:post-response', kept)),
    ...block('docs', [
      operation.description ?? summary,
      `${issuer}/docs/${version}/operations/${id}`,
    ]),
  ].join('\n');
}

/** Switched off with a tilde. */
function parameterLine({ name }: Parameter, sent?: URLSearchParams): string {
  const value = sent?.get(name) ?? FIRST_VALUES[name];
  return value === undefined ? `~${name}:` : `${name}: ${value}`;
}

function block(name: string, lines: readonly string[]): readonly string[] {
  return [`${name} {`, ...lines.map((line) => `  ${line}`), '}', ''];
}
