import type { JsonSchema, Operation, ResponseObject } from '../openapi.ts';
import type { ParameterRule } from '../parameter-rule.ts';
import {
  as,
  constant,
  flag,
  idOf,
  integer,
  listOf,
  matching,
  nullable,
  object,
  oneOf,
  ref,
  text,
} from '../schema.ts';
import { problemResponse, problemResponses } from './contract-errors.ts';
import { PAGE } from './contract-lists.ts';
import { FILE_TYPES, IMPORT_PATHS } from './import-routes.ts';
import {
  IMPORT_PARAMETERS,
  PAGE_PARAMETERS,
  PARAMETERS,
  type ParameterName,
} from './parameters.ts';
import { V1_POST_DATA_RULES, V1_POST_PERMISSIONS } from './permissions.ts';

const STATUSES = ['queued', 'running', 'checked', 'applied', 'refused', 'failed'];
const FAULT = object(
  {
    row: integer('The row of the statement, or the line of the journal file; 0: the whole file.'),
    column: text('The column or field.'),
    code: text('What kind of fault it is.'),
    message: text('What was expected.'),
    value: text('What the file has.'),
  },
  ['value'],
);
const PROFILE_NAME = matching('^[a-z0-9-]{1,100}$', 'The name of the profile.');
const ANY: JsonSchema = { type: 'object' };

export const IMPORT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Import: object({
    object: constant('import'),
    id: idOf('job', 'The id of the job.'),
    status: oneOf(
      STATUSES,
      'queued and running: ask again. checked: no faults, and nothing was written. applied: the book has it. refused: the report says why. failed: post it again.',
    ),
    kind: oneOf(['statement', 'journals'], 'What the file is.'),
    apply: flag('Whether it is posted when it has no faults.'),
    profile: nullable(text(), 'Of a statement; null: a journal file.'),
    sha256: matching('^[0-9a-f]{64}$', 'The digest of the file, as it was sent.'),
    sizeBytes: integer('The size of the file.'),
    postedBy: text('The account of the token with which the file was posted.'),
    createdAt: as(ref('Instant'), 'When the file came.'),
    startedAt: as(ref('InstantOrNull'), 'When it was begun.'),
    endedAt: as(ref('InstantOrNull'), 'When the job ended.'),
    importId: nullable(text(), 'Of a statement that the book has.'),
    report: nullable(
      object(
        {
          outcome: text('What the import came to.'),
          detail: text('Why it failed.'),
          faults: listOf(FAULT, 'Why the file is refused: at most 1,000 are listed.'),
          faultCount: integer('How many there are.'),
          warnings: listOf(FAULT, 'What should be looked at: at most 1,000 are listed.'),
          warningCount: integer('How many there are.'),
        },
        ['detail', 'faults', 'faultCount', 'warnings', 'warningCount'],
      ),
      'Null until the job ended. It has more members, which depend on the kind.',
    ),
  }),
  ImportItem: object({ object: constant('item'), data: as(ref('Import'), 'The job.') }),
  ImportList: object({
    object: constant('list'),
    data: listOf(ref('Import'), 'The newest first.'),
    page: PAGE,
  }),
  ImportProfile: object({
    object: constant('importProfile'),
    name: PROFILE_NAME,
    changedAt: as(ref('Instant'), 'When it was last registered.'),
    profile: as(ANY, 'The profile, as it was registered.'),
  }),
  ImportProfileItem: object({
    object: constant('item'),
    data: as(ref('ImportProfile'), 'The profile.'),
  }),
  ImportProfileList: object({
    object: constant('list'),
    data: listOf(ref('ImportProfile'), 'By name.'),
  }),
};

const FORBIDDEN_CODES = [
  ...['token_expired', 'token_revoked', 'token_untrusted', 'token_invalid'],
  'insufficient_permission',
  'imports_disabled',
];

/** Answers that these operations alone give, by the name of their response. */
export const IMPORT_RESPONSES: Readonly<Record<string, ResponseObject>> = {
  ImportsForbidden: problemResponse(
    '403',
    'The token lacks the permission or is not trusted, or imports are switched off.',
    FORBIDDEN_CODES,
  ),
  PostForbidden: problemResponse(
    '403',
    'The same, or the source is another customer’s, or only the operator imports it.',
    [...FORBIDDEN_CODES, 'source_not_open'],
  ),
  ImportBadRequest: problemResponse('400', 'A parameter or the Idempotency-Key is wrong.', [
    ...['invalid_parameter', 'unknown_parameter', 'idempotency_key_invalid'],
  ]),
  IdempotencyKeyInUse: problemResponse('409', 'Another request with the key sends its file.', [
    'idempotency_key_in_use',
  ]),
  BodyTooLarge: problemResponse('413', 'The body is too large.', ['body_too_large']),
  UnsupportedMediaType: problemResponse('415', 'The body has another media type.', [
    'unsupported_media_type',
  ]),
  ImportUnprocessable: problemResponse(
    '422',
    'The key came with another request, or the profile is not valid.',
    [...['idempotency_key_reused', 'invalid_profile']],
  ),
  TooManyImports: problemResponse('429', 'Send the request again after `Retry-After`.', [
    ...['rate_limited', 'too_many_at_once', 'statement_budget_spent', 'too_many_imports'],
  ]),
};

const FORBIDDEN = responsesOf({ 403: 'ImportsForbidden' });
const OF_BODY = responsesOf({
  ...{ 413: 'BodyTooLarge', 415: 'UnsupportedMediaType', 422: 'ImportUnprocessable' },
});
const OF_FILE = responsesOf({
  ...{
    400: 'ImportBadRequest',
    403: 'PostForbidden',
    409: 'IdempotencyKeyInUse',
    429: 'TooManyImports',
  },
});

