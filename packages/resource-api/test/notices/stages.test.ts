import { attemptResult } from '@cls/shared/send-attempt';
import { expect } from 'chai';
import type { Release } from '../../src/lifecycle/release.ts';
import { affectedCalls } from '../../src/notices/affected-calls.ts';
import { noticeDocument } from '../../src/notices/notice-document.ts';
import { noticeLetter } from '../../src/notices/notice-letter.ts';
import { dueNotices } from '../../src/notices/notice-stage.ts';
import { ENDING, registryOf, V2 } from '../versions/v2/index.ts';
import { summaryOf, use } from './world.ts';

const registry = registryOf(ENDING);
const due = (instant: string, of = registry) =>
  dueNotices(of, new Date(instant)).map(
    ({ event, version, stage, asked, from, to }) =>
      `${event} of ${version}: ${stage}, to users of ${asked}, from ${from.id} to ${to.id}`,
  );

describe('what is due about versions', () => {
  for (const [instant, stages] of [
    ['2026-11-30T23:59:59Z', ['announcement', 'announcement']],
    ['2026-12-01T00:00:00Z', ['announcement', '90 days']],
    ['2027-01-29T23:59:59Z', ['announcement', '90 days']],
    ['2027-01-30T00:00:00Z', ['announcement', '30 days']],
    ['2027-02-22T00:00:00Z', ['announcement', '7 days']],
    ['2027-02-28T23:59:59Z', ['announcement', '1 day']],
    ['2027-03-01T00:00:00Z', ['announcement']],
    ['2028-09-01T23:59:59Z', ['announcement']],
    ['2028-09-02T00:00:00Z', ['90 days']],
    ['2028-11-01T00:00:00Z', ['30 days']],
    ['2028-11-24T00:00:00Z', ['7 days']],
    ['2028-11-30T00:00:00Z', ['1 day']],
    ['2028-11-30T23:59:59Z', ['1 day']],
    ['2028-12-01T00:00:00Z', ['retired']],
    ['2029-05-29T23:59:59Z', ['retired']],
    ['2029-05-31T00:00:00Z', []],
  ] as const) {
    const [retirement, promotion] = stages;
    it(`is at ${instant} ${stages.join(' and ') || 'nothing'}`, () => {
      expect(due(instant)).to.deep.equal([
        ...(retirement === undefined
          ? []
          : [`retirement of v1: ${retirement}, to users of v1, from v1 to v2`]),
        ...(promotion === undefined
          ? []
          : [`promotion of v2: ${promotion}, to users of latest, from v1 to v2`]),
      ]);
    });
  }

  it('is nothing while no version ends and none is to be promoted', () => {
    expect(due('2027-06-01T00:00:00Z', registryOf([ENDING[0] as Release].map(withoutEnd)))).to.be
      .empty;
    expect(due('2027-06-01T00:00:00Z', registryOf(ENDING.map(withoutEnd)))).to.be.empty;
  });

  it('is an announcement where a version is deprecated and its end has no date', () => {
    const { retiresAt: _, brownouts: __, ...open } = ENDING[0] as Release;
    expect(due('2027-06-01T00:00:00Z', registryOf([open, V2]))).to.deep.equal([
      'deprecation of v1: announcement, to users of v1, from v1 to v2',
    ]);
  });

  it('stays the last stage before the end while a version may not retire yet', () => {
    const held = registryOf(ENDING, () => undefined);
    expect(due('2029-03-01T00:00:00Z', held)[0]).to.include('retirement of v1: 1 day');
    const later = registryOf(ENDING, () => new Date('2029-03-01T00:00:00Z'));
    expect(due('2029-03-01T00:00:00Z', later)[0]).to.include('retirement of v1: retired');
  });
});

