import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { productVersions } from '../../src/compose.ts';
import type { Release } from '../../src/lifecycle/release.ts';
import { sqlVersionUsage } from '../../src/usage/sql-version-usage.ts';
import { apiVersions } from '../../src/versions/api-versions.ts';
import { RELEASES } from '../../src/versions/releases.ts';
import { type V1Deps, v1 } from '../../src/versions/v1/index.ts';
import { releasedBook } from '../support/release.ts';
import { REQUESTS } from './recorded-requests.ts';
import { ask, type Recording, record, recordings } from './recordings.ts';
import { startVersionedApi, testClock, type VersionedApi } from './support.ts';
import { V2_CHANGES } from './v2/changes.ts';
import { ENDING, registryOf, V2, v2, withV2 } from './v2/index.ts';

/** How recordings are made, where a change is meant: docs/guides/add-a-version.md. */
const RECORD = process.env['RECORD_GOLDEN'];

const USE = { customer: 'india', clientId: 'svc_1', subject: 'svc_1', served: 'v1' };
/** Requests of a month, for the recordings of usage. */
const MARCH = {
  ...{ source: 'use_recordings', number: 1 },
  counts: [
    { ...USE, requested: 'v1', operation: 'GET /cls/balances', day: '2027-03-31', requests: 120 },
    { ...USE, requested: 'v1', operation: 'GET /cls/balances', day: '2027-03-12', requests: 45 },
    { ...USE, requested: 'latest', operation: 'GET /cls/me', day: '2027-03-12', requests: 3 },
    {
      ...{ ...USE, clientId: 'app_1', subject: 'acc_1', requested: 'v1' },
      ...{ operation: 'GET /cls/deals/{id}', day: '2027-03-30', requests: 8 },
    },
  ],
};

describeOnDatabase('recordings of v1', (engine) => {
  const clock = testClock('2027-04-01T12:00:00Z');
  let api: VersionedApi;
  before(async () => {
    const location = await releasedBook(engine);
    api = await startVersionedApi({ ...engine, createLocation: async () => location }, clock);
    await sqlVersionUsage(api.database).add(MARCH);
    for (const [topic, requests] of RECORD ? Object.entries(REQUESTS) : []) {
      record(topic, await ask(api, clock, requests));
    }
  });
  after(() => api?.stop());

  const differing = async (topic: string, frozen: readonly Recording[]) => {
    const answers = await ask(api, clock, frozen);
    const different = answers.findIndex((answer, index) => !same(answer, frozen[index]));
    return different < 0
      ? undefined
      : { topic, answer: answers[different], recorded: frozen[different] };
  };
  const everything = async () => {
    for (const [topic, frozen] of recordings()) {
      const found = await differing(topic, frozen);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const equalAll = async () => {
    const found = await everything();
    expect(found?.answer, `golden/v1/${found?.topic}.json`).to.deep.equal(found?.recorded);
  };

  it('are of every request that is listed', () => {
    const asked = (list: readonly { name: string }[]) => list.map(({ name }) => name);
    const frozen = [...recordings()].map(([topic, list]) => [topic, asked(list)]);
    const listed = Object.entries(REQUESTS).map(([topic, list]) => [topic, asked(list)]);
    expect(Object.fromEntries(frozen)).to.deep.equal(Object.fromEntries(listed));
  });

  it('are what v1 answers, byte for byte', async () => {
    api.serve(productVersions);
    await equalAll();
  });

  it('are what v1 answers beside v2, byte for byte: no file of v1 knows of v2', async () => {
    api.serve(withV2([RELEASES[0] as Release, V2]));
    await equalAll();
    expect((await api.getWith('/api/v2/cls/balances', undefined)).status).to.equal(401);
  });

  it('are what v1 answers after it was deprecated', async () => {
    api.serve(withV2());
    await equalAll();
  });

  for (const { name } of V2_CHANGES) {
    it(`show that ${name} is needed: without it v1 answers something else, or nothing starts`, async () => {
      const changes = V2_CHANGES.filter((change) => change.name !== name);
      const [first] = ENDING;
      const mutant = registryOf([first as Release, { ...V2, changes }]);
      let refused: unknown;
      try {
        api.serve((deps: V1Deps) => apiVersions(mutant, [v1(deps), v2(deps)]));
      } catch (error) {
        refused = error;
      }
      const rule = V2_CHANGES.find((change) => change.name === name)?.covers[0]?.rule ?? '';
      if (refused !== undefined) expect(`${refused}`).to.include(`declare ${rule}`);
      else expect(await everything(), name).not.to.equal(undefined);
    });
  }
});

function same(answer: Recording, recorded: Recording | undefined): boolean {
  return JSON.stringify(answer) === JSON.stringify(recorded);
}
