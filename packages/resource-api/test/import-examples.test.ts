import { readFileSync, writeFileSync } from 'node:fs';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import type { Example } from '../src/versions/examples.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { ISSUER } from './support/issuer.ts';
import { fileOf } from './support/journal-lines.ts';

const FILE = new URL('../../examples/v1.json', import.meta.url);
/** How they are made, where a change is meant. */
const RECORD = process.env['RECORD_EXAMPLES'];

const PARTY = { object: 'party', id: `pty_${'7'.repeat(26)}`, name: 'Ada Bank' };
const JOURNALS = fileOf([PARTY])
  .map((line) => `${line}\n`)
  .join('');
const PROFILE = JSON.stringify({
  ...JSON.parse(
    readFileSync(new URL('../../profiles/world-bank-ibrd.json', import.meta.url), 'utf8'),
  ),
  name: 'example',
});
const JSON_TYPE = { 'content-type': 'application/json' };

describeOnDatabase('the examples of imports in the contract and the documentation', (engine) => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine, { IMPORTS: 'on' });
  });
  after(() => api?.stop());

  const ask = async (
    method: string,
    path: string,
    headers?: Record<string, string>,
    sent?: string,
  ): Promise<Example> => {
    const scope = `${ISSUER}/auth/cls-ledger.post ${ISSUER}/auth/external-api.fullcontrol`;
    const claims = { scope, customer: 'bank' };
    const authorization = `Bearer ${await api.token(claims)}`;
    const answer = await fetch(`${api.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization, ...headers },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
    const request = { method, path, ...(headers && { headers }), ...(sent && { sent }) };
    return { ...request, status: answer.status, type, body: await answer.text() };
  };
  const exchanges = async (): Promise<readonly Example[]> => {
    const put = await ask('PUT', '/cls/import-profiles/example', JSON_TYPE, PROFILE);
    const profiles = await ask('GET', '/cls/import-profiles');
    const profile = await ask('GET', '/cls/import-profiles/example');
    const removed = await ask('DELETE', '/cls/import-profiles/example');
    const key = '8e03978e-40d5-43dd-bc93-6894a57f9324';
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': key };
    const posted = await ask('POST', '/cls/imports?kind=journals', headers, JOURNALS);
    const { id } = JSON.parse(posted.body).data;
    let job = posted;
    await eventually(async () => {
      job = await ask('GET', `/cls/imports/${id}`);
      expect(JSON.parse(job.body).data.status).not.to.be.oneOf(['queued', 'running']);
    }, 60_000);
    const jobs = await ask('GET', '/cls/imports?limit=1');
    return [jobs, posted, job, profiles, profile, put, removed];
  };

  it('are what the API answers, but for ids and times', async () => {
    const now = await exchanges();
    if (RECORD) writeFileSync(FILE, `${JSON.stringify(now, null, 1)}\n`);
    const recorded = JSON.parse(readFileSync(FILE, 'utf8'));
    expect(now.map(masked)).to.deep.equal(recorded.map(masked));
  });
});

function masked(example: Example): string {
  return JSON.stringify(example)
    .replaceAll(/job_[0-9A-Z]{26}/g, 'job')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'instant')
    .replaceAll(/"status\\":\\"(queued|running)/g, '"status\\":\\"queued')
    .replaceAll(/startedAt\\":(null|\\"instant\\")/g, 'startedAt');
}
