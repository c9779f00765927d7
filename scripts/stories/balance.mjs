// A caller with a token reads a page of balances that nobody has read yet.
import { startTestApi } from '../../packages/resource-api/dist/test/support/api.js';
import { importWorldBank, statement } from '../../packages/resource-api/dist/test/support/book.js';
import { pglite } from '../../packages/testing/dist/src/engines.js';

export async function prepare() {
  const api = await startTestApi(pglite);
  await importWorldBank(api.database, statement('03/31/2025', [1, 2, 3, 4, 5, 6, 7].map(loan)));
  const token = await api.token();
  let day = Date.parse('2025-04-01');
  return {
    async run() {
      const asOf = new Date(day).toISOString().slice(0, 10);
      day += 86_400_000;
      const response = await api.getWith(`/api/v1/cls/balances?level=contract&asOf=${asOf}`, token);
      const { data } = await response.json();
      if (data?.length !== 7) throw new Error('another page than was asked for');
    },
    stop: () => api.stop(),
  };
}

function loan(n) {
  return {
    'Loan Number': `IBRD0000${n}`,
    'Original Principal Amount': '100',
    'Disbursed Amount': '100',
    'Due to IBRD': '100',
    "Borrower's Obligation": '100',
    'Loans Held': '100',
  };
}
