// Deals to read and to import under load: each a borrower, a lender, a facility and a drawing.
import { fileOf } from '../demo-book.mjs';

const BOOKED_ON = '2024-01-10';
const LENDER = {
  object: 'party',
  id: id('pty', 'DRILLLENDER'),
  name: 'Drill Lender',
  country: 'GB',
};

/** The text of a journal file with the deals of these numbers, and the ids of its journals. */
export function dealsFile(from, count) {
  const deals = Array.from({ length: count }, (_, index) => deal(from + index));
  const records = deals.flatMap(({ opening }) => opening);
  const journals = deals.flatMap((one) => one.journals);
  return {
    text: fileOf([LENDER, ...records, ...journals]),
    journals: journals.map((journal) => journal.id),
  };
}

const nameOf = (number) => `DRILL${`${number}`.padStart(8, '0')}`;

export const dealIdOf = (number) => id('deal', nameOf(number));

function deal(number) {
  const name = nameOf(number);
  const [dealId, facility, contract] = ['deal', 'fac', 'ctr'].map((prefix) => id(prefix, name));
  const borrower = id('pty', name);
  const opening = [
    { object: 'party', id: borrower, name: `Borrower ${number}`, country: 'GB' },
    {
      ...{ object: 'deal', id: dealId, name: `Drill ${number}`, dealNumber: name, borrower },
      ...{ agent: LENDER.id, country: 'GB', status: 'active', bookedOn: BOOKED_ON },
    },
    {
      ...{ object: 'facility', id: facility, deal: dealId, name: 'Term Loan', type: 'term_loan' },
      ...{ currency: 'GBP', dayCount: 'ACT/365F', status: 'active', bookedOn: BOOKED_ON },
    },
    {
      ...{ object: 'contract', id: contract, facility, contractNumber: '1', status: 'active' },
      bookedOn: BOOKED_ON,
    },
    {
      ...{ object: 'position', id: id('pos', name), facility, lender: LENDER.id },
      ...{ kind: 'assignment', bookedOn: BOOKED_ON },
    },
  ];
  const entry = (where, account, contra, amount, more = {}) =>
    [{}, { lender: LENDER.id }].flatMap((whose) => [
      { ...where, ...whose, account, ...more, amount, currency: 'GBP' },
      { ...where, ...whose, account: contra, amount: minus(amount), currency: 'GBP' },
    ]);
  const journal = (nth, type, effectiveDate, postings, more = {}) => ({
    ...{ object: 'journal', id: id('jrn', `${name}X${nth}`), deal: dealId, type, effectiveDate },
    ...{ idempotencyKey: `drill:${number}:${nth}`, postings, ...more },
  });
  const onFacility = { facility };
  const onContract = { facility, contract };
  const accrues = { ...onContract, component: 'interest', startDate: '2024-01-15' };
  return {
    opening,
    journals: [
      journal(1, 'original_commitment', BOOKED_ON, [
        ...entry(onFacility, 'ORIGINAL_COMMITMENT', 'MEMO', '1000000.00'),
        ...entry(onFacility, 'UNFUNDED', 'MEMO', '1000000.00'),
      ]),
      journal(
        2,
        'advance',
        '2024-01-15',
        [
          ...entry(onContract, 'PRINCIPAL_CASH', 'CASH_CLEARING', `${600_000 + number}.00`, {
            movement: 'advance',
          }),
          ...entry(onFacility, 'UNFUNDED', 'MEMO', `-${600_000 + number}.00`),
        ],
        { rates: [{ ...accrues, allInRate: '0.072500000000' }] },
      ),
    ],
  };
}

function id(prefix, name) {
  return `${prefix}_${name.padEnd(26, '0')}`;
}

function minus(amount) {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}
