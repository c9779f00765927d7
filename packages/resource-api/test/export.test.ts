import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describeOnDatabase } from '@cls/testing/engines';
import { readExposition } from '@cls/testing/exposition';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { startTestApi, type TestApi } from './support/api.ts';
import { generated, loadRecords } from './support/generated.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

describeOnDatabase('an export', (engine) => {
  let api: TestApi;
  let authorization = '';
  before(async () => {
    api = await startTestApi(engine);
    const { records } = generated({ contracts: 14, seed: 33, years: 1 });
    const odd = records.map((record) =>
      record.object === 'deal'
        ? { ...record, name: `=HYPERLINK("http://x","a, b")\n${record.name}` }
        : record,
    );
    await loadRecords(api.database, odd);
    authorization = `Bearer ${await api.token()}`;
  });
  after(() => api?.stop());

  const as = (accept: string, path: string) =>
    fetch(`${api.baseUrl}/api/v1/cls/balances${path}`, { headers: { authorization, accept } });
  const json = async (path: string): Promise<Json> => (await as('application/json', path)).json();
  const flat = (value: Json, path: string) =>
    path.split('.').reduce((part, name) => part?.[name], value);

  for (const path of [
    '?level=deal',
    '?',
    '?level=contract',
    '?level=position',
    '/principal?fromDate=2023-06-01&level=facility',
  ]) {
    it(`as CSV has the rows and digits of the JSON: ${path}`, async () => {
      const response = await as('text/csv', path);
      expect(response.headers.get('content-type')).to.include('text/csv');
      expect(response.headers.get('content-disposition')).to.match(
        /^attachment; filename="cls-[a-z-]+-\d{4}-\d{2}-\d{2}\.csv"$/,
      );
      const text = await response.text();
      expect(text.endsWith('\r\n')).to.equal(true);
      const rows = parse(text, { columns: true }) as Record<string, string>[];
      const { data, meta } = await json(`${path}&limit=1000`);
      expect(rows.length).to.equal(data.length);
      for (const [index, { asOf, ...row }] of rows.entries()) {
        expect(asOf).to.equal(meta.asOf);
        for (const [column, cell] of Object.entries(row)) {
          const value = flat(data[index], column);
          const plain = Array.isArray(value) ? value.join(';') : (value ?? '');
          if (column === 'deal.name') expect(cell).to.equal(`'${plain}`);
          else expect(cell, column).to.equal(`${plain}`);
        }
      }
    });

    it(`as NDJSON has the items of the JSON and tells how many: ${path}`, async () => {
      const text = await (await as('application/x-ndjson', path)).text();
      const lines = text.trimEnd().split('\n');
      const summary = JSON.parse(lines.pop() ?? '') as Json;
      const { data, totals, meta } = await json(`${path}&limit=1000`);
      expect(lines.map((line) => JSON.parse(line))).to.deep.equal(data);
      expect(summary).to.deep.include({
        object: 'summary',
        count: data.length,
        totals,
        ledgerSeq: meta.ledgerSeq,
      });
      const body = lines.map((line) => `${line}\n`).join('');
      expect(summary.sha256).to.equal(createHash('sha256').update(body).digest('hex'));
    });
  }

  it('spans pages as one snapshot while postings arrive', async () => {
    const count = 1_300;
    const { records } = generated({ contracts: count, seed: 5, years: 0, sublimits: true });
    await loadRecords(api.database, records);
    const response = await as('application/x-ndjson', '/principal?includeZero=true');
    await loadRecords(api.database, generated({ contracts: 3, seed: 6, years: 0 }).records);
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    const { ledgerSeq, count: told } = lines.pop();
    expect(lines.length).to.equal(told);
    expect(told).to.be.at.least(count);
    expect(new Set(lines.map(({ id }) => id)).size).to.equal(told);
    expect(lines.every(({ provenance }) => provenance.ledgerSeq <= ledgerSeq)).to.equal(true);
  });

  it('has the items of all pages, in their order', async () => {
    for (const question of [
      'level=contract&includeZero=true',
      'level=position&sort=-outstanding',
    ]) {
      const pages: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page: Json = await json(`?${question}&limit=1000${cursor}`);
        pages.push(...page.data.map(({ id }: Json) => id));
        const { nextCursor } = page.page;
        cursor = nextCursor ? `&cursor=${nextCursor}` : undefined;
      }
      const text = await (await as('application/x-ndjson', `?${question}`)).text();
      const lines = text.trimEnd().split('\n').slice(0, -1);
      expect(lines.length).to.be.greaterThan(1_000);
      expect(lines.map((line) => (JSON.parse(line) as Json).id)).to.deep.equal(pages);
    }
  });

  it('counts a sublimit once in its summary, wherever the facility around it stands', async () => {
    for (const question of [
      'level=facility',
      'level=facility&sort=-outstanding',
      'level=facility&facilityType=swingline,letter_of_credit',
      'level=position&sort=-outstanding',
      'level=position&facilityType=revolver,swingline&includeZero=true',
    ]) {
      const text = await (await as('application/x-ndjson', `?${question}`)).text();
      const { totals } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as Json;
      const answer = await json(`?${question}&limit=1&include=totals`);
      expect(totals, question).to.deep.equal(answer.totals);
    }
  });

  it('lists movements too', async () => {
    const text = await (await as('text/csv', '/principal/movements?')).text();
    const rows = parse(text, { columns: true }) as Record<string, string>[];
    expect(rows.length).to.be.greaterThan(100);
    expect(rows[0]).to.include.keys('journal.id', 'amount', 'lender.id');
  });

  it('takes the columns that are asked for', async () => {
    const text = await (
      await as('text/csv', '?fields=facility.name,global.principal.outstanding')
    ).text();
    expect(text.split('\r\n', 1)[0]).to.equal(
      'asOf,object,id,facility.name,currency,global.principal.outstanding',
    );
  });

  it('refuses pages, and a format that there is not', async () => {
    const response = await as('text/csv', '?limit=5&cursor=abc');
    expect(response.status).to.equal(400);
    expect(response.headers.get('content-type')).to.include('application/problem+json');
    const { errors } = (await response.json()) as Json;
    expect(errors.map((e: Json) => [e.parameter, e.code])).to.deep.equal([
      ['limit', 'contradictory'],
      ['cursor', 'contradictory'],
    ]);
    expect((await as('application/xml', '')).status).to.equal(406);
    for (const [accept, type] of [
      ['application/json; charset=utf-8', 'application/json'],
      ['text/csv; header=present', 'text/csv'],
      ['text/html, application/x-ndjson;charset="utf-8";q=0.5', 'application/x-ndjson'],
    ] as const) {
      const response = await as(accept, '');
      expect([response.status, response.headers.get('content-type')?.split(';')[0]]).to.deep.equal([
        200,
        type,
      ]);
    }
    expect((await as('gzip, deflate, br', '?limit=1')).headers.get('content-type')).to.include(
      'application/json',
    );
  });

  it('refuses wrong questions as problems before anything is sent', async () => {
    const response = await as('text/csv', '?asOf=2999-01-01');
    expect(response.status).to.equal(400);
    expect(((await response.json()) as Json).code).to.equal('as_of_in_future');
  });

  const rawGet = (path: string, headers: Record<string, string>) =>
    new Promise<{ headers: NodeJS.Dict<string | string[]>; status: number; body: Buffer }>(
      (resolve, reject) => {
        request(
          `${api.baseUrl}/api/v1/cls/balances${path}`,
          { headers: { authorization, ...headers } },
          (answer) => {
            const parts: Buffer[] = [];
            answer.on('data', (part: Buffer) => parts.push(part));
            answer.on('end', () =>
              resolve({
                headers: answer.headers,
                status: answer.statusCode ?? 0,
                body: Buffer.concat(parts),
              }),
            );
          },
        )
          .on('error', reject)
          .end();
      },
    );

  it('of one page is sent as brotli to who takes it, and has one validator for each coding', async () => {
    const accept = 'application/json';
    const plain = await rawGet('?', { accept });
    const zipped = await rawGet('?', { accept, 'accept-encoding': 'gzip' });
    // Asked again, the compressed body is the one that was kept.
    for (const round of [1, 2]) {
      const packed = await rawGet('?', { accept, 'accept-encoding': 'gzip, deflate, br' });
      expect(packed.headers['content-encoding'], `${round}`).to.equal('br');
      expect(brotliDecompressSync(packed.body).equals(plain.body)).to.equal(true);
      const validators = [plain, zipped, packed].map(({ headers }) => headers['etag']);
      expect(new Set(validators).size).to.equal(3);
      for (const known of validators) {
        const again = await rawGet('?', {
          accept,
          'accept-encoding': 'br',
          'if-none-match': `${known}`,
        });
        expect([again.status, again.headers['etag']]).to.deep.equal([304, validators[2]]);
      }
    }
  });

  it('of all items is sent as gzip to who takes brotli too, while it is read', async () => {
    const headers = { accept: 'application/x-ndjson', 'accept-encoding': 'br, gzip' };
    const streamed = await rawGet('?', headers);
    expect(streamed.headers['content-encoding']).to.equal('gzip');
    const lines = gunzipSync(streamed.body).toString().trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '').object).to.equal('summary');
  });

  it('that its caller stops reading is cut, without its last line, and counted', async () => {
    const slow = await startTestApi(engine, {
      ...{ SLOW_READER_S: '1', SLOW_READER_BYTES_PER_S: '1000000000', METRICS_PORT: '0' },
    });
    const { records } = generated({ contracts: 700, seed: 5, years: 0 });
    await loadRecords(slow.database, records);
    const socket = connect(Number(new URL(slow.baseUrl).port), '127.0.0.1');
    let text = '';
    const ended = new Promise<void>((resolve) => socket.on('close', resolve));
    const begun = new Promise<void>((resolve) => {
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          if (text === '') socket.pause();
          text += chunk;
          resolve();
        });
    });
    // More than the buffers of the machine hold: several exports on one connection.
    const lines = [
      'GET /api/v1/cls/balances/principal?includeZero=true HTTP/1.1',
      'Host: cls.test',
      'Accept: application/x-ndjson',
      `Authorization: Bearer ${await slow.token()}`,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`.repeat(24));
    await begun;
    await eventually(async () => {
      const { value } = await readExposition(slow.metricsPort);
      expect(value('cls_slow_readers_total')).to.equal(1);
    });
    socket.resume();
    await ended;
    await slow.stop();
    const answers = text.split('HTTP/1.1 ').slice(1);
    expect(answers[0]).to.match(/^200 /);
    expect(answers.at(-1), 'the last one').not.to.contain('"object":"summary"');
  });

  it('is compressed for who takes gzip, and has another validator then', async () => {
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const plain = await rawGet('?', { accept });
      const zipped = await rawGet('?', { accept, 'accept-encoding': 'gzip' });
      expect([plain.status, zipped.status], `${zipped.body}`).to.deep.equal([200, 200]);
      expect(plain.headers['content-encoding']).to.equal(undefined);
      expect(zipped.headers['content-encoding']).to.equal('gzip');
      expect(gunzipSync(zipped.body).equals(plain.body)).to.equal(true);
      expect(zipped.body.length < plain.body.length / 3).to.equal(true);
      if (accept !== 'application/json') continue;
      expect(zipped.headers['etag']).to.not.equal(plain.headers['etag']);
      const known = `${zipped.headers['etag']}`;
      const again = await rawGet('?', {
        accept,
        'accept-encoding': 'gzip',
        'if-none-match': known,
      });
      expect([again.status, again.body.length, again.headers['etag']]).to.deep.equal([
        304,
        0,
        known,
      ]);
    }
  });
});
