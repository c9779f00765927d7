import { FACETS, LEVELS } from '../../questions/ask/balance-store.ts';
import { EXPANSIONS } from '../../questions/page/read-balances.ts';
import type { JsonSchema, MediaTypeObject, OpenApiDocument, Operation } from '../openapi.ts';
import type { ParameterRule } from '../parameter-rule.ts';
import { matching, ref, text, VERSION_ID } from '../schema.ts';
import { DOCUMENT_SCHEMAS, DOCUMENTS, type DocumentTitle } from './contract-documents.ts';
import { PROBLEM_RESPONSES, PROBLEM_SCHEMAS, problemResponses } from './contract-errors.ts';
import { IMPORT_RESPONSES, IMPORT_SCHEMAS, importPaths } from './contract-imports.ts';
import { LIST_SCHEMAS } from './contract-lists.ts';
import { SCHEMAS } from './contract-schemas.ts';
import { USAGE_SCHEMAS, usagePaths } from './contract-usage.ts';
import { withWords } from './contract-words.ts';
import { tableColumns } from './fields.ts';
import {
  DEFAULT_LEVEL,
  isExpandable,
  PARAMETERS,
  type ParameterName,
  TAKEN,
  VALUES_MAX,
} from './parameters.ts';
import { V1_DATA_RULES, V1_PERMISSIONS } from './permissions.ts';
import { DOCUMENT_PATHS, type DocumentName, type Endpoint, PATHS, type Resource } from './query.ts';

type Title = readonly [name: string, summary: string, description: string];

const TITLES: Readonly<Record<Resource, Title>> = {
  balances: [
    'Balance',
    'Balances of deals, facilities, contracts or positions',
    'What is committed, drawn, accrued, billed and past due at a date: globally, and for each lender whose share the caller may see. Asked with `knownAt`, it answers as it would have answered then. A deal that was not granted is not in the list.',
  ],
  principal: [
    'PrincipalBalance',
    'Principal, rolled forward over a period',
    'Opening principal, what changed it, and closing principal: opening and movements are always the closing amount. Without `fromDate`, since the inception of each loan.',
  ],
  movements: [
    'PrincipalMovement',
    'The postings of principal behind a roll-forward',
    'One item for each posting, globally and for each lender whose share the caller may see, with its journal: what happened, when it was true, and when it was recorded.',
  ],
};

let made: OpenApiDocument | undefined;

/**
 * What v1 promises, made from what validates its requests (parameters.ts) and from the shapes of
 * its answers. `contracts/v1.json` is its frozen copy.
 */
export function v1Contract(): OpenApiDocument {
  made ??= {
    openapi: '3.1.0',
    info: {
      title: 'Loan servicing API',
      version: 'v1',
      description: 'Balances of syndicated loans, to the cent, at any date and state of knowledge.',
    },
    servers: [{ url: '/api/v1' }],
    tags: [
      { name: 'Balances', description: 'What the book says.' },
      { name: 'Imports', description: 'Statements and journal files for the book.' },
      { name: 'Usage', description: 'How a customer uses the API.' },
    ],
    paths: Object.fromEntries([
      ...(Object.keys(PATHS) as Resource[]).map((resource) => [
        PATHS[resource],
        { get: listOperation(resource) },
      ]),
      ...(Object.keys(DOCUMENT_PATHS) as DocumentName[]).map((name) => [
        DOCUMENT_PATHS[name],
        { get: documentOperation(name) },
      ]),
      ...Object.entries(importPaths(headersBut('Content-Disposition'))),
      ...Object.entries(usagePaths(headersBut('Content-Disposition'))),
    ]),
    components: {
      schemas: withWords({
        ...{ ...SCHEMAS, ...LIST_SCHEMAS, ...DOCUMENT_SCHEMAS },
        ...{ ...IMPORT_SCHEMAS, ...USAGE_SCHEMAS, ...PROBLEM_SCHEMAS },
      }),
      responses: { ...PROBLEM_RESPONSES, ...IMPORT_RESPONSES },
      headers: HEADERS,
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description: 'An access token from /oauth/token, as `Authorization: Bearer <token>`.',
          flows: {
            clientCredentials: {
              tokenUrl: '/oauth/token',
              scopes: {
                'cls-deal.view': 'View the deals that are granted to the caller’s customer.',
                'external-api.fullcontrol': 'View every deal.',
                'cls-ledger.post': 'Post statements and journal files, and register profiles.',
                'cls-customer.administer':
                  'See the use of the API by the caller’s customer; people alone have it.',
              },
            },
          },
        },
      },
    },
  };
  return made;
}

