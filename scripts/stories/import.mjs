// An operator imports a statement of one loan.
import { startTestApi } from '../../packages/resource-api/dist/test/support/api.js';
import { importWorldBank, statement } from '../../packages/resource-api/dist/test/support/book.js';
import { pglite } from '../../packages/testing/dist/src/engines.js';

export async function prepare() {
  const api = await startTestApi(pglite);
  let day = 0;
  return {
    async run() {
      day += 1;
      const amount = `${100 + day}`;
      const loan = {
        'Loan Number': 'IBRD00001',
        'Original Principal Amount': '900',
        'Disbursed Amount': amount,
        'Due to IBRD': amount,
        "Borrower's Obligation": amount,
        'Undisbursed Amount': `${800 - day}`,
        'Loans Held': '900',
      };
      await importWorldBank(api.database, statement(`0${day}/28/2025`, [loan]));
    },
    stop: () => api.stop(),
  };
}