describe('a notice about a version', () => {
  const now = new Date('2028-11-01T10:00:00Z');
  const [notice] = dueNotices(registry, now);
  if (notice === undefined) throw new Error('nothing is due');
  const counts = summaryOf([
    use('bank', 'v1', 'GET /cls/balances', '2028-10-01', 40),
    use('bank', 'v1', 'GET /cls/balances', '2028-10-30', 2),
    { ...use('bank', 'v1', 'GET /cls/balances', '2028-10-03', 500), clientId: 'app_<b>' },
    use('bank', 'v1', 'GET /cls/balances/principal/movements', '2028-09-15', 1),
    use('bank', 'latest', 'GET /cls/balances/principal', '2028-10-30', 7),
    use('fund', 'v1', 'GET /cls/balances/principal', '2028-10-30', 9),
  ]);
  const calls = affectedCalls(counts, notice);
  const document = noticeDocument(
    notice,
    'bank',
    calls.get('bank') ?? [],
    now,
    'https://x.example/p',
  );
  const letter = noticeLetter({ id: 'ntc_1', document: JSON.stringify(document) });

  it('names the customer’s own calls, their callers and the changes that touch them', () => {
    expect([...calls.keys()]).to.deep.equal(['bank', 'fund']);
    expect(
      document.data.calls.map(({ operation, requests, lastDay }) => [operation, requests, lastDay]),
    ).to.deep.equal([
      ['GET /cls/balances', 542, '2028-10-30'],
      ['GET /cls/balances/principal/movements', 1, '2028-09-15'],
    ]);
    const [balances, movements] = document.data.calls;
    expect(balances?.callers).to.deep.equal([
      { clientId: 'app_<b>', subject: 'svc_bank', requests: 500, lastDay: '2028-10-03' },
      { clientId: 'svc_bank', subject: 'svc_bank', requests: 42, lastDay: '2028-10-30' },
    ]);
    expect(balances?.changes.map(({ name, rules }) => [name, ...rules])).to.deep.equal([
      ['RemoveTotal', 'R3'],
      ['RequireLevel', 'R4', 'R5'],
      ['AnswerMissingRateWith409', 'R5'],
      ['LimitPagesTo500', 'R6'],
    ]);
    expect(movements?.changes.map(({ name }) => name)).to.deep.equal(['RemoveMovementsList']);
  });

  it('says the same in its e-mail, and what to do', () => {
    expect(letter.subject).to.equal(
      'API v1 retires on 2028-12-01: 2 of your 2 calls need a change',
    );
    for (const line of [
      'GET /cls/balances: 542 requests, the last on 2028-10-30',
      '  by app_<b> for svc_bank: 500 requests, the last on 2028-10-03',
      '  change: GET /cls/balances needs `level`. (R4, R5, RequireLevel)',
      'GET /cls/balances/principal/movements: 1 request, the last on 2028-09-15',
      '2. Replace /api/v1 by /api/v2 in the path.',
      'The policy of versions: https://x.example/p',
    ]) {
      expect(letter.text.split('\n')).to.include(line);
    }
    expect(letter.html).to.include('app_&lt;b&gt;').and.not.include('<b>');
  });

  it('says that no call is touched, where none is', () => {
    const none = noticeDocument(
      { ...notice, changes: [] },
      'bank',
      affectedCalls(counts, { asked: 'v1', changes: [] }).get('bank') ?? [],
      now,
      'https://x.example/p',
    );
    expect(noticeLetter({ id: 'ntc_1', document: JSON.stringify(none) }).subject).to.include(
      '0 of your 2 calls need a change',
    );
    expect(none.data.whatToDo[0]).to.equal(
      'No call of yours is touched by a change: your programs need no change but the path.',
    );
  });
});

describe('an attempt that failed', () => {
  const now = new Date('2028-11-01T10:00:00Z');
  const later = { outcome: 'later', answer: 'HTTP 500' } as const;
  const waitOf = (attempts: number, random: number) => {
    const result = attemptResult(later, attempts, now, random);
    if (result.outcome !== 'pending') return result.outcome;
    return (result.nextAttemptAt.getTime() - now.getTime()) / 1000;
  };

  it('is made again after a minute, and after twice as long each time, up to six hours', () => {
    const waits = Array.from({ length: 20 }, (_, index) => waitOf(index + 1, 0));
    expect(waits.slice(0, 4)).to.deep.equal([60, 120, 240, 480]);
    expect(waits.slice(9)).to.deep.equal([...Array(10).fill(21_600), 'failed']);
    expect(waitOf(1, 0.5)).to.equal(45);
  });

  it('is the last one after twenty, and an operator may have twenty more made', () => {
    expect(waitOf(20, 0)).to.equal('failed');
    expect(waitOf(21, 0)).to.equal(60);
    expect(waitOf(40, 0)).to.equal('failed');
  });

  it('is not made again where the other side refuses for good', () => {
    const refused = attemptResult({ outcome: 'refused', answer: '550 no' }, 1, now, 0);
    expect(refused).to.deep.equal({ outcome: 'failed', answer: '550 no' });
  });
});

function withoutEnd({ deprecatedAt: _, retiresAt: __, brownouts: ___, ...open }: Release): Release {
  return open;
}
