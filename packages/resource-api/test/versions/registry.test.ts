import { expect } from 'chai';
import fc from 'fast-check';
import { createRegistry, ordinalOf, type Registry } from '../../src/lifecycle/registry.ts';
import type { Change, Release } from '../../src/lifecycle/release.ts';
import { NOTICE_POLICY, RELEASES } from '../../src/versions/releases.ts';

const change = (name: string): Change => ({
  name,
  summary: 'Something is different.',
  covers: [{ rule: 'R5', operation: 'GET /cls/balances' }],
});
const day = (n: number) => new Date(Date.UTC(2027, 0, 1 + n)).toISOString().replace('.000Z', 'Z');

/** v1 … vn: each released a hundred days after the one before, and promoted thirty days later. */
function releases(count: number): Release[] {
  return Array.from({ length: count }, (_, index): Release => {
    const releasedAt = day(index * 100);
    return {
      id: `v${index + 1}`,
      releasedAt,
      promotesAt: index === 0 ? releasedAt : day(index * 100 + 30),
      contract: `contracts/v${index + 1}.json`,
      changes: index === 0 ? [] : [change(`Change${index}`)],
    };
  });
}
const registryOf = (list: readonly Release[]): Registry => createRegistry(list, NOTICE_POLICY);
const [v1, v2] = releases(2) as [Release, Release];
const retired = { deprecatedAt: day(130), retiresAt: day(130 + 365) };

describe('the list of versions', () => {
  it('is in order as the product has it', () => {
    expect(() => registryOf(RELEASES)).not.to.throw();
  });

  for (const [why, list] of [
    ['there must be a version', []],
    ['v2: versions are v1, v2, … in order', [{ ...v1, id: 'v2' }]],
    [
      'v1: versions are v1, v2, … in order',
      [
        { ...v2, id: 'v2' },
        { ...v1, id: 'v1' },
      ],
    ],
    ['expected an instant', [{ ...v1, releasedAt: '2027-01-01', promotesAt: '2027-01-01' }]],
    ['expected an instant', [{ ...v1, releasedAt: day(0).replace('Z', '+01:00') }]],
    ['the first version is latest at once', [{ ...v1, promotesAt: day(1) }]],
    ['promotesAt is before releasedAt', [v1, { ...v2, promotesAt: day(99) }]],
    ['released before v1', [{ ...v1, releasedAt: day(110), promotesAt: day(110) }, v2]],
    ['promoted no later than v1', [v1, { ...v2, releasedAt: day(0), promotesAt: day(0) }]],
    ['the newest version cannot be deprecated', [{ ...v1, ...retired }]],
    ['deprecated before v2 is latest', [{ ...v1, ...retired, deprecatedAt: day(129) }, v2]],
    ['less than 365 days', [{ ...v1, ...retired, retiresAt: day(130 + 364) }, v2]],
    ['retiresAt needs deprecatedAt', [{ ...v1, retiresAt: day(900) }, v2]],
    ['the first version has no changes', [{ ...v1, changes: [change('One')] }]],
    ['needs a change that is incompatible', [v1, { ...v2, changes: [] }]],
    ['two changes have this name', [v1, { ...v2, changes: [change('One'), change('One')] }]],
    [
      'One needs a summary and what it covers',
      [v1, { ...v2, changes: [{ ...change('One'), covers: [] }] }],
    ],
    ['brownouts need', [{ ...v1, brownouts: [{ from: day(1), to: day(2) }] }, v2]],
    ...[
      { from: day(129), to: day(131) },
      { from: day(200), to: day(199) },
      { from: day(494), to: day(496) },
    ].map((window) => [
      'brownouts follow one another',
      [{ ...v1, ...retired, brownouts: [window] }, v2],
    ]),
  ] as [string, Release[]][]) {
    it(`does not start where it is broken: ${why}`, () => {
      expect(() => registryOf(list)).to.throw(why);
    });
  }

  it('compares versions as numbers: v12 is after v2', () => {
    const registry = registryOf(releases(12));
    const numbers = registry.releases.map(ordinalOf);
    expect(numbers).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(registry.latest(new Date(day(5_000))).id).to.equal('v12');
    const [, second] = registry.releases;
    expect(second && registry.successorOf(second, new Date(day(5_000)))?.id).to.equal('v3');
  });

  it('always has a latest, which is never before an older one and never retired', () => {
    const count = fc.integer({ min: 1, max: 12 });
    const days = fc.array(fc.integer({ min: -100, max: 3_000 }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(count, fc.nat(11), days, (n, ended, instants) => {
        const list = releases(n).map((release, index, all) => {
          const next = all[index + 1];
          if (index > ended || next === undefined) return release;
          const deprecatedAt = next.promotesAt;
          const retiresAt = new Date(Date.parse(deprecatedAt) + 365 * 86_400_000);
          return {
            ...release,
            deprecatedAt,
            retiresAt: `${retiresAt.toISOString().slice(0, 19)}Z`,
          };
        });
        const registry = registryOf(list);
        let last = 0;
        for (const at of instants.sort((a, b) => a - b).map((one) => new Date(day(one)))) {
          const latest = registry.latest(at);
          expect(ordinalOf(latest)).to.be.at.least(last);
          last = ordinalOf(latest);
          expect(registry.resolve('latest', at)).to.deep.equal({
            kind: 'served',
            isLatest: true,
            release: latest,
          });
          expect(registry.resolve(latest.id, at).kind).to.equal('served');
          expect(registry.statusOf(latest, at)).to.equal('Supported');
        }
      }),
    );
  });

  it('has another period from the instant on at which a version retires, also after its date', () => {
    let decided: Date | undefined;
    const list = [{ ...v1, ...retired }, v2];
    const registry = createRegistry(list, NOTICE_POLICY, () => decided);
    const [date, later] = [new Date(day(130 + 365)), new Date(day(130 + 400))];
    const held = registry.period(date);
    expect(registry.period(later)).to.equal(held);
    decided = new Date(day(130 + 380));
    expect(registry.period(date)).to.equal(held);
    expect(registry.period(later)).not.to.equal(held);
    expect(registry.statusOf(list[0] as Release, date)).to.equal('Deprecated');
    expect(registry.statusOf(list[0] as Release, later)).to.equal('Retired');
    expect(registry.servedIds(later)).to.deep.equal(['v2', 'latest']);
  });
});
