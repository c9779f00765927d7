import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { type Log, silentLog } from '@cls/shared/log';
import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase, postgresAsService, requireServer } from '@cls/testing/engines';
import { eventually, postgresServer } from '@cls/testing/servers';
import { expect } from 'chai';
import { MIGRATIONS } from '../src/database/migrations.ts';
import { receiveImport } from '../src/import/jobs/receive-import.ts';
import { sqlImportJobs } from '../src/import/jobs/sql/sql-import-jobs.ts';
import { sqlImportProfiles } from '../src/import/jobs/sql/sql-import-profiles.ts';
import { sqlReadLog } from '../src/reads/sql-read-log.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { statement, worldBankText } from './support/book.ts';
import { expectContract } from './support/contract.ts';
import { type Claims, ISSUER } from './support/issuer.ts';
import { fileOf } from './support/journal-lines.ts';
import { startTool } from './support/tool.ts';

const IMPORTS = '/api/v1/cls/imports';
const PROFILES = '/api/v1/cls/import-profiles';
const PROFILE = readFileSync(
  new URL('../../profiles/world-bank-ibrd.json', import.meta.url),
  'utf8',
);
const POSTER: Claims = { scope: `${ISSUER}/auth/cls-ledger.post`, customer: 'bank' };
const OF_JOURNALS: Claims = {
  ...POSTER,
  scope: `${ISSUER}/auth/cls-ledger.post ${ISSUER}/auth/external-api.fullcontrol`,
};
const LOAN = {
  'Loan Number': 'T1',
  'Original Principal Amount': '100',
  'Disbursed Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
};
const APPLY = 'profile=world-bank-ibrd&apply=true&rows=1&control=due%3D100.00';
const CHECK = 'profile=world-bank-ibrd';
const WITHOUT_TOTALS = `${CHECK}&apply=true&withoutTotals=none`;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly importId: string | null;
  readonly sha256: string;
  readonly report: Record<string, never> | null;
}

