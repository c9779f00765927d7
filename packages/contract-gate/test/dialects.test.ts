import { expect } from 'chai';
import { lines, object, operation, receives, sends } from './support/contracts.ts';

const text = { type: 'string' };

/** The same in the words of 3.0 and of 3.1. */
const SAME: Readonly<Record<string, readonly [unknown, unknown]>> = {
  nullable: [{ ...text, nullable: true }, { type: ['string', 'null'] }],
  'nullable beside a list of values': [
    { ...text, nullable: true, enum: ['a', null] },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  'nullable beside allOf': [
    { nullable: true, allOf: [object({ a: text })] },
    { anyOf: [object({ a: text }), { type: 'null' }] },
  ],
  'exclusive bounds': [
    { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
    { type: 'number', exclusiveMinimum: 1, maximum: 5 },
  ],
  'exclusive bounds of integers': [
    { type: 'integer', minimum: 0, exclusiveMinimum: true },
    { type: 'integer', minimum: 1 },
  ],
  bytes: [
    { ...text, format: 'byte' },
    { ...text, contentEncoding: 'base64' },
  ],
  'one value': [{ ...text, enum: ['a'] }, { const: 'a' }],
};

describe('a contract that moves from OpenAPI 3.0 to 3.1', () => {
  for (const [name, [old, next]] of Object.entries(SAME)) {
    it(`${name}: no difference`, () => {
      expect(lines(sends(old, {}, '3.0.3'), sends(next))).to.deep.equal([]);
      expect(lines(receives(next), receives(old, {}, '3.0.3'))).to.deep.equal([]);
    });
  }

  it('files: a string of format binary and no schema at all are the same', () => {
    const upload = (media: object) =>
      operation({ requestBody: { content: { 'image/png': media } } });
    expect(lines(upload({ schema: { ...text, format: 'binary' } }), upload({}))).to.deep.equal([]);
  });

  it('members beside $ref count in 3.1 alone', () => {
    const schemas = { components: { schemas: { Name: text } } };
    const [plain, limited] = [
      { $ref: '#/components/schemas/Name' },
      { $ref: '#/components/schemas/Name', maxLength: 3 },
    ];
    expect(lines(sends(plain, schemas, '3.0.3'), sends(limited, schemas, '3.0.3'))).to.deep.equal(
      [],
    );
    expect(lines(sends(plain, schemas), sends(limited, schemas))).to.have.lengthOf(1);
  });
});
