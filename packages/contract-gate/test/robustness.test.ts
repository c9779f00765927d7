import { expect } from 'chai';
import { compareContracts } from '../src/compare-contracts.ts';
import { ContractInvalid } from '../src/document.ts';
import { readDocument } from '../src/read-document.ts';
import { contract, type Json, lines, object, receives, rules, sends } from './support/contracts.ts';

const text = { type: 'string' };
const good = contract({});

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ContractInvalid) return error.message;
    throw error;
  }
  return 'not refused';
}

describe('documents that cannot be compared', () => {
  const BROKEN: Readonly<Record<string, readonly [unknown, string]>> = {
    'no object': [[], 'not an OpenAPI document: expected an object'],
    nothing: [null, 'not an OpenAPI document: expected an object'],
    'no version': [{ paths: {} }, 'the member "openapi" must be 3.0.x or 3.1.x; it is missing'],
    'another version': [
      { openapi: '3.2.0' },
      'the member "openapi" must be 3.0.x or 3.1.x; it is "3.2.0"',
    ],
    'Swagger 2.0': [
      { swagger: '2.0' },
      'Swagger 2.0 is not read; convert the document to OpenAPI 3.0 or 3.1',
    ],
    'paths that are a list': [contract({ paths: [] }), 'the member "paths" must be an object'],
    'an operation that is text': [
      contract({ paths: { '/a': { get: 'x' } } }),
      '/paths/~1a/get: expected an object',
    ],
  };
  for (const [name, [document, sentence]] of Object.entries(BROKEN)) {
    it(`${name}: refused, and named`, () => {
      expect(refusal(() => compareContracts(good, document))).to.equal(`newer: ${sentence}`);
      expect(refusal(() => compareContracts(document, good))).to.equal(`older: ${sentence}`);
    });
  }

  const SCHEMAS: Readonly<Record<string, readonly [unknown, string]>> = {
    'a reference to another document': [
      { $ref: 'https://a.example/b.yaml#/C' },
      '$ref leads to another document (https://a.example/b.yaml#/C); bundle the documents into one first',
    ],
    'a reference to a file': [
      { $ref: 'b.yaml' },
      '$ref leads to another document (b.yaml); bundle the documents into one first',
    ],
    'a reference to nothing': [
      { $ref: '#/components/schemas/None' },
      '$ref leads nowhere (#/components/schemas/None)',
    ],
    'a reference to what every object inherits': [
      { $ref: '#/components/__proto__' },
      '$ref leads nowhere (#/components/__proto__)',
    ],
    'a schema that is text': ['string', 'expected a schema'],
  };
  for (const [name, [schema, sentence]] of Object.entries(SCHEMAS)) {
    it(`${name}: refused with its place`, () => {
      const given = sends(schema, { components: {} });
      const at = '/requestBody/content/application~1json/schema';
      expect(refusal(() => compareContracts(given, given))).to.equal(`older: ${at}: ${sentence}`);
    });
  }

  it('references that lead round in a circle, where no schema is: refused', () => {
    const parameters = {
      A: { $ref: '#/components/parameters/B' },
      B: { $ref: '#/components/parameters/A' },
    };
    const given = contract({
      paths: { '/a': { get: { parameters: [parameters.A], responses: {} } } },
      components: { parameters },
    });
    expect(refusal(() => compareContracts(given, given))).to.include('leads round in a circle');
  });

  it('nested too deep: refused', () => {
    let schema: Json = text;
    for (let level = 0; level < 600; level += 1) schema = { type: 'array', items: schema };
    expect(refusal(() => compareContracts(sends(schema), good))).to.include(
      'nested more than 500 levels deep',
    );
  });

  it('text that is neither JSON nor YAML: refused with the line', () => {
    expect(refusal(() => readDocument('a: [1\nb: 2'))).to.match(/^not readable as YAML: .*line/);
    expect(refusal(() => readDocument('a: 1\na: 2'))).to.include('unique');
    expect(refusal(() => readDocument(`${'['.repeat(5_000)}`))).to.include('not readable as YAML');
  });
});

/** Pairs of other alternatives are tried here, and fail, while the pairs around them are compared. */
const KNOT = `{"Deal": {"oneOf": [{"type": "object", "properties": {"b": {}, "a": {"$ref": "#/components/schemas/Party"}}, "required": ["b"]}, {"type": "object", "properties": {"a": {"oneOf": [{"$ref": "#/components/schemas/Party"}, {"$ref": "#/components/schemas/Party"}]}, "b": {"$ref": "#/components/schemas/Deal"}, "c": {"$ref": "#/components/schemas/Loan"}}, "required": []}, {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/Party"}}, "required": []}]}, "Loan": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/Loan"}, "b": {"type": "string", "readOnly": true}, "c": {"oneOf": [{"$ref": "#/components/schemas/Deal"}, {"type": "string"}]}}, "required": []}, "Party": {"oneOf": [{"type": "object", "properties": {"c": {"allOf": [{"$ref": "#/components/schemas/Party"}, {"oneOf": [{"$ref": "#/components/schemas/Deal"}, {"oneOf": [{"type": ["string", "null"]}, {"const": 1}]}]}]}, "a": {"$ref": "#/components/schemas/Party"}, "b": {"type": "array", "items": {"type": "object", "properties": {"a": {"const": 1}}, "required": []}}}, "required": []}, {"type": "object", "properties": {"a": {}, "c": {"type": "string"}}, "required": []}]}}`;

