import { newId } from '@cls/shared/new-id';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { exportJournals } from '../src/journal-file/export-journals.ts';
import { importJournals } from '../src/journal-file/import-journals.ts';
import type { BookRecord } from '../src/journal-file/record.ts';
import { sqlJournals } from '../src/journal-file/sql/sql-journals.ts';
import { sqlReconciler } from '../src/reconcile/sql/sql-reconciler.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { fileOf, linesFrom } from './support/journal-lines.ts';
import { aFacility, aJournal, aLoan, aParty, aPosition, entry } from './support/records.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

const QUESTIONS = ['deal', 'facility', 'contract', 'position'].flatMap((level) =>
  ['balances', 'balances/principal'].map((resource) => `${resource}?level=${level}`),
);

describeOnDatabase('records that come without a journal of their deal', (engine) => {
  let api: TestApi;
  const borrower = aParty('Borrower');
  const [anna, bert] = [aParty('Anna'), aParty('Bert')];
  const [loan, other] = [aLoan(borrower, [anna]), aLoan(borrower, [anna])];
  const { bookedOn: _, ...undated } = loan.contract;
  const drawing = (amount: string) => {
    const both = [[undefined, amount] as const, [anna, amount] as const];
    const postings = entry(other, ['PRINCIPAL_CASH', 'CASH_CLEARING'], both, {
      movement: 'advance',
    });
    return aJournal(other.deal, 'advance', '2025-01-15', postings);
  };
  const post = async (records: readonly BookRecord[]) => {
    const lines = linesFrom(fileOf(records));
    const report = await importJournals(sqlJournals(api.database), { lines, apply: true });
    expect(report.faults).to.deep.equal([]);
  };
  const read = async (question: string): Promise<Json> => {
    const response = await api.get(`/api/v1/cls/${question}&includeZero=true&limit=1000`);
    const { page, ...answer } = (await response.json()) as Json;
    expect([response.status, page?.hasMore], JSON.stringify(answer)).to.deep.equal([200, false]);
    return answer;
  };
  const readAll = () => Promise.all(QUESTIONS.map(read));

  before(async () => {
    api = await startTestApi(engine);
    await post([borrower, anna, ...loan.all, ...other.all, drawing('10.00')]);
  });
  after(() => api?.stop());

  const facility = aFacility(loan.deal, { currency: 'EUR' });
  const one = aLoan(borrower, [anna]);
  const another = aLoan(borrower, [anna]);
  for (const { what, records, deals } of [
    { what: 'a deal', records: one.all, deals: [one] },
    {
      what: 'a drawing',
      records: [{ ...loan.contract, id: newId('ctr'), contractNumber: '2' }],
      deals: [loan],
    },
    {
      what: 'a drawing without a date',
      records: [{ ...undated, id: newId('ctr'), contractNumber: '3' }],
      deals: [loan],
    },
    { what: 'a lender', records: [bert, aPosition(loan.facility, bert)], deals: [loan] },
    { what: 'a facility', records: [facility, aPosition(facility, anna)], deals: [loan] },
    {
      what: 'records of two deals',
      records: [...another.all, { ...one.contract, id: newId('ctr'), contractNumber: '2' }],
      deals: [another, one],
    },
    {
      what: 'a drawing beside a journal of another deal',
      records: [{ ...loan.contract, id: newId('ctr'), contractNumber: '4' }, drawing('1.00')],
      deals: [loan, other],
    },
  ]) {
    it(`are known from their own time on: ${what}`, async () => {
      const before = await readAll();
      await post(records);
      const ofDeals = new Set(deals.map(({ deal }) => deal.id));
      let named = 0;
      for (const [index, question] of QUESTIONS.entries()) {
        const { data, totals, meta } = before[index];
        const times = `asOf=${meta.asOf}&knownAt=${meta.knownAt}`;
        const again = await read(`${question}&${times}`);
        expect(again.data, question).to.deep.equal(data);
        expect([again.totals, again.meta]).to.deep.equal([totals, meta]);

        const now = await read(question);
        expect(now.meta.ledgerSeq).to.equal(meta.ledgerSeq + ofDeals.size);
        expect(now.meta.knownAt > meta.knownAt).to.equal(true);
        const changes = await read(
          `${question}&updatedSince=${meta.knownAt}&sinceAsOf=${meta.asOf}`,
        );
        const copy = new Map(data.map((item: Json) => [item.id, item]));
        for (const { id } of changes.removed) copy.delete(id);
        for (const item of changes.data) copy.set(item.id, item);
        const whole = now.data.map((item: Json) => [item.id, item]);
        expect([...copy].sort(), question).to.deep.equal(whole.sort());
        named += changes.data.length;
        for (const { deal } of changes.data) expect([...ofDeals]).to.include(deal.id);
      }
      expect(named).to.be.greaterThan(0);
    });
  }

  it('have no movements, and a link that says so', async () => {
    for (const period of ['', '&fromDate=2025-01-15']) {
      const { data } = await read(`balances/principal?level=contract${period}`);
      const untouched = data.filter(({ movementCount }: Json) => movementCount === 0);
      expect(untouched).not.to.have.length(0);
      for (const { links } of untouched) {
        const response = await api.get(links.movements);
        const answer = (await response.json()) as Json;
        expect([response.status, answer.data], JSON.stringify(answer)).to.deep.equal([200, []]);
      }
    }
  });

  it('take no sequence where nothing comes to a deal', async () => {
    const [{ meta }] = await readAll();
    await post([aParty('Nobody')]);
    const [{ meta: after }] = await readAll();
    expect(after).to.deep.equal(meta);
  });

  it('may come where the period of their date is closed: no amount of it changes', async () => {
    await api.database.execute(
      `INSERT INTO period_close (through, reason) VALUES ('2024-12-31', 'reported')`,
    );
    const [{ meta }] = await readAll();
    await post([{ ...loan.contract, id: newId('ctr'), contractNumber: '5' }]);
    const [{ meta: after }] = await readAll();
    expect(after.ledgerSeq).to.equal(meta.ledgerSeq + 1);
    expect([after.asOf, after.dataThrough]).to.deep.equal([meta.asOf, meta.dataThrough]);
  });

  it('have a journal that no file has, and no file reverses', async () => {
    let file = '';
    await exportJournals(sqlJournals(api.database), async (text) => {
      file += text;
    });
    const exported = file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const types = exported.flatMap(({ object, type }) => (object === 'journal' ? [type] : []));
    expect(types).to.deep.equal(['advance', 'advance']);
    const [journal] = await api.database.query<{ id: string; deal: string }>(
      `SELECT j.id, d.id AS deal FROM journal j JOIN deal d ON d.key = j.deal_key
       WHERE j.type = 'records' LIMIT 1`,
    );
    const reversed = { ...loan.deal, id: journal?.deal ?? '' };
    const reversal = aJournal(reversed, 'terms', '2025-02-01', [], { reverses: journal?.id });
    const report = await importJournals(sqlJournals(api.database), {
      lines: linesFrom(fileOf([reversal])),
      apply: true,
    });
    expect(report.faults.map(({ field, code }) => [field, code])).to.deep.equal([
      ['reverses', 'unknown_reference'],
    ]);
  });

  it('keep every invariant', async () => {
    const { checks } = await sqlReconciler(api.database).reconcile(5);
    expect(checks.filter(({ breakCount }) => breakCount > 0)).to.deep.equal([]);
  });
});