describeOnDatabase('files that are posted over HTTP', (engine) => {
  let api: TestApi;
  let keys = 0;
  const errors: object[] = [];
  const log: Log = { ...silentLog, error: (fields) => errors.push(fields) };
  before(async () => {
    const env = { IMPORTS: 'on', READ_LOG: 'on', IMPORT_MAX_MIB: '1' };
    const limits = { CALLER_IMPORTS: '2', MAX_IMPORTS: '3' };
    api = await startTestApi(engine, { ...env, ...limits }, undefined, undefined, log);
    expect((await send('PUT', `${PROFILES}/world-bank-ibrd`, PROFILE, JSON_TYPE)).status).to.equal(
      200,
    );
  });
  after(() => api?.stop());

  const JSON_TYPE = { 'content-type': 'application/json' };
  const send = async (
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
    claims: Claims = POSTER,
  ) => {
    const authorization = `Bearer ${await api.token(claims)}`;
    const answer = await fetch(`${api.baseUrl}${path}`, {
      method,
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    await expectContract(path, answer, method);
    return answer;
  };
  const post = (
    query: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
    claims: Claims = POSTER,
  ) => {
    keys += 1;
    const all = { 'content-type': 'text/csv', 'idempotency-key': `key-${keys}`, ...headers };
    return send('POST', `${IMPORTS}?${query}`, body, all, claims);
  };
  const jobOf = async (answer: Response): Promise<Job> => {
    const { data } = (await answer.json()) as { data: Job };
    expect(answer.status, JSON.stringify(data)).to.be.oneOf([200, 202]);
    return data;
  };
  /** The job of an answer, once it has ended. */
  const ended = async (answer: Response): Promise<Job> => {
    const { id } = await jobOf(answer);
    let job: Job | undefined;
    await eventually(async () => {
      job = await jobOf(await send('GET', `${IMPORTS}/${id}`));
      expect(job.status).not.to.be.oneOf(['queued', 'running']);
    }, 60_000);
    if (job === undefined) throw new Error('no job');
    return job;
  };
  const codeOf = async (answer: Response) => {
    const { code } = (await answer.json()) as { code: string };
    return [answer.status, code];
  };
  const journals = async () => {
    const [row] = await api.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM journal',
    );
    return row?.count;
  };

  it('are checked first, then applied, and applied once', async () => {
    const file = statement('03/31/2025', [LOAN]);
    const posted = await post(CHECK, file);
    expect(posted.status).to.equal(202);
    expect(posted.headers.get('cache-control')).to.equal('no-store');
    const location = posted.headers.get('location') ?? '';
    const checked = await ended(posted);
    expect(location).to.equal(`${IMPORTS}/${checked.id}`);
    expect(checked).to.deep.include({ status: 'checked', importId: null });
    expect(checked.report).to.deep.include({
      outcome: 'valid',
      rows: 1,
      newLoans: 1,
      faultCount: 0,
    });
    expect(await journals()).to.equal(0);

    const applied = await ended(await post(APPLY, file));
    expect(applied).to.deep.include({ status: 'applied' });
    expect(applied.report).to.deep.include({ outcome: 'applied' });
    const [batch] = await api.database.query<{ id: string }>('SELECT id FROM import_batch');
    expect(applied.importId).to.equal(batch?.id);
    const count = await journals();
    expect(count).to.be.greaterThan(0);

    const again = await ended(
      await post(APPLY, gzipSync(file), { 'content-type': 'application/gzip' }),
    );
    expect(again).to.deep.include({ status: 'applied', importId: batch?.id });
    expect(again.report).to.deep.include({ outcome: 'applied_before' });
    expect(await journals()).to.equal(count);
    // Nothing is left of the files.
    expect(await api.database.query('SELECT FROM import_job_part')).to.deep.equal([]);
  });

  it('get the same job for the same key, and 422 with another body or parameter', async () => {
    const file = statement('04/30/2025', [LOAN]);
    const key = { 'idempotency-key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' };
    const first = await ended(await post(CHECK, file, key));
    const again = await post(CHECK, file, key);
    expect(again.status).to.equal(202);
    expect((await jobOf(again)).id).to.equal(first.id);
    expect(await codeOf(await post(CHECK, `${file}\n`, key))).to.deep.equal([
      ...[422, 'idempotency_key_reused'],
    ]);
    expect(await codeOf(await post(APPLY, file, key))).to.deep.equal([
      ...[422, 'idempotency_key_reused'],
    ]);
    const others = { ...POSTER, sub: 'svc_00000000000000000000000002' };
    expect((await jobOf(await post(CHECK, file, key, others))).id).not.to.equal(first.id);
  });

  it('are refused with the row, column and value of each fault', async () => {
    const bad = statement('05/31/2025', [{ ...LOAN, 'Due to IBRD': '#N/A' }]);
    const { status, report } = await ended(await post(APPLY, bad));
    expect(status).to.equal('refused');
    expect(report).to.have.nested.property('faults[0].row', 2);
    expect(report).to.have.nested.property('faults[0].code', 'invalid_amount');
    expect(report).to.have.nested.property('faults[0].value', '#N/A');
    const off = await ended(
      await post(APPLY.replace('100.00', '99'), statement('05/31/2025', [LOAN])),
    );
    expect(off.report).to.have.nested.property('faults[0].code', 'control_total');
    const two = await post(`control=due%3D99&${APPLY}`, statement('05/31/2025', [LOAN]));
    const { errors } = (await two.json()) as { errors: readonly { code: string }[] };
    expect([two.status, ...errors.map(({ code }) => code)]).to.deep.equal([400, 'contradictory']);
    const latin = await ended(await post(CHECK, Buffer.from('Loan Number\nZ\xfcrich\n', 'latin1')));
    expect(latin.report).to.have.nested.property('faults[0].message').that.contains('not UTF-8');
  });

  it('may be journal files, with faults by line', async () => {
    const type = { 'content-type': 'application/x-ndjson' };
    const party = { object: 'party', id: `pty_${'7'.repeat(26)}`, name: 'Ada Bank' };
    const file = fileOf([party])
      .map((line) => `${line}\n`)
      .join('');
    const { status, report } = await ended(
      await post('kind=journals&apply=true', file, type, OF_JOURNALS),
    );
    expect(status, JSON.stringify(report)).to.equal('applied');
    const refused = await ended(
      await post('kind=journals', '{"object":"party"}\n', type, OF_JOURNALS),
    );
    expect(refused.status).to.equal('refused');
    expect(refused.report).to.have.nested.property('faults[0].row', 1);
    const { faults } = refused.report as unknown as {
      readonly faults: readonly { readonly column: string; readonly message: string }[];
    };
    const told = faults.map(({ column, message }) => `${column}: ${message}`);
    expect(told).to.include('id: this field is missing: expected an id as pty_…');
  });

  it('may not unpack to more than a file of that size holds', async () => {
    const type = { 'content-type': 'application/gzip' };
    const bomb = gzipSync(Buffer.alloc(24 * 1024 ** 2, `${' '.repeat(100_000)}\n`));
    const lines = await ended(await post('kind=journals', bomb, type, OF_JOURNALS));
    expect(lines.report).to.have.nested.property('faults[0].message').that.contains('unpacks to');
    const cut = await ended(
      await post('kind=journals', bomb.subarray(0, 9_000), type, OF_JOURNALS),
    );
    expect([cut.status, JSON.stringify(cut.report)]).to.satisfy(
      ([status, report]: [string, string]) => status === 'refused' && report.includes('too early'),
    );
  });

  it('are refused in words that the database can keep, whatever characters they have', async () => {
    const amount = { 'Due to IBRD': `${'7'.repeat(59)}😀\0` };
    for (const member of [
      amount,
      { Borrower: 'a\0b' },
      { 'Loan Status': `x${'😀'.repeat(60)}\0` },
    ]) {
      const { status, report } = await ended(
        await post(CHECK, statement('06/30/2025', [{ ...LOAN, ...member }])),
      );
      expect(status, JSON.stringify(report)).to.equal('refused');
    }
    expect(errors).to.deep.equal([]);
  });

  it('need the permission, which no other one includes', async () => {
    for (const scope of ['cls-deal.view', 'external-api.fullcontrol']) {
      const claims = { scope: `${ISSUER}/auth/${scope}` };
      const answer = await post(CHECK, '', {}, claims);
      expect(answer.headers.get('www-authenticate')).to.contain('cls-ledger.post');
      expect(await codeOf(answer)).to.deep.equal([403, 'insufficient_permission']);
      expect((await send('GET', IMPORTS, undefined, {}, claims)).status).to.equal(403);
    }
    expect(await codeOf(await send('GET', '/api/v1/cls/balances'))).to.deep.equal([
      ...[403, 'insufficient_permission'],
    ]);
    // A journal file names any deal: its check would tell what deals hold that the sender may not read.
    const journals = await post('kind=journals', '', { 'content-type': 'application/x-ndjson' });
    expect(journals.headers.get('www-authenticate')).to.contain('external-api.fullcontrol');
    expect(await codeOf(journals)).to.deep.equal([403, 'insufficient_permission']);
    const [header, , signature] = (await api.token(POSTER)).split('.');
    const [, payload] = (await api.token({ ...POSTER, customer: 'other-bank' })).split('.');
    const token = [header, payload, signature].join('.');
    const tampered = await fetch(`${api.baseUrl}${IMPORTS}?${CHECK}`, {
      ...{ method: 'POST', body: '' },
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': 'tampered' },
    });
    expect(await codeOf(tampered)).to.deep.equal([403, 'token_invalid']);
  });

  it('are seen by their customer alone', async () => {
    const { id } = await ended(await post(CHECK, statement('06/30/2025', [LOAN])));
    const other = { ...OF_JOURNALS, customer: 'other-bank' };
    expect(await codeOf(await send('GET', `${IMPORTS}/${id}`, undefined, {}, other))).to.deep.equal(
      [...[404, 'not_found']],
    );
    const list = (await (await send('GET', IMPORTS, undefined, {}, other)).json()) as Listed;
    expect(list.data).to.deep.equal([]);
    // Whoever went to another customer has no keys of the former one.
    const key = { 'idempotency-key': `key-${keys}`, 'content-type': 'application/x-ndjson' };
    const theirs = await jobOf(await post('kind=journals', 'a', key, other));
    expect(theirs.id).not.to.equal(id);
    const open = `SELECT FROM import_job WHERE status IN ('queued', 'running')`;
    await eventually(async () => expect(await api.database.query(open)).to.have.length(0), 30_000);
  });

  interface Listed {
    readonly data: readonly Job[];
    readonly page: { readonly hasMore: boolean; readonly nextCursor: string | null };
  }

  it('are listed newest first, page by page', async () => {
    const all = (await (await send('GET', IMPORTS)).json()) as Listed;
    expect(all.data.length).to.be.greaterThan(4);
    const found: string[] = [];
    let cursor = '';
    do {
      const path = `${IMPORTS}?limit=3${cursor && `&cursor=${cursor}`}`;
      const { data, page } = (await (await send('GET', path)).json()) as Listed;
      found.push(...data.map(({ id }) => id));
      cursor = page.nextCursor ?? '';
    } while (cursor !== '');
    expect(found).to.deep.equal(all.data.map(({ id }) => id));
    expect(await codeOf(await send('GET', `${IMPORTS}?cursor=job_1`))).to.deep.equal([
      ...[400, 'invalid_cursor'],
    ]);
  });

  for (const [what, query, headers, wanted] of [
    ['without a key', CHECK, { 'idempotency-key': '' }, [400, 'idempotency_key_invalid']],
    ['of another type', CHECK, { 'content-type': 'image/png' }, [415, 'unsupported_media_type']],
    ['without a profile', '', {}, [400, 'invalid_parameter']],
    ['with an unknown profile', 'profile=none', {}, [400, 'invalid_parameter']],
    ['applied without totals', `${CHECK}&apply=true`, {}, [400, 'invalid_parameter']],
    ['applied with rows alone', `${CHECK}&apply=true&rows=1`, {}, [400, 'invalid_parameter']],
    ['with an unknown check', `${CHECK}&accept=nothing:x`, {}, [400, 'invalid_parameter']],
    ['without a reason', `${CHECK}&accept=same_as_before:+`, {}, [400, 'invalid_parameter']],
    ['with an unknown parameter', `${CHECK}&aply=true`, {}, [400, 'unknown_parameter']],
    ['of journals with a profile', `${CHECK}&kind=journals`, {}, [400, 'invalid_parameter']],
  ] as const) {
    it(`are refused ${what}`, async () => {
      expect(await codeOf(await post(query, 'a', headers))).to.deep.equal(wanted);
    });
  }

  for (const [query, wanted] of [
    ['withoutTotals=%00', 'without NUL'],
    [`accept=same_as_before:${'x'.repeat(501)}`, 'a reason of 1 to 500 characters'],
    ['asOf=0001-01-01', 'from 0100-01-01 to 9999-12-31'],
  ] as const) {
    it(`are refused with ${query.slice(0, 30)}, and told what was expected`, async () => {
      const { detail } = (await (await post(`${CHECK}&${query}`, 'a')).json()) as {
        detail: string;
      };
      expect(detail).to.include(wanted);
    });
  }

  it('are refused beyond the size, with and without Content-Length, and leave nothing', async () => {
    const large = Buffer.alloc(1_048_577, 'a');
    expect(await codeOf(await post(CHECK, large))).to.deep.equal([413, 'body_too_large']);
    const stream = await fetch(`${api.baseUrl}${IMPORTS}?${CHECK}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await api.token(POSTER)}`,
        'idempotency-key': 'streamed',
      },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(large);
          controller.close();
        },
      }),
      duplex: 'half',
    } as RequestInit);
    expect(await codeOf(stream)).to.deep.equal([413, 'body_too_large']);
    const left = `SELECT FROM import_job WHERE status = 'receiving' OR idempotency_key = 'streamed'`;
    expect(await api.database.query(left)).to.deep.equal([]);
  });

  it('take hardly more memory than their bytes, however small the chunks are', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const file = Buffer.alloc(900_000, 'a');
    const memory = () => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    let taken = 0;
    const body = async function* () {
      const before = memory();
      for (let at = 0; at < file.length - 1; at += 1) yield file.subarray(at, at + 1);
      taken = memory() - before;
      yield file.subarray(0, 1);
    };
    const received = await receiveImport(
      {
        jobs: sqlImportJobs(api.database),
        limits: { perCaller: 9, inAll: 9 },
        maxBytes: file.length - 1,
      },
      {
        poster: { customer: 'bank', subject: 'svc', clientId: 'svc' },
        idempotencyKey: 'small-chunks',
        parameters: { kind: 'journals', apply: false, accept: {}, expected: { sums: {} } },
        document: undefined,
      },
      body(),
    );
    expect(taken / 1e6).to.be.lessThan(20);
    expect(received.outcome).to.equal('too_large');
  });

  it('are forgotten where the sender goes away, and the key can be sent again', async () => {
    const headers = {
      authorization: `Bearer ${await api.token(POSTER)}`,
      ...{ 'idempotency-key': 'cut', 'content-length': 500_000 },
    };
    const open = `SELECT FROM import_job WHERE idempotency_key = 'cut'`;
    const cut = request(`${api.baseUrl}${IMPORTS}?${CHECK}`, { method: 'POST', headers });
    cut.on('error', () => undefined);
    cut.write('Loan Number');
    await eventually(async () => expect(await api.database.query(open)).to.have.length(1));
    const same = { 'idempotency-key': 'cut' };
    expect(await codeOf(await post(CHECK, 'a', same))).to.deep.equal([
      ...[409, 'idempotency_key_in_use'],
    ]);
    cut.destroy();
    await eventually(async () => expect(await api.database.query(open)).to.have.length(0));
    expect((await post(CHECK, 'a', same)).status).to.equal(202);
    expect(errors).to.deep.equal([]);
  });

  it('are refused where too many have not ended: of one caller, and of all', async () => {
    const open = (subject: string) =>
      api.database.query(
        `INSERT INTO import_job (id, customer_id, subject, client_id, idempotency_key, request, status,
           runner, leased_until, file_sha256, size_bytes)
         VALUES ('job_' || gen_random_uuid(), 'x', $1, 'x', gen_random_uuid(), '{}', 'running', 'gone',
           clock_timestamp() + interval '1 hour', '', 0)`,
        [subject],
      );
    const mine = (
      await api.database.query<{ subject: string }>('SELECT subject FROM import_job LIMIT 1')
    )[0];
    await open(mine?.subject ?? '');
    await open(mine?.subject ?? '');
    const answer = await post(CHECK, 'a');
    expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
    expect(await codeOf(answer)).to.deep.equal([429, 'too_many_imports']);
    await open('another');
    const others = { ...POSTER, sub: 'svc_00000000000000000000000003' };
    const full = await post(CHECK, 'a', {}, others);
    expect(((await full.json()) as { detail: string }).detail).to.contain('of all callers');
    await api.database.query(`DELETE FROM import_job WHERE runner = 'gone'`);
  });

  it('are run by another process where the one that ran them is gone, and posted once', async () => {
    const file = statement('07/31/2025', [LOAN]);
    const key = { 'idempotency-key': 'crashed' };
    const before = await ended(await post(APPLY, file, key));
    // As a process leaves it that is killed after the book took the file, and before the job ended.
    await api.database.query(
      `UPDATE import_job SET status = 'running', ended_at = NULL, report = NULL, import_id = NULL,
         leased_until = clock_timestamp() - interval '1 second', runner = 'gone' WHERE id = $1`,
      [before.id],
    );
    await api.database.query(
      `INSERT INTO import_job_part SELECT key, 0, decode($2, 'base64') FROM import_job WHERE id = $1`,
      [before.id, Buffer.from(file).toString('base64')],
    );
    const count = await journals();
    const after = await ended(await post(APPLY, file, key));
    expect(after).to.deep.include({ id: before.id, status: 'applied', importId: before.importId });
    expect(after.report).to.deep.include({ outcome: 'applied_before' });
    expect(await journals()).to.equal(count);
  });

  it('fail where their process ended each time', async () => {
    const file = statement('08/31/2025', [LOAN]);
    const { id } = await ended(await post(CHECK, file));
    await api.database.query(
      `UPDATE import_job SET status = 'running', ended_at = NULL, attempts = 3, runner = 'gone',
         leased_until = clock_timestamp() - interval '1 second' WHERE id = $1`,
      [id],
    );
    await eventually(async () => {
      const { status } = await jobOf(await send('GET', `${IMPORTS}/${id}`));
      expect(status).to.equal('failed');
    }, 30_000);
  });

  it('are in the log of reads: who posted which file', async () => {
    const headers = { 'x-request-id': 'posted-file' };
    const { sha256, id } = await jobOf(await post(CHECK, statement('09/30/2025', [LOAN]), headers));
    await eventually(async () => {
      const ever = { since: new Date(0), until: new Date('2100-01-01') };
      const found = [];
      for await (const some of sqlReadLog(api.database).list(ever, 1_000)) found.push(...some);
      const record = found.find(({ requestId }) => requestId === 'posted-file');
      expect(record).to.deep.include({
        ...{ operation: 'POST /cls/imports', customer: 'bank', status: 202 },
        question: `imports?id=${id}&kind=statement&apply=false&profile=world-bank-ibrd&sha256=${sha256}`,
      });
    }, 30_000);
  });

  it('are read by profiles that are registered, changed and removed', async () => {
    const path = `${PROFILES}/mine`;
    const mine = PROFILE.replace('"world-bank-ibrd"', '"mine"');
    const put = (body: string, at = path) => send('PUT', at, body, JSON_TYPE);
    expect(await codeOf(await put('{'))).to.deep.equal([422, 'invalid_profile']);
    expect(await codeOf(await put('{"name":"mine"}'))).to.deep.equal([422, 'invalid_profile']);
    expect(await codeOf(await put(PROFILE))).to.deep.equal([422, 'invalid_profile']);
    expect((await put(mine)).status).to.equal(200);
    const { data } = (await (await send('GET', path)).json()) as { data: { profile: object } };
    expect(data.profile).to.deep.equal(JSON.parse(mine));
    const list = (await (await send('GET', PROFILES)).json()) as { data: { name: string }[] };
    expect(list.data.map(({ name }) => name)).to.deep.equal(['mine', 'world-bank-ibrd']);
    expect((await send('DELETE', path)).status).to.equal(204);
    expect(await codeOf(await send('DELETE', path))).to.deep.equal([404, 'not_found']);
    expect(await codeOf(await send('GET', path))).to.deep.equal([404, 'not_found']);
  });

  it('are read by profiles that no other customer changes, or by the operator’s', async () => {
    const other: Claims = { ...POSTER, customer: 'other-bank' };
    const path = `${PROFILES}/world-bank-ibrd`;
    const thousands = JSON.stringify({ ...JSON.parse(PROFILE), amountsIn: 1_000 });
    const read = async (claims: Claims) => {
      const answer = await send('GET', path, undefined, {}, claims);
      const { data } = (await answer.json()) as { data?: { profile: { amountsIn?: number } } };
      return data === undefined ? answer.status : (data.profile.amountsIn ?? 1);
    };
    expect(await read(other)).to.equal(404);
    expect((await send('PUT', path, thousands, JSON_TYPE, other)).status).to.equal(200);
    expect([await read(POSTER), await read(other)]).to.deep.equal([1, 1_000]);
    expect((await send('DELETE', path, undefined, {}, other)).status).to.equal(204);
    expect([await read(POSTER), await read(other)]).to.deep.equal([1, 404]);
    const profiles = sqlImportProfiles(api.database);
    await profiles.put('', 'world-bank-ibrd', JSON.parse(thousands), 'operator');
    expect([await read(POSTER), await read(other)]).to.deep.equal([1, 1_000]);
    expect((await send('DELETE', path, undefined, {}, other)).status).to.equal(404);
    expect(await profiles.remove('', 'world-bank-ibrd')).to.equal(true);
  });

  it('are refused as profiles where they keep the service busy, cannot be kept, or say a setting twice', async () => {
    const given = JSON.parse(PROFILE);
    const nested = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
    const slow = { ...given, derive: { due: `${' '.repeat(200_000)}!` } };
    const from = Date.now();
    const bodies = [nested, JSON.stringify(slow), JSON.stringify({ ...given, title: '\0' })];
    for (const body of [...bodies, PROFILE.replace('{', '{"title": "another",')]) {
      const answer = await send('PUT', `${PROFILES}/world-bank-ibrd`, body, JSON_TYPE);
      expect(await codeOf(answer)).to.deep.equal([422, 'invalid_profile']);
    }
    expect(Date.now() - from).to.be.lessThan(5_000);
  });

  it('are no methods of other paths', async () => {
    const answer = await send('POST', '/api/v1/cls/balances', 'a');
    expect(answer.headers.get('allow')).to.equal('GET, HEAD');
    const wrong = await send('PUT', IMPORTS, 'a');
    expect(wrong.headers.get('allow')).to.equal('GET, HEAD, POST');
    expect([answer.status, wrong.status]).to.deep.equal([405, 405]);
  });
});

