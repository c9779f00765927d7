import { expect } from 'chai';
import fc from 'fast-check';
import { type DueLine, pastDue, sharePastDue } from '../../src/ledger/past-due.ts';

const line = (due: bigint, notYetDue: bigint): DueLine => ({ due, notYetDue });
const shares = (lenders: Readonly<Record<string, DueLine>>) => {
  const some = Object.values(lenders);
  const whole = line(
    some.reduce((sum, { due }) => sum + due, 0n),
    some.reduce((sum, { notYetDue }) => sum + notYetDue, 0n),
  );
  const shared = Object.fromEntries(sharePastDue(whole, new Map(Object.entries(lenders))));
  return { whole: pastDue(whole), shared };
};

describe('what is past due', () => {
  it('is what is due less what is not due yet, never less than nothing and never more', () => {
    expect(pastDue(line(100n, 30n))).to.equal(70n);
    expect(pastDue(line(100n, 130n))).to.equal(0n);
    expect(pastDue(line(-5n, -20n))).to.equal(0n);
    expect(pastDue(line(100n, -30n))).to.equal(100n);
  });

  it('is each lender’s own, where that adds up', () => {
    const { whole, shared } = shares({ anna: line(90n, 20n), bert: line(50n, 50n) });
    expect([whole, shared]).to.deep.equal([70n, { anna: 70n, bert: 0n }]);
  });

  it('is not more than is due to a lender, whose later credit the others’ charges make up', () => {
    const { whole, shared } = shares({ anna: line(95n, -5n), bert: line(115n, 15n) });
    expect([whole, shared]).to.deep.equal([200n, { anna: 95n, bert: 105n }]);
  });

  it('is taken off where one lender’s payments covered more than is due', () => {
    const { whole, shared } = shares({ anna: line(10n, 30n), bert: line(60n, 20n) });
    expect([whole, shared]).to.deep.equal([20n, { anna: 0n, bert: 20n }]);
  });

  it('counts at once what a lender has to give back', () => {
    const { whole, shared } = shares({ anna: line(-5n, -5n), bert: line(35n, 10n) });
    expect([whole, shared]).to.deep.equal([25n, { anna: -5n, bert: 30n }]);
  });

  it('is nothing for anybody where the line is in credit', () => {
    const { whole, shared } = shares({ anna: line(-50n, 0n), bert: line(20n, 0n) });
    expect([whole, shared]).to.deep.equal([0n, { anna: 0n, bert: 0n }]);
  });

  it('has no shares where there are no lenders', () => {
    expect([...sharePastDue(line(100n, 0n), new Map())]).to.deep.equal([]);
  });

  it('adds up over lenders and is within what is due to each, whatever they owe', () => {
    const amount = fc.bigInt({ min: -1_000n, max: 1_000n });
    const lenders = fc.dictionary(
      fc.string({ minLength: 1, maxLength: 3 }),
      fc.tuple(amount, amount),
      {
        minKeys: 1,
        maxKeys: 6,
      },
    );
    fc.assert(
      fc.property(lenders, (drawn) => {
        const lines = Object.fromEntries(
          Object.entries(drawn).map(([id, [due, later]]) => [id, line(due, later)]),
        );
        const { whole, shared } = shares(lines);
        const total = Object.values(lines).reduce((sum, { due }) => sum + due, 0n);
        expect(Object.values(shared).reduce((sum, share) => sum + share, 0n)).to.equal(whole);
        for (const [id, { due }] of Object.entries(lines)) {
          const share = shared[id] ?? 0n;
          if (total < 0n) expect(share).to.equal(0n);
          else {
            expect(share <= due, `${id}: ${share} of ${due}`).to.equal(true);
            expect(share >= (due < 0n ? due : 0n), `${id}: ${share} of ${due}`).to.equal(true);
          }
        }
      }),
    );
  });
});
