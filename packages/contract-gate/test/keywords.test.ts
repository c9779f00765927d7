import { expect } from 'chai';
import { asks, object, receives, rules, sends } from './support/contracts.ts';

const text = { type: 'string' };
const THEN = 'then';
const list = { type: 'array', items: text };

/** What is accepted by the second schema and not by the first. */
const WIDER: Readonly<Record<string, readonly [unknown, unknown]>> = {
  enum: [
    { type: 'string', enum: ['a'] },
    { type: 'string', enum: ['a', 'b'] },
  ],
  'end of an enum': [{ type: 'string', enum: ['a'] }, text],
  const: [{ const: 'a' }, { enum: ['a', 'b'] }],
  'const of a boolean': [{ type: 'boolean', const: true }, { type: 'boolean' }],
  minLength: [
    { ...text, minLength: 2 },
    { ...text, minLength: 1 },
  ],
  'end of minLength': [{ ...text, minLength: 1 }, text],
  maxLength: [
    { ...text, maxLength: 5 },
    { ...text, maxLength: 6 },
  ],
  'end of maxLength': [{ ...text, maxLength: 5 }, text],
  minimum: [
    { type: 'number', minimum: 1 },
    { type: 'number', minimum: 0 },
  ],
  maximum: [{ type: 'number', maximum: 1 }, { type: 'number' }],
  'exclusiveMinimum to minimum': [
    { type: 'number', exclusiveMinimum: 1 },
    { type: 'number', minimum: 1 },
  ],
  exclusiveMaximum: [
    { type: 'integer', exclusiveMaximum: 5 },
    { type: 'integer', exclusiveMaximum: 6 },
  ],
  multipleOf: [
    { type: 'number', multipleOf: 0.1 },
    { type: 'number', multipleOf: 0.01 },
  ],
  'end of multipleOf': [{ type: 'integer', multipleOf: 5 }, { type: 'integer' }],
  pattern: [{ ...text, pattern: '^a' }, text],
  format: [{ ...text, format: 'date' }, text],
  'width of an integer': [
    { type: 'integer', format: 'int32' },
    { type: 'integer', format: 'int64' },
  ],
  contentEncoding: [{ ...text, contentEncoding: 'base64' }, text],
  contentMediaType: [{ ...text, contentMediaType: 'application/json' }, text],
  contentSchema: [
    { ...text, contentMediaType: 'application/json', contentSchema: { type: 'integer' } },
    { ...text, contentMediaType: 'application/json', contentSchema: { type: 'number' } },
  ],
  integer: [{ type: 'integer' }, { type: 'number' }],
  'list of types': [text, { type: ['string', 'boolean'] }],
  'any type': [text, {}],
  null: [text, { type: ['string', 'null'] }],
  'nullable of 3.0': [text, { type: 'string', nullable: true }],
  'null by anyOf': [text, { anyOf: [text, { type: 'null' }] }],
  'null in an enum': [
    { type: ['string', 'null'], enum: ['a'] },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  minItems: [{ ...list, minItems: 1 }, list],
  maxItems: [
    { ...list, maxItems: 5 },
    { ...list, maxItems: 9 },
  ],
  uniqueItems: [{ ...list, uniqueItems: true }, list],
  items: [list, { type: 'array', items: { type: ['string', 'number'] } }],
  'no items': [list, { type: 'array' }],
  prefixItems: [
    { type: 'array', prefixItems: [{ type: 'integer' }] },
    { type: 'array', prefixItems: [{ type: 'number' }] },
  ],
  'end of prefixItems': [{ type: 'array', prefixItems: [text] }, { type: 'array' }],
  'items after prefixItems': [
    { type: 'array', prefixItems: [text], items: false },
    { type: 'array', prefixItems: [text] },
  ],
  contains: [{ type: 'array', contains: text }, { type: 'array' }],
  'what is contained': [
    { type: 'array', contains: { type: 'integer' } },
    { type: 'array', contains: { type: 'number' } },
  ],
  minContains: [
    { type: 'array', contains: text, minContains: 3 },
    { type: 'array', contains: text, minContains: 2 },
  ],
  'contains without minContains': [
    { type: 'array', contains: text, minContains: 1 },
    { type: 'array', contains: text, minContains: 0 },
  ],
  maxContains: [
    { type: 'array', contains: text, maxContains: 3 },
    { type: 'array', contains: text },
  ],
  unevaluatedItems: [
    { type: 'array', prefixItems: [text], unevaluatedItems: text },
    { type: 'array', prefixItems: [text] },
  ],
  minProperties: [{ type: 'object', minProperties: 1 }, { type: 'object' }],
  maxProperties: [
    { type: 'object', maxProperties: 3 },
    { type: 'object', maxProperties: 4 },
  ],
  propertyNames: [{ type: 'object', propertyNames: { pattern: '^a' } }, { type: 'object' }],
  'propertyNames themselves': [
    { type: 'object', propertyNames: { maxLength: 3 } },
    { type: 'object', propertyNames: { maxLength: 4 } },
  ],
  'schema of a map': [
    { type: 'object', additionalProperties: { type: 'integer' } },
    { type: 'object', additionalProperties: { type: 'number' } },
  ],
  'a map of anything': [
    { type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: true },
  ],
  'schema of unevaluatedProperties': [
    { type: 'object', unevaluatedProperties: { type: 'integer' } },
    { type: 'object', unevaluatedProperties: { type: 'number' } },
  ],
  'schema of patternProperties': [
    { type: 'object', patternProperties: { '^a': { type: 'integer' } } },
    { type: 'object', patternProperties: { '^a': { type: 'number' } } },
  ],
  dependentRequired: [{ type: 'object', dependentRequired: { a: ['b'] } }, { type: 'object' }],
  'names in dependentRequired': [
    { type: 'object', dependentRequired: { a: ['b', 'c'] } },
    { type: 'object', dependentRequired: { a: ['b'] } },
  ],
  dependentSchemas: [
    { type: 'object', dependentSchemas: { a: { minProperties: 2 } } },
    { type: 'object' },
  ],
  'what a dependent schema says': [
    { type: 'object', dependentSchemas: { a: { required: ['b'] } } },
    { type: 'object', dependentSchemas: { a: {} } },
  ],
  not: [{ type: 'string', not: { const: 'a' } }, text],
  if: [
    { type: 'object', if: { required: ['a'] }, [THEN]: { required: ['b'] } },
    { type: 'object' },
  ],
  [THEN]: [
    { ...object({ a: text, b: text }), if: { required: ['a'] }, [THEN]: { required: ['b'] } },
    { ...object({ a: text, b: text }), if: { required: ['a'] }, [THEN]: {} },
  ],
  else: [
    { ...object({ a: text, b: text }), if: { required: ['a'] }, else: { minProperties: 2 } },
    { ...object({ a: text, b: text }), if: { required: ['a'] }, else: { minProperties: 1 } },
  ],
  oneOf: [
    { oneOf: [object({ a: text }, ['a']), object({ b: text }, ['b'])] },
    {
      oneOf: [object({ a: text }, ['a']), object({ b: text }, ['b']), object({ c: text }, ['c'])],
    },
  ],
  anyOf: [{ anyOf: [text, list] }, { anyOf: [text, list, { type: 'boolean' }] }],
  allOf: [{ allOf: [text, { maxLength: 3 }] }, { allOf: [text] }],
  'a bound in allOf': [
    { allOf: [{ type: 'integer', maximum: 3 }, { maximum: 9 }] },
    { allOf: [{ type: 'integer', maximum: 4 }, { maximum: 9 }] },
  ],
  'a schema that allows nothing': [false, text],
};

describe('what a schema allows', () => {
  for (const [name, [narrow, wide]] of Object.entries(WIDER)) {
    it(`${name}: clients that send less than before are fine, those refused what was accepted are R6`, () => {
      expect(rules(sends(narrow), sends(wide))).to.deep.equal([]);
      expect(rules(sends(wide), sends(narrow))).to.deep.equal(['R6']);
    });

    it(`${name}: clients that receive less than before are fine, those that meet something new are R5`, () => {
      expect(rules(receives(wide), receives(narrow))).to.deep.equal([]);
      expect(rules(receives(narrow), receives(wide))).to.deep.equal(['R5']);
    });

    it(`${name}: the same holds deep in a schema`, () => {
      const deep = (schema: unknown) =>
        object({ a: { type: 'array', items: object({ b: schema }) } });
      if (narrow === false) return;
      expect(rules(sends(deep(narrow)), sends(deep(wide)))).to.deep.equal([]);
      expect(rules(sends(deep(wide)), sends(deep(narrow)))).to.deep.equal(['R6']);
      expect(rules(receives(deep(wide)), receives(deep(narrow)))).to.deep.equal([]);
      expect(rules(receives(deep(narrow)), receives(deep(wide)))).to.deep.equal(['R5']);
    });
  }

  it('another type is incompatible for both', () => {
    expect(rules(sends(text), sends({ type: 'integer' }))).to.deep.equal(['R6']);
    expect(rules(receives(text), receives({ type: 'integer' }))).to.deep.equal(['R5']);
    expect(rules(receives(object({ a: text })), receives(list))).to.deep.equal(['R5']);
  });

  it('a keyword that nobody classified is incompatible for both, and its removal too', () => {
    const strange = { type: 'string', shape: 'round' };
    for (const [before, after] of [
      [text, strange],
      [strange, text],
    ]) {
      expect(rules(sends(before), sends(after))).to.deep.equal(['R6']);
      expect(rules(receives(before), receives(after))).to.deep.equal(['R5']);
    }
  });

  it('keywords of another type, words and extensions are no difference', () => {
    const told = {
      ...text,
      ...{ title: 'T', description: 'D', examples: ['x'], deprecated: true, maxItems: 3 },
      ...{ minimum: 4, $comment: 'C', 'x-order': 7, minLength: 0 },
    };
    expect(rules(sends(text), sends(told))).to.deep.equal([]);
    expect(rules(receives(told), receives(text))).to.deep.equal([]);
  });

  it('bounds that all listed values keep refuse nothing', () => {
    const sizes = { type: 'integer', enum: [10, 20] };
    expect(rules(sends(sizes), sends({ ...sizes, minimum: 1, multipleOf: 5 }))).to.deep.equal([]);
    expect(rules(sends(sizes), sends({ ...sizes, minimum: 15 }))).to.deep.equal(['R6']);
  });

  it('a query is text: a number may become text, and one value a list', () => {
    const of = (schema: unknown) => asks({ schema });
    expect(rules(of({ type: 'integer' }), of(text))).to.deep.equal([]);
    expect(rules(of({ type: 'integer' }), of({ ...text, maxLength: 3 }))).to.deep.equal(['R6']);
    expect(rules(of(text), of(list))).to.deep.equal([]);
    expect(
      rules(of({ type: ['string', 'integer'] }), of({ type: 'array', items: { type: 'integer' } })),
    ).to.deep.equal(['R6']);
    expect(rules(of(list), of(text))).to.deep.equal(['R6']);
    expect(rules(sends({ type: 'integer' }), sends(text))).to.deep.equal(['R6']);
  });
});
