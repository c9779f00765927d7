import type { JsonSchema, MediaTypeObject, OpenApiDocument, Operation } from './openapi.ts';

/** A recorded exchange. */
export interface Example {
  readonly title?: string;
  readonly method: string;
  /** Below the version, with its parameters. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request's body. */
  readonly sent?: string;
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface VersionExamples {
  /** By method and path of the contract: `GET /cls/balances`. */
  readonly operations: Readonly<Record<string, readonly Example[]>>;
  /** By code. */
  readonly problems: Readonly<Record<string, Example>>;
}

/** The contract with recorded requests and answers as its examples. */
export function withExamples(
  contract: OpenApiDocument,
  { operations, problems }: VersionExamples,
): OpenApiDocument {
  const { responses = {} } = contract.components as Refusals;
  return {
    ...contract,
    paths: mapEntries(contract.paths, (path, methods) =>
      mapEntries(methods, (method, operation) =>
        exemplified(operation, path, operations[`${method.toUpperCase()} ${path}`] ?? []),
      ),
    ),
    components: {
      ...contract.components,
      responses: mapEntries(responses, (_, response) => {
        const problem = response.content?.[PROBLEM];
        const codes = (problem?.['x-codes'] as readonly string[] | undefined) ?? [];
        const found = codes.flatMap((code) => {
          const { method, path, body } = problems[code] ?? {};
          const request = `${method} ${path}`;
          return body === undefined ? [] : [[code, { summary: request, value: JSON.parse(body) }]];
        });
        if (problem === undefined || found.length === 0) return response;
        const shown = { ...problem, examples: Object.fromEntries(found) };
        return { ...response, content: { ...response.content, [PROBLEM]: shown } };
      }),
    },
  };
}

const PROBLEM = 'application/problem+json';
type Content = Readonly<Record<string, MediaTypeObject>>;
interface Refusals {
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonSchema;
}

function exemplified(operation: Operation, path: string, examples: readonly Example[]): Operation {
  const [first] = examples;
  if (first === undefined) return operation;
  const { parameters = [], requestBody } = operation as {
    parameters?: readonly Parameter[];
    requestBody?: { readonly content: Content };
  };
  return {
    ...operation,
    parameters: parameters.map((one) => withExample(one, path, first)),
    ...(requestBody && first.sent !== undefined && { requestBody: withBody(requestBody, first) }),
    responses: mapEntries(operation.responses, (status, response) => ({
      ...response,
      ...(response.content && {
        content: mapEntries(response.content, (type, media) => {
          const shown = examples.filter((one) => `${one.status}` === status && one.type === type);
          return shown.length === 0 ? media : { ...media, examples: named(shown) };
        }),
      }),
    })),
  };
}

function named(examples: readonly Example[]) {
  return Object.fromEntries(
    examples.map(({ title = 'An answer', method, path, type, body }) => [
      title.toLowerCase().replaceAll(' ', '-'),
      { summary: title, description: `${method} ${path}`, value: parsed(type, body) },
    ]),
  );
}

function withBody<T extends { readonly content: Content }>(requestBody: T, example: Example): T {
  const type = example.headers?.['content-type'] ?? '';
  const media = { ...requestBody.content[type], example: parsed(type, example.sent ?? '') };
  return { ...requestBody, content: { ...requestBody.content, [type]: media } };
}

function parsed(type: string, text: string): unknown {
  return type === 'application/json' ? JSON.parse(text) : text;
}

/** The value with which the recorded request has the parameter. */
function withExample(parameter: Parameter, template: string, { path, headers = {} }: Example) {
  const { name, in: place, schema } = parameter;
  const [below = '', query] = path.split('?');
  const pattern = new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const places: Readonly<Record<string, string | null | undefined>> = {
    path: pattern.exec(below)?.groups?.[name],
    query: new URLSearchParams(query).get(name),
    header: headers[name.toLowerCase()],
  };
  const value = places[place] ?? undefined;
  return value === undefined ? parameter : { ...parameter, example: typed(value, schema) };
}

function typed(value: string, { type, items }: JsonSchema): unknown {
  if (type === 'array') return value.split(',').map((one) => typed(one, items ?? {}));
  return type === 'integer' || type === 'boolean' ? JSON.parse(value) : value;
}

function mapEntries<T, U>(from: Readonly<Record<string, T>>, map: (name: string, value: T) => U) {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(name, value)]));
}
