import { expect } from 'chai';
import { lines, object, receives, rules, sends } from './support/contracts.ts';

const text = { type: 'string' };

describe('fields that clients send', () => {
  it('removed: R3, at any depth', () => {
    expect(rules(sends(object({ a: text, b: text })), sends(object({ a: text })))).to.deep.equal([
      'R3',
    ]);
    const inList = (schema: unknown) =>
      sends({ type: 'array', items: { additionalProperties: schema, type: 'object' } });
    expect(rules(inList(object({ a: text, b: text })), inList(object({ a: text })))).to.deep.equal([
      'R3',
    ]);
  });

  it('new: R4 when required without a default, otherwise compatible', () => {
    const before = sends(object({ a: text }));
    expect(lines(before, sends(object({ a: text, b: text }, ['b'])))).to.deep.equal([
      'R4 required-property-added /requestBody/content/application~1json/schema/properties/b',
    ]);
    expect(rules(before, sends(object({ a: text, b: text })))).to.deep.equal([]);
    const withDefault = object({ a: text, b: { ...text, default: 'x' } }, ['b']);
    expect(rules(before, sends(withDefault))).to.deep.equal([]);
  });

  it('that became required: R4; that became optional: compatible', () => {
    const [optional, required] = [sends(object({ a: text })), sends(object({ a: text }, ['a']))];
    expect(rules(optional, required)).to.deep.equal(['R4']);
    expect(rules(required, optional)).to.deep.equal([]);
  });

  it('required without being declared: R4', () => {
    expect(
      rules(sends({ type: 'object' }), sends({ type: 'object', required: ['a'] })),
    ).to.deep.equal(['R4']);
  });

  it('that only answers have are no matter', () => {
    const id = { ...text, readOnly: true };
    expect(rules(sends(object({ id })), sends(object({})))).to.deep.equal([]);
    expect(rules(sends(object({})), sends(object({ id }, ['id'])))).to.deep.equal([]);
  });

  it('closed to further ones: R6', () => {
    const closed = { ...object({ a: text }), additionalProperties: false };
    expect(rules(sends(object({ a: text })), sends(closed))).to.deep.equal(['R6']);
    expect(rules(sends(closed), sends(object({ a: text })))).to.deep.equal([]);
    const unevaluated = { ...object({ a: text }), unevaluatedProperties: false };
    expect(rules(sends(object({ a: text })), sends(unevaluated))).to.deep.equal(['R6']);
  });

  it('new in a typed map: the type that the map had holds for them', () => {
    const map = { type: 'object', additionalProperties: text };
    const named = (schema: unknown) => ({ ...map, properties: { a: schema } });
    expect(rules(sends(map), sends(named(text)))).to.deep.equal([]);
    expect(rules(sends(map), sends(named({ type: 'integer' })))).to.deep.equal(['R6']);
    expect(rules(receives(map), receives(named({ type: 'integer' })))).to.deep.equal(['R5']);
  });

  it('required by one of several ways only: R6', () => {
    const ways = {
      ...object({ a: text, b: text }),
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    };
    expect(rules(sends(object({ a: text, b: text })), sends(ways))).to.deep.equal(['R6']);
  });

  it('of a pattern: removed R3; new ones that refuse what was open R6', () => {
    const open = { type: 'object' };
    const pattern = { type: 'object', patternProperties: { '^x-': text } };
    expect(rules(sends(pattern), sends(open))).to.deep.equal(['R3']);
    expect(rules(sends(open), sends(pattern))).to.deep.equal(['R6']);
  });
});

describe('fields that clients receive', () => {
  it('removed: R3, at any depth, optional ones too', () => {
    const deep = (properties: Record<string, unknown>) =>
      receives({
        allOf: [object({ page: { type: 'array', items: { oneOf: [object(properties)] } } })],
      });
    expect(rules(deep({ a: text, b: text }), deep({ a: text }))).to.deep.equal(['R3']);
  });

  it('new: compatible, required or not', () => {
    const before = receives(object({ a: text }));
    expect(lines(before, receives(object({ a: text, b: text })))).to.deep.equal([
      'compatible property-added /responses/200/content/application~1json/schema/properties/b',
    ]);
    expect(rules(before, receives(object({ a: text, b: text }, ['b'])))).to.deep.equal([]);
  });

  it('that became optional: R5; that became required: compatible', () => {
    const [optional, required] = [object({ a: text }), object({ a: text }, ['a'])];
    expect(rules(receives(required), receives(optional))).to.deep.equal(['R5']);
    expect(rules(receives(optional), receives(required))).to.deep.equal([]);
  });

  it('promised without being declared, then declared as optional: R5', () => {
    const promised = { type: 'object', required: ['a'] };
    expect(rules(receives(promised), receives(object({ a: text })))).to.deep.equal(['R5']);
    expect(rules(receives(promised), receives(object({ a: text }, ['a'])))).to.deep.equal([]);
  });

  it('that only requests have are no matter', () => {
    const password = { ...text, writeOnly: true };
    expect(rules(receives(object({ password }, ['password'])), receives(object({})))).to.deep.equal(
      [],
    );
  });

  it('of an object that becomes one of several: told where the promise ends', () => {
    const whole = object({ a: text, b: text }, ['a', 'b']);
    const parts = {
      oneOf: [object({ a: text, b: text }, ['a']), object({ a: text, b: text }, ['b'])],
    };
    expect(rules(receives(whole), receives(parts))).to.deep.equal(['R5']);
  });
});