describeOnDatabase('files over HTTP, switched off', (engine) => {
  it('are refused with a sentence', async () => {
    const api = await startTestApi(engine, { IMPORTS: 'off' });
    try {
      const answer = await api.get(IMPORTS, POSTER);
      expect(answer.status).to.equal(403);
      expect(((await answer.json()) as { code: string }).code).to.equal('imports_disabled');
    } finally {
      await api.stop();
    }
  });
});

describeOnDatabase('a file that is posted while the service stops', (engine) => {
  it('is applied once, by the next start', async () => {
    const first = await startTestApi(engine, { IMPORTS: 'on' });
    let second: TestApi | undefined;
    try {
      await sqlImportProfiles(first.database).put(
        '',
        'world-bank-ibrd',
        JSON.parse(PROFILE),
        'test',
      );
      const posted = await fetch(`${first.baseUrl}${IMPORTS}?${WITHOUT_TOTALS}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await first.token(POSTER)}`, 'idempotency-key': 'one' },
        // Long enough to be under way when the service stops.
        body: gzipSync(worldBankText().split('\n').slice(0, 1_500).join('\n')),
      });
      const { id } = ((await posted.json()) as { data: Job }).data;
      await eventually(async () => {
        const answer = await first.get(`${IMPORTS}/${id}`, POSTER);
        expect(((await answer.json()) as { data: Job }).data.status).to.equal('running');
      }, 60_000);
      await first.stopService();

      second = await startTestApi(
        { ...engine, createLocation: async () => first.location },
        {
          IMPORTS: 'on',
        },
      );
      const { get, database } = second;
      await eventually(async () => {
        const answer = await get(`${IMPORTS}/${id}`, POSTER);
        const { data } = (await answer.json()) as { data: Job };
        expect(data.status, JSON.stringify(data.report).slice(0, 500)).to.equal('applied');
      }, 180_000);
      expect(await database.query('SELECT FROM import_batch')).to.have.length(1);
    } finally {
      await second?.stop();
      await first.stop();
    }
  });
});

