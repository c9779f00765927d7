import { describeOnDatabase } from '@cls/testing/engines';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { lockJournal } from '../src/posting/post-journals.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { importWorldBank, postPrincipal, statement } from './support/book.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const loan = (number: string, due: string) => ({
  'Loan Number': number,
  'Original Principal Amount': '1000',
  'Disbursed Amount': due,
  'Undisbursed Amount': `${1000 - Number(due)}`,
  'Due to IBRD': due,
  "Borrower's Obligation": due,
  'Loans Held': '1000',
});

describeOnDatabase('two times of a balance', (engine) => {
  let api: TestApi;
  let firstKnown = '';
  before(async () => {
    api = await startTestApi(engine);
    await importWorldBank(
      api.database,
      statement('01/31/2025', [loan('A', '100'), loan('B', '200')]),
    );
    firstKnown = (await list('')).meta.knownAt;
    await postPrincipal(api.database, 'A', 'advance', '2025-03-10', 50_00n);
  });
  after(() => api?.stop());

  const raw = (query: string) => api.get(`/api/v1/cls/balances/principal${query}`);
  const list = async (query: string): Promise<Json> => {
    const response = await raw(query);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const closing = ({ data }: Json, number: string) =>
    data.find(({ contract }: Json) => contract.contractNumber === number)?.global.closing;

  it('tell of a date what was known at an instant, for ever in the same bytes', async () => {
    const question = `?asOf=2025-03-31&knownAt=${firstKnown}`;
    const then = await (await raw(question)).text();
    expect(closing(JSON.parse(then), 'A')).to.equal('100.00');
    expect(closing(await list('?asOf=2025-03-31'), 'A')).to.equal('150.00');
    await postPrincipal(api.database, 'A', 'scheduled_repayment', '2025-02-15', -30_00n);
    expect(await (await raw(question)).text()).to.equal(then);
    expect(closing(await list('?asOf=2025-03-31'), 'A')).to.equal('120.00');
  });

  it('name the instant with which the same answer is asked for again', async () => {
    const now = await raw('?asOf=2025-03-31');
    const body = await now.text();
    const { knownAt } = JSON.parse(body).meta;
    await postPrincipal(api.database, 'B', 'advance', '2025-03-20', 1_00n);
    const again = JSON.parse(await (await raw(`?asOf=2025-03-31&knownAt=${knownAt}`)).text());
    const { data, meta, totals } = JSON.parse(body);
    expect(again.data).to.deep.equal(data);
    expect(again.totals).to.deep.equal(totals);
    expect(again.meta).to.deep.equal(meta);
  });

  it('default to the last date that was data at the instant', async () => {
    expect((await list(`?knownAt=${firstKnown}`)).meta.asOf).to.equal('2025-01-31');
  });

  it('say that a date was restated, and what was reported before', async () => {
    // The book reached 10 March with what it knew then; a repayment of 15 February came after.
    const { data } = await list('?asOf=2025-03-10');
    const { provenance } = data.find(({ contract }: Json) => contract.contractNumber === 'A');
    expect(provenance.restated).to.equal(true);
    expect(provenance.restatedFrom.closing).to.equal('150.00');
    expect(provenance.restatedFrom.knownAt).to.match(/^\d{4}-.*Z$/);
    const old = await list(`?asOf=2025-03-10&knownAt=${provenance.restatedFrom.knownAt}`);
    expect(closing(old, 'A')).to.equal('150.00');
    const [a] = old.data;
    expect(a.provenance).to.include({ restated: false, restatedFrom: null });
  });

  it('say nothing of dates that no later posting touched', async () => {
    const { data } = await list('?asOf=2025-01-31');
    expect(data.map(({ provenance }: Json) => provenance.restated)).to.deep.equal([false, false]);
  });

  it('give those who keep a copy what changed since, also what became zero', async () => {
    const { knownAt } = (await list('')).meta;
    expect((await list(`?updatedSince=${knownAt}`)).data).to.deep.equal([]);
    await postPrincipal(api.database, 'B', 'scheduled_repayment', '2025-03-25', -201_00n);
    const { data, removed } = await list(
      `?updatedSince=${knownAt}&asOf=2025-03-31&includeZero=true`,
    );
    expect(data.map(({ contract }: Json) => contract.contractNumber)).to.deep.equal(['B']);
    expect(data[0].global.closing).to.equal('0.00');
    expect(removed).to.deep.equal([]);
    const shown = await list(`?updatedSince=${knownAt}&asOf=2025-03-31`);
    expect(shown.data).to.deep.equal([]);
    expect(shown.removed).to.deep.equal([{ object: 'removed', id: data[0].id }]);
    expect((await list(`?updatedSince=2001-01-01T00:00:00Z&asOf=2025-03-31`)).data.length).to.equal(
      1,
    );
    const all = '?updatedSince=2001-01-01T00:00:00Z&asOf=2025-03-31&includeZero=true';
    expect((await list(all)).data.length).to.equal(2);
  });

  it('keep a walk on what was known when it began, whatever it is sorted by', async () => {
    const first = await list('?limit=1&sort=-outstanding&asOf=2025-03-31&includeZero=true');
    await postPrincipal(api.database, 'B', 'advance', '2025-03-26', 900_00n);
    const second = await list(`?limit=1&cursor=${first.page.nextCursor}`);
    expect(
      [...first.data, ...second.data].map((one: Json) => one.contract.contractNumber),
    ).to.deep.equal(['A', 'B']);
    expect(second.data[0].global.closing).to.equal('0.00');
    expect(second.meta).to.deep.equal(first.meta);
  });

  it('take instants in any offset and with fractions, as the same question', async () => {
    const offset = firstKnown.replace('Z', '+00:00').replace('+', '%2B');
    const [a, b] = await Promise.all([list(`?knownAt=${firstKnown}`), list(`?knownAt=${offset}`)]);
    expect(a).to.deep.equal(b);
  });

  it('are not told for an instant at which postings are under way, until they are done', async () => {
    // A posting that has its time already and is not committed yet.
    let commit = () => {};
    let inside = '';
    const posting = new Promise<void>((begun, failed) => {
      api.database
        .transaction(async (transaction) => {
          const seq = await lockJournal(transaction);
          const [deal] = await transaction.query<{ key: bigint; at: string }>(
            `SELECT min(key) AS key, to_char(clock_timestamp() AT TIME ZONE 'UTC',
               'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM deal`,
          );
          inside = deal?.at ?? '';
          await transaction.query(
            `INSERT INTO journal (seq, id, effective_date, type, deal_key, idempotency_key)
             VALUES ($1, 'jrn_late', '2025-03-27', 'terms', $2, 'late')`,
            [seq, deal?.key ?? 0n],
          );
          await new Promise<void>((done) => {
            commit = done;
            begun();
          });
        })
        .catch(failed);
    });
    await posting;
    // An embedded store has one session: there a question waits for the posting instead.
    const asked = raw(`?knownAt=${inside}`);
    if (engine.name === 'PostgreSQL') {
      const response = await asked;
      expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect(((await response.json()) as Json).code).to.equal('ledger_posting');
      expect((await raw(`?knownAt=${firstKnown}`)).status).to.equal(200);
    }
    commit();
    await asked;
    const settled = await eventually(async () => {
      const response = await raw(`?knownAt=${inside}`);
      if (response.status !== 200) throw new Error('not settled yet');
      return (await response.json()) as Json;
    });
    expect(settled.meta.knownAt <= inside).to.equal(true);
  });
});