describe('lists of values that may grow', () => {
  const grows = (...values: string[]) => ({ type: 'string', 'x-extensible-enum': values });

  it('may lose none that clients send', () => {
    expect(rules(sends(grows('a', 'b')), sends(grows('a')))).to.deep.equal(['R6']);
    expect(rules(sends(grows('a')), sends(grows('a', 'b')))).to.deep.equal([]);
    expect(rules(receives(grows('a')), receives(grows('a', 'b')))).to.deep.equal([]);
  });
});

describe('alternatives', () => {
  const [cat, dog] = [
    object({ kind: { const: 'cat' }, lives: { type: 'integer' } }, ['kind']),
    object({ kind: { const: 'dog' }, tricks: text }, ['kind']),
  ];
  const either = (...branches: unknown[]) => ({ oneOf: branches });

  it('in another order are the same', () => {
    expect(lines(sends(either(cat, dog)), sends(either(dog, cat)))).to.deep.equal([]);
    expect(lines(receives(either(cat, dog)), receives(either(dog, cat)))).to.deep.equal([]);
  });

  it('with a difference inside one: told there, not as removed and added', () => {
    const lame = object({ kind: { const: 'dog' } }, ['kind']);
    expect(rules(receives(either(cat, dog)), receives(either(cat, lame)))).to.deep.equal(['R3']);
    expect(rules(sends(either(cat, dog)), sends(either(lame, cat)))).to.deep.equal(['R3']);
  });

  it('that merge into one that allows all of them are compatible', () => {
    const [small, large] = [
      object({ id: text }, ['id']),
      object({ id: text, name: text }, ['id', 'name']),
    ];
    const merged = object({ id: text, name: text }, ['id']);
    expect(rules(sends(either(small, large)), sends(merged))).to.deep.equal([]);
    expect(rules(receives(either(small, large)), receives(merged))).to.deep.equal([]);
  });

  it('of which only one may hold refuse more than those of which several may', () => {
    const [one, other] = [object({ a: text }), object({ b: text })];
    const [any, exclusive] = [{ anyOf: [one, other] }, either(one, other)];
    expect(rules(sends(any), sends(exclusive))).to.deep.equal(['R6']);
    expect(rules(sends(exclusive), sends(any))).to.deep.equal([]);
    expect(rules(receives(exclusive), receives(any))).to.deep.equal(['R5']);
    expect(lines(sends({ anyOf: [cat, dog] }), sends(either(cat, dog)))).to.deep.equal([]);
    expect(
      lines(sends({ anyOf: [text, { type: 'null' }] }), sends(either(text, { type: 'null' }))),
    ).to.deep.equal([]);
  });

  it('of constants are a list of values', () => {
    const constants = either({ const: 'a', title: 'A' }, { const: 'b' });
    const listed = { type: 'string', enum: ['b', 'a'] };
    expect(lines(sends(constants), sends(listed))).to.deep.equal([]);
    expect(lines(receives(listed), receives(constants))).to.deep.equal([]);
  });

  it('of a discriminator are compared value by value', () => {
    const components = (a: string, b: string) => ({
      components: {
        schemas: {
          A: object({ kind: text, one: text }),
          B: object({ kind: text, two: text }),
          Both: {
            oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }],
            discriminator: {
              propertyName: 'kind',
              mapping: { [a]: '#/components/schemas/A', [b]: '#/components/schemas/B' },
            },
          },
        },
      },
    });
    const both = { $ref: '#/components/schemas/Both' };
    expect(
      lines(sends(both, components('a', 'b')), sends(both, components('a', 'b'))),
    ).to.deep.equal([]);
    expect(rules(sends(both, components('a', 'b')), sends(both, components('b', 'a')))).to.include(
      'R3',
    );
    expect(rules(sends(both, components('a', 'b')), sends(both, components('a', 'c')))).to.include(
      'R6',
    );
  });
});
