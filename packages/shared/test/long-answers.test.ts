import { expect } from 'chai';
import { longAnswers } from '../src/http/long-answers.ts';
import { Refusal } from '../src/http/refusal.ts';
import { noMetrics } from '../src/metrics/metrics.ts';

const reader = (caller: string, customer = 'bank') => ({ caller, customer });

/** Why the answer is refused, or `begun`. */
function outcome(begin: () => unknown): string {
  try {
    begin();
    return 'begun';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, headers, detail } = error.details;
    return `${status} ${headers?.['Retry-After']} ${/for this (\w+)/.exec(detail)?.[1] ?? 'process'}`;
  }
}

describe('long answers', () => {
  it('have a limit for a caller, a customer and the process', () => {
    const long = longAnswers({ perCaller: 2, perCustomer: 3, inAll: 4 }, noMetrics);
    const begin = (...who: Parameters<typeof reader>) => outcome(() => long.begin(reader(...who)));
    expect([begin('a'), begin('a'), begin('a')]).to.deep.equal(['begun', 'begun', '429 5 caller']);
    expect([begin('b'), begin('b')]).to.deep.equal(['begun', '429 5 customer']);
    expect([begin('c', 'fund'), begin('d', 'fund')]).to.deep.equal(['begun', '503 10 process']);
  });

  it('have room as long as one more may begin', () => {
    const long = longAnswers({ perCaller: 1, perCustomer: 2, inAll: 0 }, noMetrics);
    const room = () => ['a', 'b', 'c'].map((caller) => long.hasRoom(reader(caller)));
    expect(room()).to.deep.equal([true, true, true]);
    long.begin(reader('a'));
    expect(room()).to.deep.equal([false, true, true]);
    long.begin(reader('b'));
    expect(room()).to.deep.equal([false, false, false]);
  });

  it('give their place back once, however often they end', () => {
    const long = longAnswers({ perCaller: 1, perCustomer: 0, inAll: 0 }, noMetrics);
    const end = long.begin(reader('a'));
    end();
    end();
    long.begin(reader('a'));
    expect(outcome(() => long.begin(reader('a')))).to.equal('429 5 caller');
    expect(outcome(() => long.begin(reader('b')))).to.equal('begun');
  });

  it('of a caller whose customer is not known count for the caller and the process alone', () => {
    const long = longAnswers({ perCaller: 0, perCustomer: 1, inAll: 3 }, noMetrics);
    const begin = () => outcome(() => long.begin({ caller: 'a', customer: undefined }));
    expect([begin(), begin(), begin(), begin()]).to.deep.equal([
      ...['begun', 'begun', 'begun', '503 10 process'],
    ]);
  });
});
