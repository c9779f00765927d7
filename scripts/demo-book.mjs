// A syndicated deal for the demonstration, as two journal files (docs/reference/journal-file.md): an agent and
// five lenders, a revolver with drawings, term loans in two currencies, interest that is billed and
// paid each quarter, a trade, a mistake that was corrected, and what became known too late.
import { createHash } from 'node:crypto';

const DEAL = id('deal', 'MERIDIAN2022');
const BOOKED_ON = '2022-06-01';
const BORROWER = party('MERIDIANCOMPONENTS', 'Meridian Components plc', 'GB');
const AGENT = party('NORTHGATEBANK', 'Northgate Bank', 'GB');
/** The first lender of a deal is often its agent. Shares in percent. */
const LENDERS = [
  [AGENT, 30n],
  [party('ALDERANDFINCH', 'Alder & Finch', 'US'), 25n],
  [party('BANQUEDULEMAN', 'Banque du Léman', 'CH'), 20n],
  [party('KESTRELCREDITFUND', 'Kestrel Credit Fund', 'LU'), 15n],
  [party('OSAKAMUTUAL', 'Osaka Mutual', 'JP'), 10n],
];
/** As the market counts days: sterling by 365, euros by 360. */
const DAY_COUNTS = { GBP: 'ACT/365F', EUR: 'ACT/360' };
const DAYS_OF_YEAR = { GBP: 365n, EUR: 360n };
const [, , , SELLER, BUYER] = LENDERS.map(([{ id: lender }]) => lender);

const REVOLVER = facility('REVOLVER', 'Revolving Credit Facility', 'revolver', 'GBP', '2027-06-01');
const TERM_A = facility('TERMLOANA', 'Term Loan A', 'term_loan', 'GBP', '2027-06-01');
const TERM_B = facility('TERMLOANB', 'Term Loan B', 'term_loan', 'EUR', '2029-06-01');
/** The deal, and the lender whose people the demonstration has. */
export const DEMO = { deal: DEAL, facility: TERM_A.id, lender: SELLER };
const DRAWING_1 = contract('DRAWING1', REVOLVER, '1', '2022-07-15');
const DRAWING_2 = contract('DRAWING2', REVOLVER, '2', '2024-05-15');
const LOAN_A = contract('LOANA', TERM_A, '1', BOOKED_ON);
const LOAN_B = contract('LOANB', TERM_B, '1', BOOKED_ON);

/** From each date on, SONIA and EURIBOR in basis points, roughly as they were. */
const BASE_RATES = [
  ...[
    ['2022-06-01', 94, 0],
    ['2022-09-15', 169, 85],
    ['2022-12-15', 293, 205],
  ],
  ...[
    ['2023-03-15', 393, 290],
    ['2023-09-15', 518, 395],
    ['2024-09-16', 495, 345],
  ],
  ...[
    ['2024-12-16', 470, 285],
    ['2025-03-17', 445, 240],
  ],
];
const MARGIN_BPS = { [TERM_A.id]: 225, [TERM_B.id]: 275, [REVOLVER.id]: 200 };
const COMMITMENT_FEE = '0.003750000000';

/** Interest is billed on these days, and paid five days later; the last bill is not paid. */
const BILLS = [
  ...['2022-09-15', '2022-12-15', '2023-03-15', '2023-06-15', '2023-09-15', '2023-12-15'],
  ...['2024-03-15', '2024-06-17', '2024-09-16', '2024-12-16', '2025-03-17'],
];

/** What became known only after the bill of March 2025: a prepayment of the month before. */
const LATE = { date: '2025-02-14', loan: LOAN_A, millions: 10n };

/**
 * The deal and its history through 2025-03-31, and what became known later about it.
 *
 * @param dates on which something else is reported in between: the history is cut there, so that what
 *   was reported for each date was known by then
 * @returns the texts of journal files, to be imported one after the other
 */
