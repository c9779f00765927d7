/** Every answer of the administrators' API that a test gets is what its contract promises. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApi } from '../../src/admin-api/openapi.ts';
import type { Exchange } from '../../src/web/contract-examples.ts';
import type { AdminAnswer } from './administrator.ts';
import { shortened } from './recorded-examples.ts';

interface Media {
  readonly schema: { readonly required?: readonly string[]; readonly additionalProperties?: false };
}
type Content = Readonly<Record<string, Media>>;

export interface ContractOperation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface AdminContract {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The first success of each operation. */
export const seenExchanges = new Map<string, Exchange>();

/** What tests saw, as `operationId status code`. */
export const seenAnswers = new Set<string>();

const CONTRACT = openApi('https://cls.example', 'https://cls.example') as AdminContract;
const ajv = new Ajv2020({
  ...{ strict: false, coerceTypes: 'array' },
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
});
const { Problem = {}, ...answers } = CONTRACT.components.schemas;
ajv.addSchema({ components: { schemas: { ...closed(answers), Problem } } }, 'contract');

/** Refuses members that the contract does not name. */
function closed<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const members = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  const open = { ...Object.fromEntries(members) };
  return 'properties' in schema ? { ...open, additionalProperties: false } : open;
}

/** The operation of a path below `/admin/v1`, if it is one. */
export function contractOperation(method: string, path: string): ContractOperation | undefined {
  const matching = Object.entries(CONTRACT.paths).filter(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return matching.map(([, methods]) => methods[method.toLowerCase()]).find(Boolean);
}

/** @throws {Error} naming what differs, in the request too where it was answered. */
export function expectAdminContract(
  method: string,
  target: string,
  sent: string | undefined,
  { status, headers, body: answered }: AdminAnswer,
): void {
  const [path = '', search = ''] = target.split('?');
  const operation = contractOperation(method, path);
  if (operation === undefined) return;
  const { operationId, parameters, requestBody, responses } = operation;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const answer = responses[status]?.content?.[type];
  if (answer === undefined)
    throw new Error(`${operationId}: the contract has no ${status} ${type}`);
  check(`${operationId} ${status}`, answer.schema, answered);
  seenAnswers.add(
    `${operationId} ${status}${answered.code === undefined ? '' : ` ${answered.code}`}`,
  );
  if (status >= 300) return;
  const properties = parameters
    .filter((one) => one.in === 'query')
    .map((one) => [one.name, one.schema]);
  const query = { additionalProperties: false, properties: Object.fromEntries(properties) };
  check(`${operationId} query`, query, Object.fromEntries(new URLSearchParams(search)));
  const nothing: Media['schema'] = { additionalProperties: false };
  const taken = requestBody?.content['application/json']?.schema ?? nothing;
  if (sent === undefined && requestBody?.required) throw new Error(`${operationId}: no body`);
  const given = Object.entries(JSON.parse(sent ?? '{}'));
  const members = Object.fromEntries(
    given.filter(([name, value]) => value !== null || taken.required?.includes(name)),
  );
  check(`${operationId} body`, taken, members);
  if (!seenExchanges.has(operationId)) {
    const body = shortened(answered);
    seenExchanges.set(operationId, { path: target, ...(sent && { sent: members }), status, body });
  }
}

function check(what: string, schema: object, value: unknown): void {
  const text = JSON.stringify(schema).replaceAll('"#/', '"contract#/');
  const validate = ajv.compile(JSON.parse(text));
  if (!validate(structuredClone(value))) {
    throw new Error(`${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  }
}