describeOnDatabase('jobs of imports', (engine) => {
  const LEASE_MS = 60_000;
  const RESULT = { status: 'checked', report: {} } as const;
  let database: Database;
  before(async () => {
    database = await engine.open(MIGRATIONS);
  });
  after(() => database?.close());

  it('run one at a time, the oldest first, and stay with the one who runs them', async () => {
    const jobs = sqlImportJobs(database);
    const poster = { customer: 'bank', subject: 'svc_1', clientId: 'svc_1' };
    const parameters = {
      kind: 'journals',
      apply: false,
      accept: {},
      expected: { sums: {} },
    } as const;
    for (const idempotencyKey of ['one', 'two']) {
      const asked = { poster, idempotencyKey, parameters, document: undefined };
      const opened = await jobs.open(asked, { perCaller: 9, inAll: 9 });
      expect((await jobs.open(asked, { perCaller: 9, inAll: 9 })).outcome).to.equal('in_use');
      if (opened.outcome !== 'opened') throw new Error(opened.outcome);
      await jobs.append(opened.key, 0, Buffer.from('{}'));
      await jobs.enqueue(opened.key, '0'.repeat(64), 2);
    }
    const runners = ['run_1', 'run_2', 'run_3', 'run_4'];
    const claimed = await Promise.all(runners.map((runner) => jobs.claim(runner, LEASE_MS)));
    const [mine, ...others] = claimed.filter((job) => job !== undefined);
    if (mine === undefined) throw new Error('nobody has it');
    expect(others).to.deep.equal([]);
    expect(await jobs.renew({ ...mine, runner: 'other' }, LEASE_MS)).to.equal(false);
    await jobs.finish({ ...mine, runner: 'other' }, RESULT);
    expect(await jobs.renew(mine, LEASE_MS)).to.equal(true);
    await jobs.finish(mine, RESULT);
    const next = await jobs.claim('run_5', LEASE_MS);
    expect(next?.key).to.equal(mine.key + 1n);
    expect(await jobs.append(mine.key, 1, Buffer.from('{}'))).to.equal(false);
  });

  it('are removed some days after their end, with their keys', async () => {
    const jobs = sqlImportJobs(database);
    const count = () => database.query('SELECT FROM import_job WHERE ended_at IS NOT NULL');
    await database.query(
      `UPDATE import_job SET ended_at = ended_at - interval '29 days' WHERE ended_at IS NOT NULL`,
    );
    await jobs.sweep(30);
    expect(await count()).to.have.length(1);
    await jobs.sweep(29);
    expect(await count()).to.have.length(0);
  });

  it('stay where a journal file was applied: they say who posted it', async () => {
    const jobs = sqlImportJobs(database);
    const [running] = await database.query<{ key: bigint }>(
      `SELECT key FROM import_job WHERE status = 'running'`,
    );
    await jobs.finish(
      { key: running?.key ?? 0n, runner: 'run_5' },
      { status: 'applied', report: {} },
    );
    await jobs.sweep(0);
    const ended = await database.query('SELECT subject FROM import_job WHERE ended_at IS NOT NULL');
    expect(ended).to.deep.equal([{ subject: 'svc_1' }]);
  });
});

