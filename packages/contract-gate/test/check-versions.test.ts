import { expect } from 'chai';
import { checkVersions, type DeclaredChange } from '../src/check-versions.ts';
import { asks, contract, operation } from './support/contracts.ts';

const v1 = operation({}, { servers: [{ url: '/api/v1' }] });
const stricter = {
  ...asks({ required: true, schema: { type: 'string' } }),
  servers: [{ url: '/api/v2' }],
};
const declared: DeclaredChange = {
  name: 'RequireQ',
  covers: [{ rule: 'R4', operation: 'POST /loans', pointer: '/parameters/query/q' }],
};
const version = (
  id: string,
  document: unknown,
  changes: DeclaredChange[] = [],
  released: unknown = document,
) => ({
  id,
  declared: document,
  released: released === 'not yet' ? undefined : released,
  changes,
});
const faults = (...versions: Parameters<typeof checkVersions>[0]) =>
  checkVersions(versions).map(({ message }) => message);

describe('the check of versions', () => {
  it('passes a released version that only grows', () => {
    expect(faults(version('v1', operation({ deprecated: true }), [], operation({})))).to.deep.equal(
      [],
    );
  });

  it('names the rule and the next version where a released version changes incompatibly', () => {
    const given = { ...asks({ required: true, schema: {} }), servers: [{ url: '/api/v1' }] };
    const [fault, ...others] = checkVersions([version('v1', given, [], v1)]);
    expect(others).to.deep.equal([]);
    expect(fault?.message).to.equal(
      'v1 was released and changes incompatibly (R4): leave v1 as it is, open v2, and declare the change there',
    );
    expect(fault?.findings.map(({ rule, pointer }) => [rule, pointer])).to.deep.equal([
      ['R4', '/parameters/query/q'],
    ]);
  });

  it('passes the same change where the next version declares it, though its path differs', () => {
    expect(faults(version('v1', v1), version('v2', stricter, [declared]))).to.deep.equal([]);
    const everywhere = { name: 'RequireQ', covers: [{ rule: 'R4', operation: '*' }] } as const;
    expect(faults(version('v1', v1), version('v2', stricter, [everywhere]))).to.deep.equal([]);
  });

  it('refuses a next version that does not declare it, or declares another rule or place', () => {
    const sentence =
      'v2 differs from v1 in what no change of v2 declares (R4): add it to covers of a change';
    expect(faults(version('v1', v1), version('v2', stricter))).to.deep.equal([sentence]);
    const elsewhere = {
      ...declared,
      covers: [{ ...declared.covers[0], pointer: '/parameters/query/r' }],
    } as DeclaredChange;
    expect(faults(version('v1', v1), version('v2', stricter, [elsewhere]))).to.include(sentence);
  });

  it('refuses a declared change that the documents do not show, unless it is one of behaviour', () => {
    const [idle] = faults(version('v1', v1), version('v2', v1, [declared]));
    expect(idle).to.include(
      'RequireQ of v2 declares R4 of POST /loans at /parameters/query/q, which the contracts do not show',
    );
    for (const behaviour of [true, 'flag'] as const) {
      expect(
        faults(version('v1', v1), version('v2', v1, [{ ...declared, behaviour }])),
      ).to.deep.equal([]);
    }
    const [nothing] = faults(version('v1', v1), version('v2', v1, [{ name: 'Idle', covers: [] }]));
    expect(nothing).to.include('Idle of v2 covers nothing');
  });

  it('refuses growth of a version that is not the newest any more, save its mark of deprecation', () => {
    const grown = { ...asks({ schema: { type: 'string' } }), servers: [{ url: '/api/v1' }] };
    const marked = operation({ deprecated: true }, { servers: [{ url: '/api/v1' }] });
    const drop = { name: 'Drop', covers: [{ rule: 'R3', operation: 'POST /loans' }] } as const;
    expect(faults(version('v1', grown, [], v1), version('v2', v1, [drop]))).to.deep.equal([
      'v1 is not the newest version any more and grows: add to the newest version alone',
    ]);
    expect(faults(version('v1', marked, [], v1), version('v2', v1))).to.deep.equal([]);
    expect(
      faults(version('v1', grown, [], v1), version('v2', v1, [drop], 'not yet')),
    ).to.deep.equal([]);
  });

  it('compares a version that is not released with the one before alone', () => {
    expect(
      faults(
        version('v1', v1),
        version(
          'v2',
          contract({}),
          [{ name: 'Drop', covers: [{ rule: 'R1', operation: 'POST /loans' }] }],
          'not yet',
        ),
      ),
    ).to.deep.equal([]);
  });
});
