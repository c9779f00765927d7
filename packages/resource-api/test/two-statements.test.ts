import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import type { ImportReport } from '../src/import/import-report.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { importWorldBank, worldBankText } from './support/book.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;
type Row = Readonly<Record<string, string>>;

const text2023 = gunzipSync(
  readFileSync(new URL('../../data/world-bank-ibrd-2023-05-31.csv.gz', import.meta.url)),
).toString('utf8');

/** The sender's own figures, read without the importer: in hundredths of a cent. */
function rowsOf(text: string): ReadonlyMap<string, Row> {
  const columns = (names: string[]) => names.map((name) => name.replace(' (US$)', ''));
  const rows = parse(text, { bom: true, columns }) as Row[];
  return new Map(rows.map((row) => [row['Loan Number'] ?? '', row]));
}
const units = (amount = '0') => Math.round(Number(amount) * 100) / 100;
const cents = (amount: string) => BigInt(amount.replace('.', ''));

describeOnDatabase('two statements of one portfolio', (engine) => {
  let api: TestApi;
  let later: ImportReport;
  const rows2023 = rowsOf(text2023);
  const rows2025 = rowsOf(worldBankText());
  before(async () => {
    api = await startTestApi(engine);
    const first = await importWorldBank(api.database, text2023);
    expect([first.outcome, first.newLoans]).to.deep.equal(['applied', 9_012]);
    later = await importWorldBank(api.database);
  });
  after(() => api?.stop());

  const get = async (path: string): Promise<Json> => {
    const response = await api.get(`/api/v1/cls/balances${path}`);
    const body = (await response.json()) as Json;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const everyItem = async (path: string): Promise<Json[]> => {
    const response = await api.getWith(`/api/v1/cls/balances${path}`, await api.token(), {
      accept: 'application/x-ndjson',
    });
    const lines = (await response.text()).trimEnd().split('\n');
    const items = lines.map((line) => JSON.parse(line) as Json);
    expect(items.pop().count).to.equal(items.length);
    return items;
  };

  it('post of the later one only what changed, and say what differs by which rule', () => {
    expect([later.outcome, later.newLoans]).to.deep.equal(['applied', 277]);
    const kinds = new Map(later.changes.map((change) => [change.kind, change]));
    expect(kinds.get('new_loan')?.loans).to.equal(277);
    expect(kinds.has('vanished')).to.equal(false);
    expect(kinds.get('original_restated')?.loans).to.be.greaterThan(0);
    expect(kinds.get('terms_changed')?.loans).to.be.greaterThan(300);
    // 378 differ; 26 of them only in that the later statement leaves the project name empty.
    const named = [...rows2023].filter(([loan, row]) => {
      const now = rows2025.get(loan) ?? {};
      const differs = (...columns: string[]) =>
        columns.some((column) => now[column] !== row[column.replace(' / Economy', '')]);
      return (
        (now['Project Name'] !== '' && differs('Project Name')) ||
        differs('Borrower', 'Country / Economy Code', 'Guarantor') ||
        differs('Guarantor Country / Economy Code')
      );
    });
    expect(named.length).to.equal(352);
    expect(kinds.get('details_changed')?.loans).to.equal(352);
    for (const { rule, changes } of later.changes) {
      expect(rule).to.match(/\w/);
      expect(changes.length).to.be.greaterThan(0);
    }
  });

  it('add up in the report, step by step, to what the sender states', () => {
    const due = (rows: ReadonlyMap<string, Row>) =>
      ['Due to IBRD', 'Due 3rd Party']
        .flatMap((column) => [...rows.values()].map((row) => cents(units(row[column]).toFixed(2))))
        .reduce((sum, amount) => sum + amount, 0n);
    const [total] = later.outstanding;
    const steps = [total?.newLoans, total?.drawn, total?.repaid, total?.corrected];
    expect(total?.vanished).to.equal('0.00');
    expect(cents(total?.before ?? '')).to.equal(due(rows2023));
    expect(cents(total?.after ?? '')).to.equal(due(rows2025));
    expect(steps.reduce((sum, step) => sum + cents(step ?? ''), due(rows2023))).to.equal(
      due(rows2025),
    );
  });

  it('add up to each statement’s totals at its date, to the cent', async () => {
    const [then] = (await get('?asOf=2023-05-31&limit=1&includeZero=true')).totals;
    expect([then.count, then.obligation]).to.deep.equal([9_012, '241443444980.16']);
    const [now] = (await get('?limit=1&includeZero=true')).totals;
    expect(now).to.deep.include({
      count: 9_289,
      principalOutstanding: '283040726064.12',
      exchangeAdjustment: '-7473250360.19',
      obligation: '275567475703.93',
      unfunded: '91171123001.99',
    });
    const [india] = (await get('?country=IN&limit=1&includeZero=true')).totals;
    expect([india.count, india.obligation]).to.deep.equal([420, '24398370050.10']);
  });

  it('tell one loan through time, by the sender’s own number', async () => {
    const at = async (day: string) =>
      (await get(`?level=contract&contractId=ext:world-bank:IBRD78620&asOf=${day}`)).data[0];
    expect((await at('2023-05-31')).global.principal.outstanding).to.equal('2437287982.10');
    expect((await at('2024-12-31')).global.principal.outstanding).to.equal('2437287982.10');
    expect((await at('2025-03-31')).global.principal.outstanding).to.equal('2292797105.20');
  });

  it('tell status, rate and maturity of a loan as each statement did at its date', async () => {
    const [then, now] = await Promise.all([
      everyItem('/principal?asOf=2023-05-31&includeZero=true'),
      everyItem('/principal?includeZero=true'),
    ]);
    const repaid = (row: Row | undefined) => row?.['Loan Status'] === 'Fully Repaid';
    for (const [items, rows] of [
      [then, rows2023],
      [now, rows2025],
    ] as const) {
      for (const { contract, status, allInRate } of items) {
        const row = rows.get(contract.contractNumber);
        const percent = row?.['Interest Rate'] ?? '';
        expect(Number(allInRate) * 100).to.be.closeTo(Number(percent), 1e-9);
        if (repaid(row)) expect(status.contract).to.equal('repaid');
        const [month, day, year] = (row?.['Last Repayment Date'] ?? '').slice(0, 10).split('/');
        expect(contract.maturityDate).to.equal(year ? `${year}-${month}-${day}` : null);
      }
    }
  });

  it('keep the name of a loan whose row leaves it empty', async () => {
    const items = await everyItem('/principal?includeZero=true&fields=deal,contract');
    const names = new Map(items.map(({ deal, contract }) => [contract.contractNumber, deal.name]));
    const empty = [...rows2025].filter(([, row]) => row['Project Name'] === '');
    expect(empty.length).to.equal(26);
    for (const [loan] of empty) {
      expect(names.get(loan)).to.equal(rows2023.get(loan)?.['Project Name']).and.not.equal('');
    }
  });

  it('roll forward from one to the other as the statements do, on 8,993 of 9,012 loans', async () => {
    const items = await everyItem(
      '/principal?fromDate=2023-06-01&toDate=2025-03-31&includeZero=true',
    );
    const moved = new Map(items.map((item) => [item.contract.contractNumber, item]));
    let agreeing = 0;
    for (const [number, then] of rows2023) {
      const now = rows2025.get(number);
      const change = (field: string) => units(now?.[field]) - units(then[field]);
      const told = change('Disbursed Amount') - change('Repaid to IBRD') - change('Sold 3rd Party');
      const gap = Math.abs(change('Due to IBRD') - told);
      const { lenders, global } = moved.get(number);
      const own = lenders.find(({ lender }: Json) => /Reconstruction/.test(lender.name));
      const { advances, scheduledRepayments, transfers, adjustments } = own.movements;
      const cash = cents(advances) + cents(scheduledRepayments) + cents(transfers);
      // What the ledger says moved is what the statements say moved, and it foots on every loan.
      expect(Math.abs(Number(cash) / 100 - told)).to.be.lessThan(0.02);
      expect(cents(own.opening) + cash + cents(adjustments)).to.equal(cents(own.closing));
      expect(
        Math.abs(Number(cents(own.closing) - cents(own.opening)) / 100 - change('Due to IBRD')),
      ).to.be.lessThan(0.02);
      expect(global.movements.advances).to.equal(advances);
      if (gap <= 0.011) agreeing += 1;
      else if (gap > 0.05) expect(now?.['Loan Type']).to.equal('SCL');
    }
    expect(agreeing).to.equal(8_993);
  });

  it('give the reason on the movement where a statement does not roll forward', async () => {
    const items = await everyItem('/principal/movements?fromDate=2023-06-01&toDate=2025-03-31');
    const adjustments = items.filter(({ movement }) => movement === 'adjustment');
    expect(adjustments.length).to.be.greaterThan(0);
    for (const { journal } of adjustments) expect(journal.reason).to.include('disbursed − repaid');
  });
});