describe('schemas that refer to themselves', () => {
  const tree = (...names: string[]) => ({
    components: {
      schemas: {
        Tree: object({
          ...Object.fromEntries(names.map((name) => [name, text])),
          left: { $ref: '#/components/schemas/Tree' },
          children: {
            type: 'array',
            items: { anyOf: [{ $ref: '#/components/schemas/Tree' }, { type: 'null' }] },
          },
        }),
        Empty: { $ref: '#/components/schemas/Empty' },
        Choice: { oneOf: [{ $ref: '#/components/schemas/Choice' }, text] },
        Not: { not: { $ref: '#/components/schemas/Not' } },
      },
    },
  });
  const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  it('are compared once for each way of writing them', () => {
    expect(lines(receives(to('Tree'), tree('a')), receives(to('Tree'), tree('a')))).to.deep.equal(
      [],
    );
    expect(
      lines(receives(to('Tree'), tree('a', 'b')), receives(to('Tree'), tree('a'))),
    ).to.deep.equal([
      'R3 property-removed /responses/200/content/application~1json/schema/properties/b',
      'R3 property-removed /responses/200/content/application~1json/schema/properties/children/items/properties/b',
    ]);
  });

  it('through choices that refer to one another are the same as themselves', () => {
    const schemas = JSON.parse(KNOT);
    const given = sends({ $ref: '#/components/schemas/Party' }, { components: { schemas } });
    expect(lines(given, structuredClone(given))).to.deep.equal([]);
  });

  it('and say nothing, or lead back to a choice, do not hang', () => {
    for (const name of ['Empty', 'Choice', 'Not']) {
      expect(lines(sends(to(name), tree()), sends(to(name), tree()))).to.deep.equal([]);
    }
  });
});

describe('names that every object inherits', () => {
  it('are names like others', () => {
    const [none, some] = [
      '{}',
      '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"}}',
    ].map((properties) => ({ type: 'object', properties: JSON.parse(properties) }));
    const found = lines(receives(some), receives(none));
    expect(found.map((one) => one.split('/').at(-1))).to.deep.equal([
      '__proto__',
      'constructor',
      'toString',
    ]);
    expect(rules(receives(some), receives(none))).to.deep.equal(['R3']);
    expect({}).to.not.have.property('type');
  });

  it('come through YAML as names too', () => {
    const read = readDocument('__proto__:\n  polluted: true\nconstructor: 1\n') as object;
    expect(Object.keys(read)).to.deep.equal(['__proto__', 'constructor']);
    expect({}).to.not.have.property('polluted');
  });
});

describe('documents of many megabytes', function () {
  this.timeout(600_000);
  const count = 3000;
  const large = (last: Json) => {
    const schemas: Record<string, unknown> = {};
    const paths: Record<string, unknown> = {};
    for (let at = 0; at < count; at += 1) {
      const next = { $ref: `#/components/schemas/S${(at * 7 + 1) % count}` };
      const words = 'A sentence that explains what this is, as contracts have them. '.repeat(20);
      schemas[`S${at}`] = {
        description: words,
        ...object({
          id: text,
          next,
          either: { anyOf: [text, next] },
          list: { type: 'array', items: next },
        }),
      };
      paths[`/things${at}`] = {
        get: {
          description: words,
          responses: {
            200: {
              description: '',
              content: { 'application/json': { schema: { $ref: `#/components/schemas/S${at}` } } },
            },
          },
        },
      };
    }
    schemas['S0'] = { ...(schemas['S0'] as Json), ...last };
    return contract({ paths, components: { schemas } });
  };

  it('are compared, with schemas that all lead to one another', () => {
    const [one, other] = [large({}), large({})];
    expect(JSON.stringify(one).length).to.be.greaterThan(8_000_000);
    expect(compareContracts(one, other)).to.deep.equal([]);
  });

  it('a choice of a thousand and more is not taken apart, and any difference counts', () => {
    const choice = (last: number) => ({
      allOf: [0, 1, 2].map((part) => ({
        oneOf: Array.from({ length: 40 }, (_, at) => ({
          const: `${part} ${at === 39 ? last : at}`,
        })),
      })),
    });
    expect(rules(sends(choice(1)), sends(choice(1)))).to.deep.equal([]);
    expect(rules(sends(choice(1)), sends(choice(99)))).to.deep.equal(['R6']);
  });
});
