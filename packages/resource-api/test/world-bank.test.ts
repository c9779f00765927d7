import type { Database } from '@cls/shared/sql/database';
import { describeOnDatabase } from '@cls/testing/engines';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { sqlEntitlements } from '../src/access/sql-entitlements.ts';
import type { ImportReport } from '../src/import/import-report.ts';
import { startTestApi, type TestApi, viewer } from './support/api.ts';
import { importWorldBank, worldBankText } from './support/book.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;
type Row = Readonly<Record<string, string>>;

interface Page {
  readonly data: readonly {
    readonly borrower: { country: string };
    readonly deal: { id: string; dealNumber: string };
    readonly contract: { contractNumber: string } | null;
    readonly global: {
      principal: { outstanding: string; obligation: string };
      commitment: { unfunded: string };
      closing: string;
    };
    readonly lenders: readonly { principal: { outstanding: string } }[];
    readonly share: unknown;
  }[];
  readonly page: { hasMore: boolean; nextCursor: string | null };
  readonly meta: { asOf: string; dataThrough: string; ledgerSeq: number };
  readonly totals: readonly Record<string, unknown>[];
}

const BALANCES = '/api/v1/cls/balances';
const PRINCIPAL = '/api/v1/cls/balances/principal';
const FIVE = ['BR', 'CN', 'ID', 'MX', 'TR'];
/** How many deals they see decides how their pages are found. */
const CUSTOMERS = { ukraine: ['UA'], india: ['IN'], indonesia: ['ID'], fund: FIVE };

const text2023 = worldBankText('2023-05-31');

/** The sender's own figures, read without the importer: in hundredths of a cent. */
function rowsOf(text: string): ReadonlyMap<string, Row> {
  const columns = (names: string[]) => names.map((name) => name.replace(' (US$)', ''));
  const rows = parse(text, { bom: true, columns }) as Row[];
  return new Map(rows.map((row) => [row['Loan Number'] ?? '', row]));
}
const units = (amount = '0') => Math.round(Number(amount) * 100) / 100;
const cents = (amount: string) => BigInt(amount.replace('.', ''));