export function demoBook(dates = []) {
  const book = history();
  const late = lateNews(book);
  const opening = [
    ...[BORROWER, ...LENDERS.map(([lender]) => lender)],
    {
      ...{ object: 'deal', id: DEAL, name: 'Meridian Components 2022', dealNumber: 'MER-2022' },
      ...{ borrower: BORROWER.id, agent: AGENT.id, country: 'GB', status: 'active' },
      ...{ closingDate: BOOKED_ON, bookedOn: BOOKED_ON },
      externalIds: [{ source: 'agency-system', value: 'MER-2022-01' }],
    },
    ...[REVOLVER, TERM_A, TERM_B, DRAWING_1, DRAWING_2, LOAN_A, LOAN_B],
    ...[REVOLVER, TERM_A, TERM_B].flatMap(positionsOf),
  ];
  const known = book.journals.slice(0, -1);
  const parts = [...dates, '9999-12-31'].map((to, at) => {
    const from = dates[at - 1] ?? '';
    return known.filter(({ effectiveDate }) => from < effectiveDate && effectiveDate <= to);
  });
  const [first, ...others] = parts;
  return [[...opening, ...first], ...others, [late]]
    .filter((records) => records.length > 0)
    .map(fileOf);
}

function history() {
  const book = newBook();
  const events = [
    [BOOKED_ON, () => book.commit(REVOLVER, 150n)],
    [BOOKED_ON, () => book.commit(TERM_A, 200n)],
    [BOOKED_ON, () => book.commit(TERM_B, 80n)],
    [BOOKED_ON, (date) => book.advance(date, LOAN_A, 200n)],
    [BOOKED_ON, (date) => book.advance(date, LOAN_B, 80n)],
    ['2022-07-15', (date) => book.advance(date, DRAWING_1, 40n)],
    ['2023-11-15', (date) => book.repay(date, DRAWING_1, 15n, 'voluntary_prepayment')],
    ['2024-05-15', (date) => book.advance(date, DRAWING_2, 30n)],
    ['2024-09-16', (date) => book.trade(date, LOAN_A, SELLER, BUYER, 10n)],
    ...BASE_RATES.map(([date, ...bps]) => [date, () => book.setRates(date, bps)]),
    ...BILLS.map((date) => [date, () => book.bill(date, date !== BILLS.at(-1))]),
    ...BILLS.slice(2).map((date) => [date, () => book.repay(date, LOAN_A, 5n, SCHEDULED)]),
    [
      '2024-06-18',
      (date) => book.mistake(date, LOAN_B, 8n, 'paid into the account of another deal'),
    ],
  ];
  // Array.sort is stable: of one day, in the order above.
  for (const [date, happen] of events.sort(([a], [b]) => a.localeCompare(b))) happen(date);
  return book;
}

const SCHEDULED = 'scheduled_repayment';

function lateNews(book) {
  book.repay(LATE.date, LATE.loan, LATE.millions, 'voluntary_prepayment');
  const journal = book.journals.at(-1);
  const reason = 'notice of prepayment received late';
  return { ...journal, reason, createdBy: 'nadia.khan@northgate.example' };
}

