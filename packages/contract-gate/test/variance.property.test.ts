import { expect } from 'chai';
import fc from 'fast-check';
import { receives, rules, sends } from './support/contracts.ts';
import { isValid, schemas } from './support/schemas.ts';

/** Objects all have the same properties: new properties are the one exception to these laws. */
const plain = schemas({
  names: ['a', 'b'],
  fixed: true,
  components: [],
  allOf: false,
  anything: false,
});
const withAllOf = schemas({
  names: ['a', 'b'],
  fixed: true,
  components: [],
  allOf: 'of anything',
  anything: true,
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      null,
      true,
      false,
      '',
      'a',
      'b',
      'c',
      'aa',
      'aaaa',
      -1,
      0,
      0.25,
      0.5,
      1,
      2,
      3,
      5,
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.record({ a: tie('value'), b: tie('value') }, { requiredKeys: [] }),
  ),
}));

describe('the judgement of two schemas', () => {
  it('is the same for what clients send, and the other way round for what they receive', () => {
    fc.assert(
      fc.property(plain, plain, (one, other) => {
        const forRequests = rules(sends(one), sends(other)).length > 0;
        const forAnswers = rules(receives(other), receives(one)).length > 0;
        expect(forRequests).to.equal(forAnswers);
      }),
      { numRuns: 1000 },
    );
  });

  it('never calls compatible what refuses a value that was accepted', () => {
    fc.assert(
      fc.property(
        withAllOf,
        withAllOf,
        fc.array(value, { maxLength: 30 }),
        (one, other, values) => {
          if (rules(sends(one), sends(other)).length > 0) return;
          for (const given of values) {
            if (isValid(one, given))
              expect(isValid(other, given), JSON.stringify(given)).to.equal(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('holds a schema with one more choice wider, for both sides', () => {
    fc.assert(
      fc.property(plain, plain, (one, other) => {
        const choice = { anyOf: [one, other] };
        expect(rules(sends(one), sends(choice))).to.deep.equal([]);
        expect(rules(receives(choice), receives(one))).to.deep.equal([]);
      }),
      { numRuns: 300 },
    );
  });
});
