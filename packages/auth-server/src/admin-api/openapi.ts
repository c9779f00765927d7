import { ADMIN_PERMISSIONS, scopeOf } from '@cls/shared/access-token';
import { FAULT_CODES, PROBLEM_CODES } from '@cls/shared/http/problem-codes';
import { z } from 'zod';
import { ADMIN_EXAMPLES, requestExample, responseExample } from '../web/contract-examples.ts';
import { NAMED } from './answers.ts';
import { OPERATIONS, type Operation, refusalsOf } from './operations.ts';

/** Where the contract is served, to everybody. */
export const CONTRACT_PATH = '/admin/v1/openapi.json';

const text = z.string();
const PROBLEM = z.object({
  ...{ type: text, title: text, status: z.int().min(400).max(599), detail: text, instance: text },
  ...{ code: z.enum(PROBLEM_CODES), requestId: text, traceId: text.optional() },
  errors: z
    .array(
      z.object({
        parameter: text,
        code: z.enum([...PROBLEM_CODES, ...FAULT_CODES]),
        ...{ message: text, received: text.optional() },
      }),
    )
    .optional(),
});
type JsonSchema = z.core.JSONSchema.BaseSchema;

const SCHEMAS = '#/components/schemas/';
const RETRIED: readonly string[] = ['429', '503'];

/** The contract in OpenAPI 3.1, made of the operations and of the schemas by which they read. */
export function openApi(issuer: string, scopeBase: string): object {
  const named = z.toJSONSchema(NAMED, { io: 'input', uri: (id) => SCHEMAS + id }).schemas;
  const schemas = Object.entries(named).map(([id, schema]) => [id, withoutIds(schema)]);
  const scope = (permission: Operation['permission']) => scopeOf(scopeBase, permission);
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, operation] of Object.entries<Operation>(OPERATIONS)) {
    const { method, path, permission, summary } = operation;
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        ...{ operationId, summary, tags: [TAG_OF[path.split('/')[1] ?? '']] },
        security: [{ token: [scope(permission)] }],
        parameters: parametersOf(operation, operationId),
        ...requestOf(operation, operationId),
        responses: responsesOf(operation, operationId),
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      ...{ title: 'CLS administrators’ API', version: 'v1' },
      description: `${issuer}/docs/accounts explains it, ${issuer}/docs/errors each code.`,
    },
    servers: [{ url: `${issuer}/admin/v1` }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...paths, '/openapi.json': CONTRACT },
    components: {
      schemas: { ...Object.fromEntries(schemas), Problem: inlined(PROBLEM) },
      securitySchemes: {
        token: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: `${issuer}/oauth/token`,
              scopes: Object.fromEntries(ADMIN_PERMISSIONS.map((one) => [scope(one), one])),
            },
          },
        },
      },
    },
  };
}

const TAGS = {
  Accounts: 'The accounts of people.',
  Applications: 'Where people sign in.',
  'Service accounts': 'The callers of the API, and their secrets.',
} as const;

/** By the first segment of a path. */
const TAG_OF: Readonly<Record<string, keyof typeof TAGS>> = {
  accounts: 'Accounts',
  applications: 'Applications',
  'service-accounts': 'Service accounts',
};

const CONTRACT = {
  get: {
    ...{ operationId: 'getContract', summary: 'This document', security: [] },
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: { type: 'object' } } } },
      304: { description: 'Not changed since the answer with this ETag' },
      400: problemOf(['unknown_parameter']),
    },
  },
};

function parametersOf({ path, query }: Operation, operationId: string): readonly object[] {
  const shown = ADMIN_EXAMPLES[operationId]?.path ?? '';
  const pattern = new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/?]+)')}`);
  const { properties = {} } = inlined(query);
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      ...{ name, in: 'path', required: true, schema: { type: 'string' } },
      example: pattern.exec(shown)?.groups?.[name],
    })),
    ...Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema })),
  ];
}

/** A body may be left out where none of its members is required. */
function requestOf({ body }: Operation, operationId: string): object {
  if (body === undefined) return {};
  const schema = inlined(body);
  const required = (schema.required ?? []).length > 0;
  const example = requestExample(ADMIN_EXAMPLES[operationId]);
  return { requestBody: { required, content: { 'application/json': { schema, ...example } } } };
}

function responsesOf(operation: Operation, operationId: string): object {
  const { status, answer } = operation;
  const schema = { $ref: SCHEMAS + NAMED.get(answer)?.id };
  const example = responseExample(ADMIN_EXAMPLES[operationId]);
  const refusals = Object.entries(refusalsOf(operation)).map(([refused, codes]) => [
    refused,
    {
      ...problemOf(codes),
      ...(RETRIED.includes(refused) && {
        headers: { 'Retry-After': { schema: { type: 'integer' } } },
      }),
    },
  ]);
  return {
    [status]: { description: 'OK', content: { 'application/json': { schema, ...example } } },
    ...Object.fromEntries(refusals),
  };
}

function problemOf(codes: readonly string[]): object {
  const schema = {
    allOf: [{ $ref: `${SCHEMAS}Problem` }, { properties: { code: { enum: codes } } }],
  };
  return { description: codes.join(', '), content: { 'application/problem+json': { schema } } };
}

function inlined(schema: z.ZodType): JsonSchema {
  return withoutIds(z.toJSONSchema(schema, { io: 'input' }));
}

/** OpenAPI says once which dialect all schemas are in. */
function withoutIds({ $schema, $id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