const header = (description: string, schema: JsonSchema = text()) => ({ description, schema });
const HEADERS = {
  'API-Version': {
    description: 'The version that answered.',
    required: true,
    schema: VERSION_ID,
  },
  'Content-Location': header('Through `latest`: the same answer at the version that gave it.', {
    type: 'string',
    format: 'uri-reference',
  }),
  Deprecation: header(
    'When the version is deprecated, where that is decided (RFC 9745).',
    matching('^@\\d+$'),
  ),
  Sunset: header('When the version retires, where that is decided (RFC 8594).'),
  Link: header('The next page, and other versions (RFC 8288).'),
  ETag: header('For `If-None-Match`; exports have none.'),
  'Content-Disposition': header('The name of an export’s file.'),
  RateLimit: header('How many requests are left (`r`), and for how many seconds (`t`).'),
  'RateLimit-Policy': header('How many requests (`q`) may be sent in how many seconds (`w`).'),
  'X-Request-Id': {
    description: 'Yours, or one that was made: quote it when something is wrong.',
    required: true,
    schema: text(),
  },
};

function headersBut(...left: readonly string[]) {
  const names = Object.keys(HEADERS).filter((name) => !left.includes(name));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const NOT_MODIFIED = {
  description: 'The answer has the `ETag` that the client named.',
  headers: { 'API-Version': { $ref: '#/components/headers/API-Version' } },
};

function documentOperation(name: DocumentName): Operation {
  const { id, schema, rates } = DOCUMENTS[name];
  return {
    ...operationOf(name, DOCUMENTS[name]),
    responses: {
      200: {
        description: 'The whole answer.',
        headers: headersBut('Content-Disposition'),
        content: { 'application/json': { schema: ref(schema) } },
      },
      304: NOT_MODIFIED,
      ...problemResponses([...(id === undefined ? ['404'] : []), ...(rates ? [] : ['422'])]),
    },
  };
}

function listOperation(resource: Resource): Operation {
  const [name, summary, description] = TITLES[resource];
  return {
    ...operationOf(resource, { operationId: `list${name}s`, summary, description }),
    responses: {
      200: {
        description: 'A page, or an export as `Accept` asks.',
        headers: headersBut(),
        content: {
          'application/json': { schema: ref(`${name}List`) },
          'application/x-ndjson': { schema: ref(`${name}Line`) },
          'text/csv': table(resource),
        },
      },
      304: NOT_MODIFIED,
      ...problemResponses(resource === 'movements' ? ['404', '422'] : ['404']),
    },
  };
}

/** What is said of every operation alike. */
function operationOf(
  endpoint: Endpoint,
  { operationId, summary, description, id }: Omit<DocumentTitle, 'schema'>,
) {
  const inPath = { name: 'id', in: 'path', required: true, description: id };
  return {
    tags: ['Balances'],
    operationId,
    summary,
    description,
    security: V1_PERMISSIONS.map((permission) => ({ oauth2: [permission] })),
    'x-permission': { anyOf: [...V1_PERMISSIONS], data: { ...V1_DATA_RULES } },
    parameters: [
      ...(id === undefined ? [] : [{ ...inPath, schema: { type: 'string' } }]),
      ...TAKEN[endpoint].map((parameter) => parameterOf(parameter, endpoint)),
    ],
  };
}

/** RFC 4180; the columns in their order are a part of the contract. */
function table(resource: Resource): MediaTypeObject {
  const reporting = resource === 'movements' ? undefined : { currency: 'USD', date: undefined };
  const levels = resource === 'movements' ? (['contract'] as const) : LEVELS;
  return {
    schema: { type: 'string' },
    'x-columns': Object.fromEntries(
      levels.map((level) => [level, tableColumns({ resource, level, reporting }, undefined)]),
    ),
  };
}

/** What a parameter means at one endpoint, where it is something else. */
const WORDS: Readonly<Record<string, string>> = {
  'facets.fields': `What is counted; default: all. Expected: some of ${FACETS.join(', ')}.`,
  'facets.top': 'Values of each field that are told. Expected: a whole number from 1 to 1000.',
};

function parameterOf(name: ParameterName, resource: Endpoint) {
  const { schema, description, many, expected }: ParameterRule = PARAMETERS[name];
  const one = { ...schema, ...particular(name, resource) };
  return {
    name,
    in: 'query',
    description: WORDS[`${resource}.${name}`] ?? `${description} Expected: ${expected}.`,
    ...(many === undefined
      ? { schema: one }
      : {
          // Repeated is read too; separated by commas is what the contract promises.
          style: 'form',
          explode: false,
          schema: { type: 'array', items: one, maxItems: VALUES_MAX },
        }),
  };
}

/** What a parameter is at one resource. */
function particular(name: ParameterName, resource: Endpoint): JsonSchema {
  if (name === 'level') return { default: DEFAULT_LEVEL[resource] };
  if (name === 'fields' && resource === 'facets') return { enum: FACETS };
  if (name !== 'expand') return {};
  const possible = (one: (typeof EXPANSIONS)[number]) =>
    LEVELS.some((level) => isExpandable(one, resource, level));
  return { enum: EXPANSIONS.filter(possible) };
}
