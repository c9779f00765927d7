// A caller with a token reads a page of balances that nobody has read yet.
import { startTestApi } from '../../packages/resource-api/dist/test/support/api.js';
import { importWorldBank, statement } from '../../packages/resource-api/dist/test/support/book.js';
import { pglite } from '../../packages/testing/dist/src/engines.js';

export async function prepare() {
  const api = await startTestApi(pglite);
  await importWorldBank(api.database, statement('03/31/2025', [1, 2, 3, 4, 5, 6, 7].map(loan)));
  const token = await api.token();
  let limit = 0;
  return {
    async run() {
      limit += 1;
      const response = await api.getWith(
        `/api/v1/cls/balances?level=contract&limit=${limit}`,
        token,
      );
      const { data } = await response.json();
      if (data?.length !== limit) throw new Error('another page than was asked for');
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