/** @param names of responses, by status. */
function responsesOf(names: Readonly<Record<string, string>>): Record<string, { $ref: string }> {
  return Object.fromEntries(
    Object.entries(names).map(([status, name]) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}

const FILE: JsonSchema = { type: 'string', format: 'binary' };
type Headers = Readonly<Record<string, unknown>>;

/** @param headers of answers, by reference. */
export function importPaths(headers: Headers): Record<string, Record<string, Operation>> {
  const read = (
    [operationId, summary, description]: readonly [string, string, string],
    schema: string,
    parameters: readonly unknown[],
  ): Operation => ({
    ...said(operationId, summary, description, parameters),
    responses: {
      200: answer('The whole answer.', schema, headers),
      304: NOT_MODIFIED,
      ...problemResponses(['422', ...(schema.endsWith('List') ? ['404'] : [])]),
      ...FORBIDDEN,
    },
  });
  const id = inPath('id', 'The id of a job.', { type: 'string' });
  const name = inPath('name', 'The name of a profile.', { type: 'string' });
  return {
    [IMPORT_PATHS.imports]: {
      get: read(LIST, 'ImportList', PAGE_PARAMETERS.map(parameterOf)),
      post: postOperation(headers),
    },
    [IMPORT_PATHS.import]: { get: read(ITEM, 'ImportItem', [id]) },
    [IMPORT_PATHS.profiles]: { get: read(PROFILES, 'ImportProfileList', []) },
    [IMPORT_PATHS.profile]: {
      get: read(PROFILE, 'ImportProfileItem', [name]),
      put: {
        ...said('putImportProfile', 'Register a profile', PUT, [name]),
        requestBody: { required: true, content: { 'application/json': { schema: ANY } } },
        responses: {
          200: answer('The profile, as it is registered.', 'ImportProfileItem', headers),
          ...problemResponses(['404', '422']),
          ...FORBIDDEN,
          ...OF_BODY,
        },
      },
      delete: {
        ...said(
          'deleteImportProfile',
          'Remove a profile',
          'Of your customer alone. Jobs that were posted keep it.',
          [name],
        ),
        responses: {
          204: { description: 'It is removed.', headers },
          ...problemResponses(['422']),
          ...FORBIDDEN,
        },
      },
    },
  };
}

const LIST = [
  'listImports',
  'Files that your customer posted',
  'The newest first, until 30 days after their end.',
] as const;
const ITEM = [
  'getImport',
  'A posted file, and what became of it',
  'Ask until `status` is neither `queued` nor `running`. The report lists faults by row and column.',
] as const;
const PROFILES = [
  'listImportProfiles',
  'Profiles that statements are read by',
  'A profile says how the columns of a sender’s statement are read. They are those of your customer, and those of the operator where yours has none of the name.',
] as const;
const PROFILE = ['getImportProfile', 'A profile', 'As it was registered.'] as const;
const PUT =
  'The profile takes the place of your customer’s one with the same name; other customers do not see it. Its member `name` must be the name of the path. It makes no sanity check weaker than it is by itself: a check is accepted at the import, with the reason.';

function postOperation(headers: Headers): Operation {
  return {
    ...said(
      'postImport',
      'Check a statement or a journal file, or post it',
      'The file is the body of the request. The answer names a job, which checks the file and, with `apply=true`, posts it in one transaction. The same `Idempotency-Key` with the same file and parameters gets the same job, for as long as the job is kept. A source belongs to the customer that posted its first statement: statements of another customer’s source, or of one that only the operator imports, are refused. A journal file can name any deal of the book: to post one, the token needs `external-api.fullcontrol` as well.',
      [
        {
          ...{ name: 'Idempotency-Key', in: 'header', required: true },
          description:
            'A text of your own for this file, such as a UUID: 1 to 200 visible characters.',
          schema: { type: 'string', maxLength: 202 },
        },
        ...IMPORT_PARAMETERS.map(parameterOf),
      ],
    ),
    requestBody: {
      required: true,
      content: Object.fromEntries(FILE_TYPES.map((type) => [type, { schema: FILE }])),
    },
    responses: {
      202: answer('The job.', 'ImportItem', {
        ...headers,
        Location: {
          ...{ description: 'Where the job is asked for.', required: true },
          schema: { type: 'string', format: 'uri-reference' },
        },
      }),
      ...problemResponses(['404', '422']),
      ...FORBIDDEN,
      ...OF_BODY,
      ...OF_FILE,
    },
  };
}

export const NOT_MODIFIED = {
  description: 'The answer has the `ETag` that the client named.',
  headers: { 'API-Version': { $ref: '#/components/headers/API-Version' } },
};

function answer(description: string, schema: string, headers: Headers): ResponseObject {
  return { description, headers, content: { 'application/json': { schema: ref(schema) } } };
}

function said(
  operationId: string,
  summary: string,
  description: string,
  parameters: readonly unknown[],
) {
  return {
    ...{ tags: ['Imports'], operationId, summary, description, parameters },
    security: V1_POST_PERMISSIONS.map((permission) => ({ oauth2: [permission] })),
    'x-permission': { anyOf: [...V1_POST_PERMISSIONS], data: { ...V1_POST_DATA_RULES } },
  };
}

function inPath(name: string, description: string, schema: JsonSchema) {
  return { name, in: 'path', required: true, description, schema };
}

/** Values may have commas, so a parameter that takes several is repeated. */
function parameterOf(name: ParameterName) {
  const { schema, description, expected, many }: ParameterRule = PARAMETERS[name];
  return {
    name,
    in: 'query',
    description: `${description} Expected: ${expected}.`,
    ...(many === undefined
      ? { schema }
      : { style: 'form', explode: true, schema: { type: 'array', items: schema, maxItems: 100 } }),
  };
}