describe('files over HTTP under the role of a service [PostgreSQL]', () => {
  it('are applied with the rights that the role has', async function () {
    requireServer(this, 'PostgreSQL', await postgresServer());
    const api = await startTestApi(postgresAsService('cls_api_service'), { IMPORTS: 'on' });
    try {
      const headers = { authorization: `Bearer ${await api.token(POSTER)}` };
      const put = await fetch(`${api.baseUrl}${PROFILES}/world-bank-ibrd`, {
        ...{ method: 'PUT', body: PROFILE },
        headers: { ...headers, 'content-type': 'application/json' },
      });
      expect(put.status).to.equal(200);
      const posted = await fetch(`${api.baseUrl}${IMPORTS}?${WITHOUT_TOTALS}`, {
        ...{ method: 'POST', body: statement('03/31/2025', [LOAN]) },
        headers: { ...headers, 'content-type': 'text/csv', 'idempotency-key': 'one' },
      });
      const { id } = ((await posted.json()) as { data: Job }).data;
      await eventually(async () => {
        const answer = await api.get(`${IMPORTS}/${id}`, POSTER);
        expect(((await answer.json()) as { data: Job }).data.status).to.equal('applied');
      }, 60_000);
    } finally {
      await api.stop();
    }
  });
});

describe('cls-api import profiles', () => {
  it('registers, lists, shows and removes a profile', async () => {
    const tool = await startTool();
    try {
      const put = await tool.run('import', 'profiles', 'put', 'world-bank-ibrd');
      expect(put.stdout).to.equal('world-bank-ibrd is registered\n');
      const listed = await tool.json('import', 'profiles', 'list');
      expect(listed).to.have.length(1);
      const shown = await tool.json('import', 'profiles', 'show', 'world-bank-ibrd');
      expect(shown).to.deep.equal(JSON.parse(PROFILE));
      await tool.run('import', 'profiles', 'delete', 'world-bank-ibrd');
      const gone = await tool.run('import', 'profiles', 'show', 'world-bank-ibrd');
      expect(gone.code).to.equal(1);
      expect(gone.stderr).to.contain('there is no profile world-bank-ibrd');
    } finally {
      await tool.stop();
    }
  });
});
