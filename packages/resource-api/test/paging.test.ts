import { describeOnDatabase } from '@cls/testing/engines';
import { expect } from 'chai';
import { startTestApi, type TestApi } from './support/api.ts';
import { importWorldBank, postPrincipal, statement } from './support/book.ts';

const PRINCIPAL = '/api/v1/cls/balances/principal';
const loans = Array.from({ length: 25 }, (_, n) => ({
  'Loan Number': `P${n}`,
  'Disbursed Amount': '100',
  'Original Principal Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
}));

interface Page {
  readonly data: readonly { contract: { contractNumber: string }; global: { closing: string } }[];
  readonly page: { nextCursor: string | null };
  readonly totals: readonly { principalOutstanding: string; count: number }[];
}

describeOnDatabase('a walk over pages', (engine) => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi(engine);
    await importWorldBank(api.database, statement('01/31/2025', loans));
  });
  after(() => api?.stop());
  const read = async (query: string): Promise<Page> => {
    const response = await api.get(`${PRINCIPAL}?${query}`);
    expect(response.status, await response.clone().text()).to.equal(200);
    return (await response.json()) as Page;
  };

  it('is one snapshot while postings and new deals arrive: nothing twice, nothing missed', async () => {
    let page = await read('limit=4');
    const seen: { number: string; closing: string }[] = [];
    for (let step = 0; ; step += 1) {
      seen.push(
        ...page.data.map((d) => ({ number: d.contract.contractNumber, closing: d.global.closing })),
      );
      expect(page.totals).to.deep.include({
        ...page.totals[0],
        principalOutstanding: '2500.00',
        count: 25,
      });
      if (page.page.nextCursor === null) break;
      await postPrincipal(api.database, `P${step}`, 'advance', '2025-01-31', 5_000n);
      await postPrincipal(
        api.database,
        `P${24 - step}`,
        'scheduled_repayment',
        '2025-01-31',
        -10_000n,
      );
      const late = [{ ...loans[0], 'Loan Number': `NEW${step}` }];
      await importWorldBank(api.database, statement('01/31/2025', late));
      page = await read(`limit=4&cursor=${page.page.nextCursor}`);
    }
    expect(seen.map(({ number }) => number).sort()).to.deep.equal(
      loans.map((loan) => loan['Loan Number']).sort(),
    );
    expect(new Set(seen.map(({ closing }) => closing))).to.deep.equal(new Set(['100.00']));
  });

  it('shows what was posted meanwhile to a walk that begins afterwards, at once', async () => {
    const before = await read('limit=1');
    await postPrincipal(api.database, 'P3', 'advance', '2025-01-31', 1n);
    const after = await read('limit=1');
    const cents = (page: Page) => Number(page.totals[0]?.principalOutstanding.replace('.', ''));
    expect(cents(after) - cents(before)).to.equal(1);
  });

  it('goes on only with its own question', async () => {
    const { page } = await read('limit=2&currency=USD');
    const cursor = page.nextCursor;
    expect((await read(`cursor=${cursor}&currency=USD`)).data.length).to.be.greaterThan(0);
    for (const other of ['currency=EUR', 'asOf=2025-01-31', 'includeZero=true']) {
      const response = await api.get(`${PRINCIPAL}?cursor=${cursor}&${other}`);
      expect(response.status, other).to.equal(400);
      expect(await response.json()).to.include({ code: 'cursor_mismatch' });
    }
    const elsewhere = await api.get(`/api/v1/cls/balances?cursor=${cursor}`);
    expect(await elsewhere.json()).to.include({ code: 'cursor_mismatch' });
  });

  it('refuses a cursor that was changed or cut', async () => {
    const { page } = await read('limit=2');
    const cursor = page.nextCursor ?? '';
    const flipped = cursor[30] === 'A' ? 'B' : 'A';
    for (const bad of [
      cursor.slice(0, -1),
      cursor.slice(4),
      `${cursor.slice(0, 30)}${flipped}${cursor.slice(31)}`,
      `${cursor}AAAA`,
      'AAAA',
    ]) {
      const response = await api.get(`${PRINCIPAL}?cursor=${bad}`);
      expect(response.status).to.equal(400);
      expect(await response.json()).to.include({ code: 'invalid_cursor' });
    }
  });
});
