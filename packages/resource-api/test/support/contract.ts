/** Every answer of v1 that a test gets is what the contract promises. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseBusinessDate } from '../../src/ledger/business-date.ts';
import type { OpenApiDocument } from '../../src/versions/openapi.ts';
import { v1Contract } from '../../src/versions/v1/contract.ts';

/** By name of a component's schema. */
export type Validators = (name: string) => ValidateFunction;

/** What `format` means in answers: days that exist, and UTC to the microsecond. */
const FORMATS = {
  date: (value: string) => parseBusinessDate(value) !== undefined,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/,
  'api-version': true,
  'uri-reference': true,
} as const;

export function validatorsOf(contract: OpenApiDocument): Validators {
  const ajv = new Ajv2020({ strict: false, formats: FORMATS });
  ajv.addSchema(contract, 'contract');
  const compiled = new Map<string, ValidateFunction>();
  return (name) => {
    const known =
      compiled.get(name) ?? ajv.compile({ $ref: `contract#/components/schemas/${name}` });
    compiled.set(name, known);
    return known;
  };
}

const contract = v1Contract();
let v1: Validators | undefined;

/** @throws {Error} naming what differs. */
export async function expectContract(
  path: string,
  answer: Response,
  method = 'GET',
): Promise<void> {
  const [, below = '', query = ''] = /^\/api\/(?:v1|latest)(\/[^?]*)\??(.*)$/.exec(path) ?? [];
  const operation = contract.paths[routePath(contract, below)]?.[method.toLowerCase()];
  if (operation === undefined || answer.headers.get('api-version') !== 'v1') return;
  const promised = operation.responses[`${answer.status}`];
  if (promised === undefined) throw new Error(`${path}: the contract has no ${answer.status}`);
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  // Exports are streams that a test may stop reading.
  if (!['application/json', 'application/problem+json'].includes(type)) return;
  v1 ??= validatorsOf(contract);
  const body = (await answer.clone().json()) as { readonly data: readonly unknown[] };
  const named = promised.content?.[type]?.schema?.$ref?.split('/').at(-1);
  const list = answer.ok ? named : 'Problem';
  if (list === undefined) throw new Error(`${path}: the contract has no ${type}`);
  expectValid(v1(list), body, path);
  if (answer.ok && !/(^|&)(fields|cursor)=/.test(query)) {
    // Without `fields`, items are whole.
    const whole = v1(list.replace(/(List|Item)$/, ''));
    for (const item of [body.data].flat()) expectValid(whole, item, path);
  }
}

/** The path of the contract that a path below the version is of. */
export function routePath({ paths }: OpenApiDocument, below: string): string {
  const fits = (path: string) =>
    new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(below);
  return paths[below] === undefined ? (Object.keys(paths).find(fits) ?? '') : below;
}

export function expectValid(validate: ValidateFunction, value: unknown, what: string): void {
  if (validate(value)) return;
  throw new Error(
    `${what} is not what the contract promises: ${JSON.stringify(validate.errors)} in ${JSON.stringify(value).slice(0, 2_000)}`,
  );
}