describeOnDatabase('the World Bank’s book', (engine) => {
  let api: TestApi;
  let database: Database;
  let later: ImportReport;
  before(async () => {
    api = await startTestApi(engine);
    database = api.database;
    const first = await importWorldBank(database, text2023);
    expect([first.outcome, first.newLoans]).to.deep.equal(['applied', 9_012]);
    later = await importWorldBank(database);
    const entitlements = sqlEntitlements(database);
    const grant = (customer: string, role: 'agent' | 'borrower', deals: object) =>
      entitlements.grant({ customer, role, lenderId: undefined, deals } as never);
    await grant('india', 'borrower', { country: 'IN' });
    await grant('indonesia', 'borrower', { country: 'ID' });
    await grant('ukraine', 'borrower', { country: 'UA' });
    await grant('agency', 'agent', { allDeals: true });
    for (const country of FIVE) await grant('fund', 'agent', { country });
  });
  after(() => api?.stop());

  const read = async (path: string, claims?: Record<string, unknown>): Promise<Page> => {
    const response = await api.get(path, claims);
    expect(response.status, await response.clone().text()).to.equal(200);
    return (await response.json()) as Page;
  };
  const walk = async (path: string, claims?: Record<string, unknown>) => {
    const items: Page['data'][number][] = [];
    let page = await read(path, claims);
    for (;;) {
      items.push(...page.data);
      if (page.page.nextCursor === null) return { items, totals: page.totals };
      page = await read(`${path.split('?')[0]}?limit=1000&cursor=${page.page.nextCursor}`, claims);
    }
  };

  it('lists no repaid loan for a cent of exchange, unless zeros are asked for', async () => {
    const listed = await walk(`${BALANCES}?country=CO&limit=1000`);
    const all = await walk(`${BALANCES}?country=CO&limit=1000&includeZero=true`);
    const shown = new Set(listed.items.map(({ deal }) => deal.dealNumber));
    const residues = all.items.filter(
      ({ global, deal }) =>
        /^-?0\.0[1-9]$/.test(global.principal.obligation) && !shown.has(deal.dealNumber),
    );
    expect(residues).not.to.be.empty;
    for (const { global } of listed.items) {
      const { principal, commitment } = global;
      expect(
        [principal.outstanding, commitment.unfunded],
        JSON.stringify(global),
      ).not.to.deep.equal(['0.00', '0.00']);
    }
    expect(listed.totals[0]).to.include({ count: listed.items.length });
  });

  it('adds up to the statement’s totals to the cent, over 9,289 loans', async () => {
    for (const path of [BALANCES, PRINCIPAL]) {
      const { totals } = await read(`${path}?includeZero=true&limit=1`);
      expect(totals).to.deep.equal([
        {
          currency: 'USD',
          count: 9_289,
          principalOutstanding: '283040726064.12',
          exchangeAdjustment: '-7473250360.19',
          obligation: '275567475703.93',
          // Commitments belong to facilities, not to their contracts.
          ...(path === BALANCES ? { unfunded: '91171123001.99' } : {}),
          interestAccrued: '0.00',
          feesAccrued: '0.00',
        },
      ]);
    }
  });

  for (const [country, count, obligation] of [
    ['IN', 420, '24398370050.10'],
    ['ID', 652, '21325727242.47'],
    ['UA', 105, '16594583841.60'],
  ] as const) {
    it(`adds up for ${country}: ${count} loans, ${obligation}`, async () => {
      const { totals } = await read(`${BALANCES}?country=${country}&includeZero=true&limit=1`);
      expect(totals[0]).to.include({ count, obligation });
    });
  }

  it('walks over every loan once, and the items add up to the totals', async () => {
    const { items } = await walk(`${PRINCIPAL}?includeZero=true&limit=1000`);
    expect(items).to.have.length(9_289);
    expect(new Set(items.map(({ contract }) => contract?.contractNumber)).size).to.equal(9_289);
    const sum = items.reduce((total, { global }) => total + cents(global.closing), 0n);
    expect(sum).to.equal(28_304_072_606_412n);
  });

  it('has past due what is owed after the last repayment date: 121 loans', async () => {
    const asked = 'level=contract&pastDue=true';
    const { totals } = await read(`${BALANCES}/totals?${asked}`);
    expect(totals[0]).to.include({ count: 121, pastDue: '1722555093.10' });
    const { items } = await walk(`${BALANCES}?${asked}&limit=1000`);
    expect(items).to.have.length(121);
  });

  it('tells one loan as the statement does', async () => {
    const { items } = await walk(`${PRINCIPAL}?country=ZA&limit=1000`);
    const loan = items.find(({ deal }) => deal.dealNumber === 'IBRD78620');
    expect(loan?.global.closing).to.equal('2292797105.20');
  });

  it('hides loans whose balances are all zero, unless asked for them', async () => {
    const shown = await read(`${BALANCES}?limit=1`);
    const all = await read(`${BALANCES}?limit=1&includeZero=true`);
    expect(Number(shown.totals[0]?.['count'])).to.be.lessThan(Number(all.totals[0]?.['count']));
    expect(shown.totals[0]?.['principalOutstanding']).to.equal('283040726064.12');
  });

  for (const [customer, country, count] of [
    ['india', 'IN', 420],
    ['indonesia', 'ID', 652],
    ['ukraine', 'UA', 105],
  ] as const) {
    it(`shows the borrower ${customer} its ${count} loans, no shares, and nothing else`, async () => {
      const caller = viewer(customer);
      const { items, totals } = await walk(`${BALANCES}?includeZero=true&limit=1000`, caller);
      expect(items).to.have.length(count);
      expect(totals[0]).to.include({ count });
      expect(items.every(({ borrower }) => borrower.country === country)).to.equal(true);
      expect(items.every(({ lenders, share }) => lenders.length === 0 && share === null)).to.equal(
        true,
      );
    });
  }

  it('shows the agent every loan with every lender’s share, which add up', async () => {
    const { totals } = await read(`${BALANCES}?includeZero=true&limit=1`, viewer('agency'));
    expect(totals[0]).to.include({ count: 9_289, principalOutstanding: '283040726064.12' });
    const page = await read(`${BALANCES}?limit=200&country=TR`, viewer('agency'));
    for (const { global, lenders } of page.data) {
      expect(lenders).to.have.length(2);
      const shares = lenders.reduce((sum, one) => sum + cents(one.principal.outstanding), 0n);
      expect(shares).to.equal(cents(global.principal.outstanding));
    }
  });

  it('shows a customer to whom nothing was granted an empty list, never a refusal', async () => {
    const page = await read(`${BALANCES}?includeZero=true`, viewer('nobody'));
    expect(page).to.deep.include({ data: [], totals: [] });
  });

  const sorts = ['', 'outstanding', '-borrower', 'maturityDate', '-lastPostedAt'];
  const filters = ['', '&q=water', '&status=active&q=IBRD8', '&includeZero=true&q=road'];
  for (const [row, sort] of sorts.entries()) {
    it(`tells a customer of 105 to 2,385 deals what full control reads of them, sorted by ${sort || 'nothing'}`, async () => {
      for (const [column, filter] of filters.entries()) {
        const question = `${BALANCES}?level=facility&include=none${filter}${sort && `&sort=${sort}`}`;
        const whole = await walk(`${question}&limit=1000`);
        for (const [turn, [customer, countries]] of Object.entries(CUSTOMERS).entries()) {
          // Over all, each sort and each filter is asked by each customer.
          if (!EXHAUSTIVE && (row + column + turn) % 2 === 1) continue;
          const own = whole.items.filter(({ borrower }) => countries.includes(borrower.country));
          const { items } = await walk(`${question}&limit=100`, viewer(customer));
          const shown = ({ deal, global }: Page['data'][number]) => [deal.dealNumber, global];
          const note = `${customer} ${question}`;
          expect(items.map(shown), note).to.deep.equal(own.map(shown));
        }
      }
    });
  }

  it('tells a customer of 105 to 2,385 deals the movements that full control reads of them', async () => {
    const globalMovements = async (q: string, claims?: Record<string, unknown>) => {
      const { items } = await walk(`${PRINCIPAL}/movements?q=${q}&limit=1000`, claims);
      const movements = items as unknown as readonly Record<'id' | 'dealId' | 'lender', unknown>[];
      return movements.filter(({ lender }) => lender === null);
    };
    const whole = { water: await globalMovements('water'), road: await globalMovements('road') };
    for (const customer of Object.keys(CUSTOMERS)) {
      const seen = await walk(
        `${BALANCES}?level=deal&include=none&includeZero=true&limit=1000`,
        viewer(customer),
      );
      const own = new Set(seen.items.map(({ deal }) => deal.id));
      for (const [q, movements] of Object.entries(whole)) {
        const expected = movements.filter(({ dealId }) => own.has(`${dealId}`));
        const found = await globalMovements(q, viewer(customer));
        expect(found, `${customer} ${q}`).to.deep.equal(expected);
      }
    }
  });

  it('treats a deal that was not granted as absent, by whatever filter', async () => {
    const { data } = await read(`${BALANCES}?country=UA&limit=1`);
    const [other] = data as unknown as [
      { deal: { id: string }; facility: { id: string }; borrower: { id: string } },
    ];
    for (const query of [
      `dealId=${other.deal.id}`,
      `facilityId=${other.facility.id}`,
      `borrowerId=${other.borrower.id}`,
      'country=UA',
    ]) {
      const page = await read(`${BALANCES}?includeZero=true&${query}`, viewer('india'));
      expect(page, query).to.deep.include({ data: [], totals: [] });
    }
    const walkOfAnother = await read(`${BALANCES}?limit=1`, viewer('ukraine'));
    const cursor = walkOfAnother.page.nextCursor;
    const stolen = await api.get(`${BALANCES}?cursor=${cursor}`, viewer('india'));
    expect(stolen.status).to.equal(400);
    expect(await stolen.json()).to.include({ code: 'cursor_mismatch' });
  });

  it('goes by the last date of its data, and by the asked date inclusive', async () => {
    const page = await read(`${BALANCES}?limit=1`);
    expect(page.meta).to.include({ asOf: '2025-03-31', dataThrough: '2025-03-31' });
    const monthAfter = await read(`${BALANCES}?limit=1&asOf=2025-04-30`);
    expect(monthAfter.totals).to.deep.equal(page.totals);
    const before = await api.get(`${BALANCES}?asOf=2023-05-30`);
    expect(await before.json()).to.include({ code: 'as_of_before_book' });
  });

  it('changes nothing when the same file is imported again', async () => {
    const report = await importWorldBank(database);
    expect(report).to.include({ outcome: 'applied_before', journals: 0, postings: 0 });
  });

  it('keeps its balances equal to what the postings replay to', async () => {
    const differing = await database.query(
      `SELECT l.key FROM balance_line l
       LEFT JOIN LATERAL (SELECT * FROM balance b WHERE b.line_key = l.key
                          ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b ON true
       LEFT JOIN LATERAL (
         SELECT coalesce(sum(amount_minor) FILTER (WHERE account = 'PRINCIPAL_CASH'), 0) AS principal,
                coalesce(sum(amount_minor) FILTER (WHERE account = 'UNFUNDED'), 0) AS unfunded
         FROM posting p WHERE p.line_key = l.key) p ON true
       WHERE coalesce(b.principal_cash, 0) <> p.principal OR coalesce(b.unfunded, 0) <> p.unfunded`,
    );
    expect(differing).to.deep.equal([]);
  });

  describe('told by two statements', () => {
    const rows2023 = rowsOf(text2023);
    const rows2025 = rowsOf(worldBankText());

    const get = (path: string): Promise<Json> => read(`${BALANCES}${path}`);
    const everyItem = async (path: string): Promise<Json[]> => {
      const response = await api.getWith(`${BALANCES}${path}`, await api.token(), {
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
          .flatMap((column) =>
            [...rows.values()].map((row) => cents(units(row[column]).toFixed(2))),
          )
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
      const names = new Map(
        items.map(({ deal, contract }) => [contract.contractNumber, deal.name]),
      );
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
        const told =
          change('Disbursed Amount') - change('Repaid to IBRD') - change('Sold 3rd Party');
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
      for (const { journal } of adjustments)
        expect(journal.reason).to.include('disbursed − repaid');
    });
  });
});
