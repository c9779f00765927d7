import { expect } from 'chai';
import { z } from 'zod';
import { UsageError } from '../src/cli/command-line.ts';
import { readOptions, text, wholeNumber } from '../src/cli/options.ts';

describe('the options of a command', () => {
  const schema = z
    .object({
      dueDays: wholeNumber(0, 999),
      at: z.array(text((given) => given.split(':')[1], 'expected date:sequence')),
      from: z.string().exactOptional(),
    })
    .refine(({ from, at }) => from === undefined || at.length > 0, 'give --at beside --from');

  const faultsOf = (given: object) => {
    try {
      readOptions(schema, given);
    } catch (error) {
      expect(error).to.be.instanceOf(UsageError);
      return (error as Error).message.split('\n');
    }
    return [];
  };

  it('are read as the schema says, and what it does not name is left out', () => {
    const given = { dueDays: '07', at: ['a:1', 'b:2'], json: true };
    expect(readOptions(schema, given)).to.deep.equal({ dueDays: 7, at: ['1', '2'] });
  });

  it('are named as they are typed, with all faults at once', () => {
    expect(faultsOf({ dueDays: 'x', at: ['a'] })).to.deep.equal([
      '--due-days: expected a whole number from 0 to 999',
      '--at: expected date:sequence',
    ]);
  });

  it('have one line where two values have the same fault', () => {
    expect(faultsOf({ dueDays: '1', at: ['a', 'b'] })).to.deep.equal([
      '--at: expected date:sequence',
    ]);
  });

  it('are refused together with a sentence of its own', () => {
    expect(faultsOf({ dueDays: '1', at: [], from: 'x' })).to.deep.equal([
      'give --at beside --from',
    ]);
  });

  for (const given of ['', '-1', '1000', '1e2', ' 1', '1.0', '0x1', '１']) {
    it(`take ${JSON.stringify(given)} for no number`, () => {
      expect(faultsOf({ dueDays: given, at: [] })).to.have.lengthOf(1);
    });
  }
});
