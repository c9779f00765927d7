import type { Context, Middleware } from 'koa';
import { contractAnswer } from '../../web/contract-answer.ts';
import {
  type Exchange,
  requestExample,
  responseExample,
  TOKEN_EXAMPLES,
} from '../../web/contract-examples.ts';
import { ROUTES } from '../../web/paths.ts';

/** The contract of what programs ask the token endpoint, revocation and introspection, as they are served. */
export function tokenContractRoute(issuer: string): Middleware {
  const answer = contractAnswer(tokenContract(issuer));
  return async (ctx: Context) => answer(ctx);
}

const text = { type: 'string' };
const CLIENT = {
  client_id: { ...text, description: 'Where HTTP Basic is not used.' },
  client_secret: { ...text, description: 'Where HTTP Basic is not used.' },
};
const FIELDS = {
  scope: {
    ...text,
    description: 'Scopes, separated by spaces. Without it: all that were granted.',
  },
  resource: { ...text, format: 'uri', description: 'The API that the token is for (RFC 8707).' },
  ...CLIENT,
};
const GRANT = { grant_type: { const: 'client_credentials' } };
const SCHEMAS = {
  TokenRequest: { type: 'object', required: ['grant_type'], properties: { ...GRANT, ...FIELDS } },
  JsonTokenRequest: {
    type: 'object',
    required: ['client_id', 'client_secret'],
    properties: { ...GRANT, ...FIELDS },
  },
  Token: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in', 'scope'],
    properties: {
      access_token: { ...text, description: 'A JWT (RFC 9068).' },
      token_type: { enum: ['Bearer', 'DPoP'] },
      expires_in: { type: 'integer', minimum: 1, description: 'Seconds.' },
      scope: text,
    },
  },
  TokenQuestion: {
    type: 'object',
    required: ['token'],
    properties: { token: text, token_type_hint: text, ...CLIENT },
  },
  Introspection: {
    type: 'object',
    required: ['active'],
    properties: {
      active: {
        type: 'boolean',
        description: 'Where it is false, the answer has no other member.',
      },
    },
    additionalProperties: { description: 'The claims of the token.' },
  },
  Error: {
    type: 'object',
    required: ['error'],
    properties: { error: text, error_description: text, scope: text },
  },
};
const ref = (name: keyof typeof SCHEMAS) => ({ $ref: `#/components/schemas/${name}` });

/** Codes by status: those of every operation, and more of each. */
type Codes = Readonly<Record<string, readonly string[]>>;
const EVERYWHERE: Codes = {
  401: ['invalid_client'],
  413: ['invalid_request'],
  429: ['too_many_attempts'],
  500: ['server_error'],
  503: ['temporarily_unavailable'],
};

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly bodies: Readonly<Record<string, keyof typeof SCHEMAS>>;
  readonly answer?: keyof typeof SCHEMAS;
  readonly codes: Codes;
}
const FORM = 'application/x-www-form-urlencoded';
const OPERATIONS: Readonly<Record<string, Described>> = {
  [ROUTES.token]: {
    ...{ operationId: 'requestToken', summary: 'Get an access token', answer: 'Token' },
    description: 'For a service account: client id and secret by HTTP Basic, or in the body.',
    bodies: { [FORM]: 'TokenRequest', 'application/json': 'JsonTokenRequest' },
    codes: {
      400: [
        ...['invalid_request', 'invalid_scope', 'invalid_target', 'unauthorized_client'],
        'unsupported_grant_type',
      ],
      429: ['too_many_attempts', 'too_many_tokens'],
    },
  },
  [ROUTES.revocation]: {
    ...{ operationId: 'revokeToken', summary: 'End an access token (RFC 7009)' },
    description: 'A token that is unknown, or another client’s, is answered 200 too.',
    ...{
      bodies: { [FORM]: 'TokenQuestion' },
      codes: { 400: ['invalid_request', 'unsupported_token_type'] },
    },
  },
  [ROUTES.introspection]: {
    ...{ operationId: 'introspectToken', summary: 'Ask about a token (RFC 7662)' },
    description:
      'A client learns about its own tokens; one with `cls-token.introspect` about every token.',
    bodies: { [FORM]: 'TokenQuestion' },
    ...{ answer: 'Introspection', codes: { 400: ['invalid_request'] } },
  },
};

export function tokenContract(issuer: string): object {
  return {
    openapi: '3.1.0',
    info: {
      ...{ title: 'CLS tokens', version: 'v1' },
      description: `What service accounts ask for; ${issuer}/docs/tokens explains it. People sign in with a browser: ${issuer}/.well-known/openid-configuration.`,
    },
    servers: [{ url: issuer }],
    tags: [{ name: 'Tokens', description: 'Getting, ending and asking about access tokens.' }],
    paths: Object.fromEntries(
      Object.entries(OPERATIONS).map(([path, one]) => [path, { post: operation(one) }]),
    ),
    components: { schemas: SCHEMAS, securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
  };
}

function operation({
  operationId,
  summary,
  description,
  bodies,
  answer,
  codes,
}: Described): object {
  const exchange = TOKEN_EXAMPLES[operationId];
  const media = (schema: keyof typeof SCHEMAS, more: object = {}) => ({
    schema: ref(schema),
    ...more,
  });
  return {
    ...{ operationId, summary, description, tags: ['Tokens'], security: [{ basic: [] }, {}] },
    requestBody: {
      required: true,
      content: Object.fromEntries(
        Object.entries(bodies).map(([type, schema]) => [
          type,
          media(schema, type === FORM ? requestExample(exchange) : {}),
        ]),
      ),
    },
    responses: {
      200: {
        description: 'OK',
        ...(answer && {
          content: { 'application/json': media(answer, responseExample(exchange)) },
        }),
      },
      ...Object.fromEntries(
        Object.entries({ ...EVERYWHERE, ...codes }).map(([status, list]) => [
          status,
          refusal(status, list, TOKEN_EXAMPLES[`${operationId} ${status}`]),
        ]),
      ),
    },
  };
}

/** RFC 6749 §5.2. */
function refusal(status: string, codes: readonly string[], exchange: Exchange | undefined): object {
  const waits = ['429', '503'].includes(status);
  const schema = { allOf: [ref('Error'), { properties: { error: { enum: codes } } }] };
  return {
    description: codes.join(', '),
    ...(waits && { headers: { 'Retry-After': { schema: { type: 'integer' } } } }),
    content: { 'application/json': { schema, ...responseExample(exchange) } },
  };
}