/** Keeps what each lender holds, day by day, and writes the journals. */
function newBook() {
  const journals = [];
  /** Changes of principal: `{ date, loan, lender, amount }`, and the rates of each facility. */
  const changes = [];
  const rates = new Map([REVOLVER, TERM_A, TERM_B].map(({ id: key }) => [key, []]));
  const billed = new Map();

  const post = (type, date, postings, more = {}) => {
    const number = journals.length + 1;
    const journal = {
      object: 'journal',
      id: id('jrn', `MERIDIAN${number}`.padEnd(20, '0') + `${number}`.padStart(6, '0')),
      ...{ deal: DEAL, type, effectiveDate: date, idempotencyKey: `agency-system:${number}` },
      ...more,
      postings,
    };
    journals.push(journal);
    return journal;
  };
  const move = (date, loan, shares) => {
    for (const [lender, amount] of shares) changes.push({ date, loan, lender, amount });
  };
  const held = (loan, date) =>
    LENDERS.map(([{ id: lender }]) => [
      lender,
      changes.reduce(
        (sum, one) =>
          one.loan === loan && one.lender === lender && one.date <= date ? sum + one.amount : sum,
        0n,
      ),
    ]);

  const book = {
    journals,
    commit(of, millions) {
      const shares = byCommitment(millions);
      const fee = of === REVOLVER && {
        rates: [rate({ facility: of.id, component: 'commitment_fee' }, BOOKED_ON, COMMITMENT_FEE)],
      };
      const postings = [
        ...entry(of, shares, 'ORIGINAL_COMMITMENT', 'MEMO'),
        ...entry(of, shares, 'UNFUNDED', 'MEMO'),
      ];
      post('original_commitment', BOOKED_ON, postings, fee || {});
    },
    advance(date, loan, millions) {
      const shares = byCommitment(millions);
      move(date, loan, shares);
      post('advance', date, [
        ...entry(loan, shares, 'PRINCIPAL_CASH', 'CASH_CLEARING', { movement: 'advance' }),
        ...entry(loan.of, negative(shares), 'UNFUNDED', 'MEMO'),
      ]);
    },
    repay(date, loan, millions, type) {
      const shares = negative(pro(held(loan, date), millions * MILLION));
      move(date, loan, shares);
      return post(type, date, [
        ...entry(loan, shares, 'PRINCIPAL_CASH', 'CASH_CLEARING', { movement: type }),
        ...(loan.of === REVOLVER ? entry(loan.of, negative(shares), 'UNFUNDED', 'MEMO') : []),
      ]);
    },
    /** A repayment that was not one: reversed a week later, for its own date. */
    mistake(date, loan, millions, reason) {
      const wrong = book.repay(date, loan, millions, SCHEDULED);
      changes.splice(-LENDERS.length);
      const postings = wrong.postings.map((one) => ({ ...one, amount: minus(one.amount) }));
      post(SCHEDULED, date, postings, { reason, reverses: wrong.id });
    },
    trade(date, loan, seller, buyer, millions) {
      const shares = [
        [seller, -millions * MILLION],
        [buyer, millions * MILLION],
      ];
      move(date, loan, shares);
      const postings = entry(loan, shares, 'PRINCIPAL_CASH', 'TRANSFER_CLEARING', {
        movement: 'transfer',
      });
      post('transfer', date, postings);
    },
    setRates(date, [sonia, euribor]) {
      const set = [
        ...[LOAN_A, DRAWING_1, DRAWING_2].map((loan) => [loan, 'SONIA', sonia]),
        [LOAN_B, 'EURIBOR', euribor],
      ].map(([loan, index, base]) => {
        const spread = MARGIN_BPS[loan.facility];
        rates.get(loan.facility).push({ date, bps: BigInt(base + spread) });
        const parts = { baseRateIndex: index, baseRate: bps(base), spread: bps(spread) };
        const of = { facility: loan.facility, contract: loan.id, component: 'interest' };
        return { ...rate(of, date, bps(base + spread)), ...parts };
      });
      post('rate_set', date, [], { rates: set });
    },
    bill(date, isPaid) {
      for (const loan of [LOAN_A, LOAN_B, DRAWING_1, DRAWING_2]) {
        const from = billed.get(loan) ?? loan.effectiveDate;
        if (from >= date) continue;
        billed.set(loan, date);
        const owed = accrued(held, rates.get(loan.facility), loan, from, date);
        const dueDate = plusDays(date, 5);
        const of = { facility: loan.facility, contract: loan.id, component: 'interest' };
        const settled = { settlements: [{ ...of, settledThrough: date }] };
        const due = (shares, other) => entry(loan, shares, 'INTEREST_DUE', other, { dueDate });
        post('interest_billing', date, due(owed, 'INTEREST_INCOME'), settled);
        if (isPaid) post('interest_payment', dueDate, due(negative(owed), 'CASH_CLEARING'));
      }
    },
  };
  return book;
}

const MILLION = 100_000_000n;

/** Interest of each lender: by day, rounded once, half away from zero; shares by largest remainders. */
function accrued(held, rates, loan, from, to) {
  const owed = new Map(LENDERS.map(([{ id: lender }]) => [lender, 0n]));
  for (let day = from; day < to; day = plusDays(day, 1)) {
    const { bps: rateOfDay } = rates.filter(({ date }) => date <= day).at(-1);
    for (const [lender, amount] of held(loan, day)) {
      owed.set(lender, owed.get(lender) + amount * rateOfDay);
    }
  }
  const total = [...owed.values()].reduce((sum, part) => sum + part, 0n);
  // Rates are in basis points.
  const year = DAYS_OF_YEAR[loan.of.currency] * 10_000n;
  return pro([...owed], (2n * total + year) / (2n * year));
}

