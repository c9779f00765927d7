/** Whose statements a caller may post, and what is known of who posted them. */
import { writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { describeOnDatabase } from '@cls/testing/engines';
import { eventually, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import { sqlImportJobs } from '../src/import/jobs/sql/sql-import-jobs.ts';
import { sqlImportProfiles } from '../src/import/jobs/sql/sql-import-profiles.ts';
import { sqlBook } from '../src/import/sql/sql-book.ts';
import { v1Contract } from '../src/versions/v1/contract.ts';
import { V1_PERMISSIONS, V1_USAGE_PERMISSIONS } from '../src/versions/v1/permissions.ts';
import { USAGE_PATH } from '../src/versions/v1/usage.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { expectContract } from './support/contract.ts';
import { type Claims, ISSUER } from './support/issuer.ts';
import { importTape, MARCH, SYNDICATE, syndicateText } from './support/lenders-statement.ts';
import { startTool } from './support/tool.ts';

const IMPORTS = '/api/v1/cls/imports';
const PROFILES = '/api/v1/cls/import-profiles';
const posterOf = (customer: string): Claims => ({
  scope: `${ISSUER}/auth/cls-ledger.post`,
  customer,
  sub: `svc_${customer.toUpperCase().padEnd(26, '0')}`,
});
const BANK = posterOf('bank');
const THIEF = posterOf('thief');
const APPLY = 'apply=true&withoutTotals=none&asOf=2025-03-31&accept=many_loans_vanish:x';
const CHECK = 'asOf=2025-04-30';
const ONE_LOAN = syndicateText('X1;Dieb GmbH;Alpha Bank;EUR;1.00');

interface Job {
  readonly id: string;
  readonly status: string;
  readonly importId: string | null;
  readonly postedBy: string;
  readonly report: { readonly faults: readonly { readonly code: string }[] };
}

describeOnDatabase('statements over HTTP, by whose they are', (engine) => {
  let api: TestApi;
  let keys = 0;
  before(async () => {
    api = await startTestApi(engine, { IMPORTS: 'on' });
  });
  after(() => api?.stop());

  const send = async (method: string, path: string, claims: Claims, body?: string) => {
    keys += 1;
    const isFile = method === 'POST';
    const answer = await fetch(`${api.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await api.token(claims)}`,
        'idempotency-key': `key-${keys}`,
        'content-type': isFile ? 'text/csv' : 'application/json',
      },
      ...(body === undefined ? {} : { body }),
    });
    await expectContract(path, answer, method);
    return answer;
  };
  const put = (claims: Claims, document: { readonly name: string }) =>
    send('PUT', `${PROFILES}/${document.name}`, claims, JSON.stringify(document));
  const post = (claims: Claims, query: string, body: string) =>
    send('POST', `${IMPORTS}?${query}`, claims, body);
  const ended = async (claims: Claims, id: string): Promise<Job> => {
    let job: Job | undefined;
    await eventually(async () => {
      const answer = await send('GET', `${IMPORTS}/${id}`, claims);
      job = ((await answer.json()) as { data: Job }).data;
      expect(job.status).not.to.be.oneOf(['queued', 'running']);
    }, 60_000);
    if (job === undefined) throw new Error('no job');
    return job;
  };
  const posted = async (claims: Claims, query: string, body: string): Promise<Job> => {
    const answer = await post(claims, query, body);
    const text = await answer.text();
    expect(answer.status, text).to.equal(202);
    return ended(claims, (JSON.parse(text) as { data: Job }).data.id);
  };
  const refusal = async (answer: Response) => {
    const text = await answer.text();
    return {
      status: answer.status,
      text,
      ...(JSON.parse(text) as { code: string; detail: string }),
    };
  };

  it('belong to the customer that posted the first of a source: others learn nothing of it', async () => {
    expect((await put(BANK, { ...SYNDICATE, name: 'tape' })).status).to.equal(200);
    expect((await posted(BANK, `profile=tape&${APPLY}`, MARCH)).status).to.equal('applied');

    expect((await put(THIEF, { ...SYNDICATE, name: 'theirs' })).status).to.equal(200);
    const refused = await refusal(await post(THIEF, `profile=theirs&${CHECK}`, ONE_LOAN));
    expect(refused).to.deep.include({ status: 403, code: 'source_not_open' });
    expect(refused.detail).not.to.match(/L\d|bank|Müller|600000/i);
    // Its owner sees what a statement leaves out.
    const own = await posted(BANK, `profile=tape&${CHECK}&accept=many_loans_vanish:x`, ONE_LOAN);
    expect(JSON.stringify(own.report)).to.contain('1000000.00');
  });

  it('are refused by the job too, which may have waited behind the first of the source', async () => {
    const jobs = sqlImportJobs(api.database);
    const { customer, sub: subject } = THIEF as { customer: string; sub: string };
    const opened = await jobs.open(
      {
        poster: { customer, subject, clientId: subject },
        idempotencyKey: 'waited',
        parameters: {
          ...{ kind: 'statement', profile: 'theirs', apply: false, asOf: '2025-04-30' },
          ...{ accept: {}, expected: { sums: {} } },
        },
        document: { ...SYNDICATE, name: 'theirs' },
      },
      { perCaller: 9, inAll: 9 },
    );
    if (opened.outcome !== 'opened') throw new Error(opened.outcome);
    await jobs.append(opened.key, 0, Buffer.from(ONE_LOAN));
    await jobs.enqueue(opened.key, '0'.repeat(64), ONE_LOAN.length);
    const { status, report } = await ended(THIEF, opened.id);
    expect(status).to.equal('refused');
    expect(report.faults.map(({ code }) => code)).to.deep.equal(['source_not_open']);
    expect(JSON.stringify(report)).not.to.match(/L\d|bank"|Müller|600000/i);
  });

  it('of another source do not say where the book has a number from', async () => {
    const other = { ...SYNDICATE, name: 'other', source: 'other' };
    expect((await put(THIEF, other)).status).to.equal(200);
    const { report } = await posted(THIEF, `profile=other&${CHECK}`, MARCH);
    expect(report.faults[0]?.code).to.equal('number_from_elsewhere');
    expect(JSON.stringify(report.faults)).not.to.contain('syndicate');
  });

  it('of a source that the book has from elsewhere are the operator’s to give', async () => {
    const document = { ...SYNDICATE, name: 'older', source: 'older' };
    const statement = MARCH.replaceAll(/^L(?=\d)/gm, 'O');
    const { outcome } = await importTape(api.database, statement, '2025-03-31', { document });
    expect(outcome).to.equal('applied');
    await put(BANK, document);
    const refused = await refusal(await post(BANK, `profile=older&${CHECK}`, statement));
    expect(refused).to.deep.include({ status: 403, code: 'source_not_open' });

    const book = sqlBook(api.database);
    const [batch] = (await book.imports()).filter(({ source }) => source === 'older');
    expect(batch).to.deep.include({ postedBy: null, customer: null });
    await book.assignSource('older', 'bank');
    const april = statement.replace('250000.50', '240000.50');
    expect((await posted(BANK, `profile=older&${CHECK}`, april)).status).to.equal('checked');
    await put(THIEF, document);
    const theirs = await refusal(await post(THIEF, `profile=older&${CHECK}`, statement));
    expect(theirs.status).to.equal(403);
    await book.assignSource('older', undefined);
    expect((await post(BANK, `profile=older&${CHECK}`, statement)).status).to.equal(403);
  });

  it('of a source that only a journal file named are the operator’s to give, too', async () => {
    const party = `pty_${'7'.repeat(26)}`;
    await api.database.query(`INSERT INTO party (id, name) VALUES ($1, 'Ada')`, [party]);
    await api.database.query(
      `INSERT INTO external_id (source, value, entity_id) VALUES ('filed', 'A', $1)`,
      [party],
    );
    const filed = { ...SYNDICATE, name: 'filed', source: 'filed' };
    await put(THIEF, filed);
    const refused = await refusal(await post(THIEF, `profile=filed&${CHECK}`, ONE_LOAN));
    expect(refused.code).to.equal('source_not_open');
  });

  it('name who posted them, in the job and as long as the book has the import', async () => {
    const fresh = { ...SYNDICATE, name: 'fresh', source: 'fresh' };
    await put(BANK, fresh);
    const statement = MARCH.replaceAll(/^L(?=\d)/gm, 'F');
    const { id, postedBy, importId } = await posted(BANK, `profile=fresh&${APPLY}`, statement);
    expect(postedBy).to.equal(BANK['sub']);
    await api.database.query('DELETE FROM import_job WHERE id = $1', [id]);
    const batch = (await sqlBook(api.database).imports()).find((one) => one.id === importId);
    expect(batch).to.deep.include({ postedBy: BANK['sub'], source: 'fresh', customer: 'bank' });
  });

  it('take no profile of a poster that makes a check weaker than it is by itself', async () => {
    const tape = { ...SYNDICATE, name: 'weak', source: 'weak' };
    for (const sanity of [
      { many_loans_vanish: 'off' },
      { names_look_alike: 'off' },
      { many_loans_vanish: 'warn' },
      { many_loans_vanish: { above: 0.2 } },
    ]) {
      const answer = await refusal(await put(BANK, { ...tape, sanity } as typeof tape));
      expect(answer, JSON.stringify(sanity)).to.deep.include({
        ...{ status: 422, code: 'invalid_profile' },
      });
      expect(answer.text).to.match(/sanity\.\w+: .*accept/);
    }
    const strict = {
      ...{ many_loans_vanish: { above: 0.01 }, names_look_alike: 'refuse' },
      ...{ same_as_before: { above: 5 } },
    };
    expect((await put(BANK, { ...tape, sanity: strict } as typeof tape)).status).to.equal(200);
    const off = { ...tape, sanity: { many_loans_vanish: 'off' } };
    await sqlImportProfiles(api.database).put('', 'operators', { ...off, name: 'operators' }, 'op');
    expect((await post(BANK, `profile=operators&${CHECK}`, ONE_LOAN)).status).to.equal(202);
  });

  it('open no deal to who posts them, also where its customer has grants', async () => {
    const [deal] = await api.database.query<{ id: string }>('SELECT id FROM deal LIMIT 1');
    const deals = { dealId: deal?.id ?? '' };
    await sqlEntitlements(api.database).grant({ customer: 'bank', role: 'agent', deals } as never);
    const viewer = { ...BANK, scope: `${ISSUER}/auth/cls-deal.view` };
    const { paths } = v1Contract();
    let reads = 0;
    for (const [path, { get }] of Object.entries<ReturnType<typeof JSON.parse>>(paths)) {
      const { anyOf, data } = get?.['x-permission'] ?? {};
      if (anyOf?.includes('cls-ledger.post')) {
        expect(data['cls-ledger.post'], path).to.deep.equal({ deals: 'none', amounts: {} });
        continue;
      }
      if (anyOf === undefined) continue;
      const readers = path === USAGE_PATH ? V1_USAGE_PERMISSIONS : V1_PERMISSIONS;
      expect(anyOf, path).to.deep.equal([...readers]);
      const answer = await send('GET', `/api/v1${path.replace(/\{\w+\}/, `${deal?.id}`)}`, BANK);
      expect(await refusal(answer), path).to.deep.include({ code: 'insufficient_permission' });
      reads += 1;
    }
    expect(reads).to.be.greaterThan(5);
    const granted = await send('GET', '/api/v1/cls/balances', viewer);
    expect(((await granted.json()) as { data: object[] }).data).to.have.length(1);
    const both = { ...BANK, scope: `${BANK['scope']} ${ISSUER}/auth/cls-deal.view` };
    const seen = await send('GET', '/api/v1/cls/balances', both);
    expect(((await seen.json()) as { data: object[] }).data).to.have.length(1);
  });
});

describe('cls-api imports', () => {
  it('lists who imported a statement, and gives its source to a customer', async () => {
    const tool = await startTool();
    try {
      const folder = temporaryDirectory('cls-sources-');
      const [file, profile] = [join(folder, 'tape.csv'), join(folder, 'tape.json')];
      writeFileSync(file, MARCH);
      writeFileSync(profile, JSON.stringify(SYNDICATE));
      const words = ['--profile', profile, '--as-of', '2025-03-31', '--without-totals', 'a test'];
      await tool.run('migrate');
      const imported = await tool.run('import', file, ...words, '--apply');
      expect(imported.code, imported.stderr).to.equal(0);
      const [batch] = await tool.json('imports', 'list');
      expect(batch).to.deep.include({
        ...{
          postedBy: `${userInfo().username}@${hostname()}`,
          source: 'syndicate',
          customer: null,
        },
      });
      const unknown = await tool.run('imports', 'assign', 'syndicate', 'no-such-customer');
      expect(unknown.code).to.equal(1);
      const given = await tool.run('imports', 'assign', 'syndicate', 'bank', '--new-customer');
      expect(given.stdout).to.equal('bank may post statements of syndicate\n');
      expect((await tool.json('imports', 'list'))[0]).to.deep.include({ customer: 'bank' });
      const taken = await tool.run('imports', 'assign', 'syndicate');
      expect(taken.stdout).to.equal('nobody may post statements of syndicate over HTTP\n');
      expect((await tool.run('imports', 'list')).stdout).to.contain('posted by');
    } finally {
      await tool.stop();
    }
  });
});
