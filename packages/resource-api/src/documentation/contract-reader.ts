import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  ResponseObject,
} from '../versions/openapi.ts';

/** A parameter as a contract has it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** One operation of a version, with what the contract says of it. */
export interface DescribedOperation {
  readonly id: string;
  /** Its group in lists. */
  readonly tag: string;
  readonly method: string;
  /** Below the version. */
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly parameters: readonly Parameter[];
  /** Media types of the request's body; none where there is none. */
  readonly bodyTypes: readonly string[];
  /** By status, references resolved. */
  readonly responses: readonly (readonly [status: string, ResponseObject])[];
  readonly permissions: readonly string[];
  /** What each permission shows, as `x-permission` says. */
  readonly shows: Readonly<Record<string, Shown>>;
}

export interface Shown {
  readonly deals?: string;
  readonly amounts?: Readonly<Record<string, readonly string[]>>;
}

/** The operations of a contract, in its order. */
export function operationsOf(contract: OpenApiDocument): readonly DescribedOperation[] {
  return Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      describe(contract, method.toUpperCase(), path, operation),
    ),
  );
}

/** By tag, in the contract's order. */
export function byTag(
  operations: readonly DescribedOperation[],
): readonly (readonly [tag: string, readonly DescribedOperation[]])[] {
  const tags = new Set(operations.map(({ tag }) => tag));
  return [...tags].map((tag) => [tag, operations.filter((one) => one.tag === tag)]);
}

function describe(
  contract: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): DescribedOperation {
  const { operationId: id, security = [], responses } = operation;
  const body = operation['requestBody'] as { content?: Record<string, unknown> } | undefined;
  const permission = operation['x-permission'] as { data?: Record<string, Shown> } | undefined;
  return {
    id,
    tag: (operation['tags'] as readonly string[] | undefined)?.[0] ?? '',
    method,
    path,
    summary: (operation['summary'] as string | undefined) ?? id,
    description: operation['description'] as string | undefined,
    parameters: (operation['parameters'] as readonly Parameter[] | undefined) ?? [],
    bodyTypes: Object.keys(body?.content ?? {}),
    responses: Object.entries(responses).map(([status, response]) => [
      status,
      resolved<ResponseObject>(contract, response),
    ]),
    permissions: security.flatMap((one) => Object.values(one).flat()),
    shows: permission?.data ?? {},
  };
}

/** What a `$ref` of the contract leads to; anything else as it is. */
export function resolved<T>(contract: OpenApiDocument, value: unknown): T {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value as T;
  const target = $ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((from, name) => (from as Record<string, unknown>)[name], contract);
  return target as T;
}

/** The codes that a response's problem document may have. */
export function codesOf({ content }: ResponseObject): readonly string[] {
  const codes = content?.['application/problem+json']?.['x-codes'];
  return (codes as readonly string[] | undefined) ?? [];
}

/** `Balance` of `#/components/schemas/Balance`. */
export function refName({ $ref }: JsonSchema): string | undefined {
  return $ref?.split('/').at(-1);
}