/** Splits an amount in the proportion of weights: largest remainders, ties by lender id. */
function pro(weights, amount) {
  const whole = weights.reduce((sum, [, weight]) => sum + weight, 0n);
  const parts = weights.map(([lender, weight]) => ({
    lender,
    share: (amount * weight) / whole,
    remainder: (amount * weight) % whole,
  }));
  let left = amount - parts.reduce((sum, { share }) => sum + share, 0n);
  const byRemainder = (a, b) =>
    a.remainder === b.remainder
      ? a.lender.localeCompare(b.lender)
      : Number(b.remainder > a.remainder) - Number(b.remainder < a.remainder);
  for (const part of [...parts].sort(byRemainder)) {
    if (left === 0n) break;
    part.share += 1n;
    left -= 1n;
  }
  return parts.map(({ lender, share }) => [lender, share]);
}

function byCommitment(millions) {
  return LENDERS.map(([{ id: lender }, percent]) => [
    lender,
    (millions * MILLION * percent) / 100n,
  ]);
}

function negative(shares) {
  return shares.map(([lender, amount]) => [lender, -amount]);
}

/** A debit and its credit, for all lenders together and for each. */
function entry(record, shares, account, contra, more = {}) {
  const total = shares.reduce((sum, [, amount]) => sum + amount, 0n);
  const where =
    record.object === 'contract'
      ? { facility: record.facility, contract: record.id }
      : { facility: record.id };
  const { currency } = record.of ?? record;
  return [[undefined, total], ...shares]
    .filter(([, amount]) => amount !== 0n)
    .flatMap(([lender, amount]) => [
      { ...where, lender, account, ...more, amount: decimal(amount), currency },
      { ...where, lender, account: contra, amount: decimal(-amount), currency },
    ]);
}

/** The text of a journal file: these records, and their summary. */
export function fileOf(records) {
  const lines = records.map((record) => `${JSON.stringify(withoutLinks(record))}\n`).join('');
  const journals = records.filter(({ object }) => object === 'journal');
  const postings = journals.flatMap((journal) => journal.postings);
  const sums = new Map();
  for (const { lender, currency, account, amount } of postings) {
    if (lender !== undefined) continue;
    const ofCurrency = sums.get(currency) ?? new Map();
    sums.set(currency, ofCurrency);
    ofCurrency.set(account, (ofCurrency.get(account) ?? 0n) + BigInt(amount.replace('.', '')));
  }
  const summary = {
    ...{ object: 'summary', records: records.length },
    ...{ journals: journals.length, postings: postings.length },
    sums: Object.fromEntries(
      [...sums].map(([currency, ofCurrency]) => [
        currency,
        Object.fromEntries([...ofCurrency].map(([account, sum]) => [account, decimal(sum)])),
      ]),
    ),
    sha256: createHash('sha256').update(lines).digest('hex'),
  };
  return `${lines}${JSON.stringify(summary)}\n`;
}

/** A contract knows its facility here, and names it in the file. */
function withoutLinks({ of: _, ...record }) {
  return record;
}

function id(prefix, name) {
  return `${prefix}_${name.padEnd(26, '0')}`;
}

function party(key, name, country) {
  return { object: 'party', id: id('pty', key), name, country };
}

function facility(key, name, type, currency, maturityDate) {
  return {
    ...{ object: 'facility', id: id('fac', `MERIDIAN${key}`), deal: DEAL, name, type, currency },
    ...{ dayCount: DAY_COUNTS[currency], status: 'active', effectiveDate: BOOKED_ON, maturityDate },
    ...(type === 'revolver' ? { availabilityEndDate: '2027-05-01' } : {}),
    bookedOn: BOOKED_ON,
  };
}

function contract(key, of, contractNumber, effectiveDate) {
  return {
    ...{ object: 'contract', id: id('ctr', `MERIDIAN${key}`), facility: of.id, contractNumber },
    ...{ status: 'active', effectiveDate, maturityDate: of.maturityDate, bookedOn: effectiveDate },
    of,
  };
}

function positionsOf(of) {
  return LENDERS.map(([{ id: lender }], index) => ({
    object: 'position',
    id: id('pos', `${of.id.slice(4).replace(/0+$/, '')}${index + 1}`),
    ...{ facility: of.id, lender, kind: 'assignment', bookedOn: BOOKED_ON },
  }));
}

function rate(of, startDate, allInRate) {
  return { ...of, startDate, allInRate };
}

function bps(points) {
  return `0.${`${points}`.padStart(4, '0')}00000000`;
}

function decimal(minor) {
  const digits = `${minor < 0n ? -minor : minor}`.padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function minus(amount) {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

function plusDays(date, days) {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}
