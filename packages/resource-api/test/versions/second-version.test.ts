import { checkVersions } from '@cls/contract-gate/check-versions';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import type { OperationKey } from '../../src/lifecycle/release.ts';
import { responseSchema } from '../../src/versions/conversion.ts';
import { projector } from '../../src/versions/project.ts';
import { v1Contract } from '../../src/versions/v1/contract.ts';
import { expectValid, validatorsOf } from '../support/contract.ts';
import { releasedBook } from '../support/release.ts';
import { REQUESTS } from './recorded-requests.ts';
import { ask, type RecordedRequest } from './recordings.ts';
import { startVersionedApi, testClock, type VersionedApi } from './support.ts';
import { V2_CHANGES } from './v2/changes.ts';
import { v2Contract } from './v2/contract.ts';
import { withV2 } from './v2/index.ts';

const B = '/cls/balances';
const P = '/cls/balances/principal';
const DAY = 'asOf=2017-06-14';

/** What each kind of change is to a caller of either version. */
describe('a second version', () => {
  const clock = testClock('2027-04-01T12:00:00Z');
  let api: VersionedApi;
  before(async () => {
    const location = await releasedBook(anyEngine);
    api = await startVersionedApi(
      { ...anyEngine, createLocation: async () => location },
      clock,
      withV2(),
    );
  });
  after(() => api?.stop());

  const one = async (version: string, path: string, more: Partial<RecordedRequest> = {}) => {
    const [answer] = await ask(api, clock, [{ name: path, path, ...more }], version);
    if (answer === undefined) throw new Error('no answer');
    return answer;
  };
  const statuses = async (path: string, more: Partial<RecordedRequest> = {}) => [
    (await one('v1', path, more)).status,
    (await one('v2', path, more)).status,
  ];

  it('R1: has no path that was removed, and the first has it still', async () => {
    expect(await statuses(`${P}/movements?limit=1`)).to.deep.equal([200, 404]);
  });

  it('R2: needs another permission, and the first needs its own', async () => {
    const viewer = { customer: 'agent-bank' };
    expect(await statuses(`${P}?limit=1`, viewer)).to.deep.equal([200, 403]);
    expect(await statuses(`${P}?limit=1`)).to.deep.equal([200, 200]);
  });

  it('R3: lacks a field in pages and exports, and the first has it', async () => {
    for (const headers of [{}, { accept: 'text/csv' }, { accept: 'application/x-ndjson' }]) {
      const path = `${B}?level=facility&currency=EUR&${DAY}`;
      const [first, second] = [
        await one('v1', path, { headers }),
        await one('v2', path, { headers }),
      ];
      expect([first.status, second.status]).to.deep.equal([200, 200]);
      expect(first.body).to.match(/global\.total|"total":\{/);
      expect(second.body).not.to.match(/global\.total|"total":\{/);
    }
  });

  it('R4: needs a parameter, and the first has its default', async () => {
    expect(await statuses(`${B}?limit=1`)).to.deep.equal([200, 400]);
    expect(await statuses(`${B}?limit=1&level=deal`)).to.deep.equal([200, 200]);
  });

  it('R5: answers the same refusal with another status', async () => {
    const path = `${P}?${DAY}&reportingCurrency=CHF`;
    expect(await statuses(path)).to.deep.equal([422, 409]);
  });

  it('R6: refuses what the first accepts', async () => {
    expect(await statuses(`${P}?limit=501`)).to.deep.equal([200, 400]);
    expect(await statuses(`${P}?limit=500`)).to.deep.equal([200, 200]);
  });

  it('declares to the gate everything that is incompatible, and nothing that is not there', () => {
    const [v1, v2] = [v1Contract(), v2Contract()].map((contract) => structuredClone(contract));
    const released = { id: 'v1', declared: v1, released: v1, changes: [] };
    const next = { id: 'v2', declared: v2, released: undefined, changes: V2_CHANGES };
    expect(checkVersions([released, next])).to.deep.equal([]);
    const rules = new Set(V2_CHANGES.flatMap(({ covers }) => covers.map(({ rule }) => rule)));
    expect([...rules].sort()).to.deep.equal(['R1', 'R2', 'R3', 'R4', 'R5', 'R6']);
    for (const { name } of V2_CHANGES) {
      const changes = V2_CHANGES.filter((change) => change.name !== name);
      expect(checkVersions([released, { ...next, changes }]), name).not.to.deep.equal([]);
    }
  });

  it('has an addition that the first does not show', async () => {
    const path = `${B}?level=facility&limit=2`;
    expect((await one('v2', path)).body).to.include('"currencyDigits":');
    expect((await one('v1', path)).body).not.to.include('currencyDigits');
  });

  it('answers what its own contract promises, in its order', async () => {
    const contract = v2Contract();
    const validators = validatorsOf(contract);
    const project = projector(contract, { from: 'v2', to: 'v2' });
    const topics = [REQUESTS['balances'], REQUESTS['principal'], REQUESTS['exports']];
    const asked = topics.flatMap((topic) => topic ?? []).filter(({ path }) => path !== undefined);
    const given = asked.map((request): RecordedRequest => {
      const needsLevel = request.path?.startsWith(`${B}?`) && !request.path.includes('level=');
      return needsLevel ? { ...request, path: `${request.path}&level=facility` } : request;
    });
    let valid = 0;
    for (const answer of await ask(api, clock, given, 'v2')) {
      const type = (answer.answered['content-type'] ?? '').split(';')[0] ?? '';
      if (answer.status !== 200 || type === 'text/csv' || answer.body === '') continue;
      const operation = `GET ${answer.below}` as OperationKey;
      const schema = responseSchema(
        { version: { id: 'v2', contract, routes: [] }, operation },
        200,
        type,
      );
      const validate = validators(schema.$ref?.split('/').at(-1) ?? '');
      for (const line of answer.body.trim().split('\n')) {
        expectValid(validate, JSON.parse(line), answer.name);
        expect(JSON.stringify(project(schema, JSON.parse(line))), answer.name).to.equal(line);
        valid += 1;
      }
    }
    expect(valid).to.be.greaterThan(40);
  });
});
