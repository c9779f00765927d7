import { expect } from 'chai';
import fc from 'fast-check';
import { compareContracts } from '../src/compare-contracts.ts';
import { line } from './support/contracts.ts';
import { components, mapSchema, type Schema, schemas } from './support/schemas.ts';

const NAMES = ['Deal', 'Loan', 'Party'];
const REF = '#/components/schemas/';
type Kinds = Parameters<typeof schemas>[0];

/** Two copies of one choice within one `allOf` are told as compatible differences once they differ. */
const KINDS: Kinds = {
  names: ['a', 'b', 'c'],
  fixed: false,
  components: NAMES,
  allOf: 'of one choice',
  anything: true,
};
interface Document {
  readonly components: Readonly<Record<string, Schema>>;
  readonly sent: Schema;
  readonly received: Schema;
  readonly parameters: readonly Schema[];
  readonly security: readonly Schema[];
  readonly operationSecurity: readonly Schema[] | undefined;
}

const security = fc.array(
  fc.constantFrom<Schema>(
    {},
    { key: [] },
    { oauth: ['read'] },
    { key: [], oauth: ['read', 'write'] },
  ),
  { maxLength: 3 },
);

function documentsOf(kinds: Kinds, inComponents: Kinds = kinds): fc.Arbitrary<Document> {
  const anySchema = schemas(kinds);
  const component = components(inComponents);
  const named = (names: readonly string[]) =>
    fc.tuple(...names.map((name) => anySchema.map((schema) => ({ name, in: 'query', schema }))));
  return fc.record({
    components: fc.record({ Deal: component, Loan: component, Party: component }),
    sent: anySchema,
    received: anySchema,
    parameters: fc.uniqueArray(fc.constantFrom('p', 'q', 'r')).chain(named),
    security,
    operationSecurity: fc.option(security, { nil: undefined }),
  });
}

const documents = documentsOf(KINDS);
/** Without a circle of references and `allOf` at once: written out, such a schema is a new one each time. */
const finite = fc.oneof(
  documentsOf(KINDS, { ...KINDS, components: [] }),
  documentsOf({ ...KINDS, allOf: false }),
);

function toContract({
  components,
  sent,
  received,
  parameters,
  security: all,
  operationSecurity,
}: Document) {
  return {
    openapi: '3.1.0',
    info: { title: 'Loans', version: '1' },
    ...(all.length > 0 && { security: all }),
    paths: {
      '/loans/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        post: {
          ...(operationSecurity && { security: operationSecurity }),
          parameters,
          requestBody: { content: { 'application/json': { schema: sent } } },
          responses: {
            200: { description: '', content: { 'application/json': { schema: received } } },
          },
        },
      },
    },
    components: {
      schemas: components,
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        oauth: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: '/t', scopes: { read: '', write: '' } } },
        },
      },
    },
  };
}

function mapAll(document: Document, change: (schema: Schema) => Schema): Document {
  const map = (schema: unknown) => mapSchema(schema, change);
  return {
    ...document,
    components: Object.fromEntries(
      Object.entries(document.components).map(([name, one]) => [name, map(one)]),
    ),
    sent: map(document.sent),
    received: map(document.received),
    parameters: document.parameters.map((one) => ({ ...one, schema: map(one['schema']) })),
  };
}

/** Changes that no caller could notice. */
const REFACTORS: Readonly<Record<string, (document: Document) => Document>> = {
  'nothing at all': (document) => structuredClone(document),
  'components that change names among themselves': (document) => {
    const next = new Map(NAMES.map((name, at) => [name, NAMES[(at + 1) % NAMES.length] ?? name]));
    const renamed = (schema: Schema) =>
      '$ref' in schema ? { $ref: REF + next.get(`${schema['$ref']}`.slice(REF.length)) } : schema;
    const mapped = mapAll(document, renamed);
    const entries = Object.entries(mapped.components).map(([name, one]) => [next.get(name), one]);
    return { ...mapped, components: Object.fromEntries(entries) };
  },
  'references that are written out': (document) =>
    mapAll(document, (schema) =>
      '$ref' in schema
        ? (document.components[`${schema['$ref']}`.slice(REF.length)] ?? schema)
        : schema,
    ),
  'schemas that become components': (document) => {
    const found: Record<string, Schema> = {};
    const mapped = mapAll(document, (schema) => {
      if (!('type' in schema) || 'readOnly' in schema || 'writeOnly' in schema) return schema;
      const name = `Part${Object.keys(found).length}`;
      found[name] = schema;
      return { $ref: REF + name };
    });
    return { ...mapped, components: { ...mapped.components, ...found } };
  },
  'schemas wrapped in allOf': (document) => mapAll(document, (schema) => ({ allOf: [schema] })),
  'schemas wrapped in a choice of one': (document) =>
    mapAll(document, (schema) =>
      'readOnly' in schema || 'writeOnly' in schema ? schema : { oneOf: [schema] },
    ),
  'keys and lists in another order': (document) => ({
    ...mapAll(document, (schema) => {
      const entries = Object.entries(schema).map(([keyword, value]) =>
        Array.isArray(value) ? [keyword, [...value].reverse()] : [keyword, value],
      );
      return Object.fromEntries(entries.reverse());
    }),
    parameters: [...document.parameters].reverse(),
    security: [...document.security].reverse(),
  }),
  'words about everything': (document) =>
    mapAll(document, (schema) =>
      '$ref' in schema ? schema : { ...schema, title: 'T', description: 'D' },
    ),
  'security of the document written at the operation': (document) => ({
    ...document,
    operationSecurity: document.operationSecurity ?? document.security,
    security: [],
  }),
  'constants as lists of one value': (document) =>
    mapAll(document, ({ const: one, ...rest }) =>
      one === undefined ? rest : { ...rest, enum: [one] },
    ),
  'null as a choice': (document) =>
    mapAll(document, (schema) =>
      Array.isArray(schema['type']) && Object.keys(schema).length === 1
        ? { anyOf: schema['type'].map((type) => ({ type })) }
        : schema,
    ),
};

describe('a contract that is written in another way', () => {
  for (const [name, refactor] of Object.entries(REFACTORS)) {
    const given = name === 'references that are written out' ? finite : documents;
    it(`${name}: no difference`, () => {
      fc.assert(
        fc.property(given, (document) => {
          const [before, after] = [toContract(document), toContract(refactor(document))];
          expect(compareContracts(before, after).map(line)).to.deep.equal([]);
          expect(compareContracts(after, before).map(line)).to.deep.equal([]);
        }),
        { numRuns: 100 },
      );
    });
  }
});
