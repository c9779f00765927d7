import type { List, Meta } from '../../src/balances/shapes.ts';
import type { Viewer } from './every-page.ts';
import type { Person } from './person.ts';
import {
  aBook,
  aFacility,
  aJournal,
  aLoan,
  aParty,
  businessDate,
  entry,
  type Loan,
  type Party,
  posting,
  type Services,
  VIEW,
} from './services.ts';

/** What addresses of pages name: of a book that brings every page into every state. */
export interface ShownBook {
  /** Two currencies, lenders, a mistake that was reversed, a bill that was corrected, restated. */
  readonly deal: string;
  readonly borrower: string;
  readonly lender: string;
  /** A facility of the deal: its accrual corrects a bill. */
  readonly corrected: string;
  /** Of the generated book: a facility that accrues. */
  readonly facility: string;
  /** A deal with more postings than a page has. */
  readonly long: string;
  /** A deal that begins on 2025-01-31. */
  readonly negative: string;
  /** What was known before the deal was restated, and after it. */
  readonly before: string;
  readonly known: string;
}

type Holders = readonly (readonly [Party | undefined, string])[];

/** Posts the book, and makes people of each role who see it. */
export async function makeShownBook(services: Services) {
  const borrower = aParty('Ortolan Metals & Sons Beteiligungsgesellschaft mbH');
  const anna = aParty('Anna Bank');
  const bert = aParty('Société de financement des infrastructures du Léman');
  const { records } = aBook({ contracts: 12, seed: 41 });
  const loan = aLoan(borrower, [anna, bert]);
  const revolver = aFacility(loan.deal, { currency: 'EUR', type: 'revolver', name: 'Revolver' });
  const long = aLoan(borrower, [anna]);
  const negative = aLoan(borrower, [anna]);
  const zero = aLoan(borrower, []);
  const shared = (whole: string, half: string): Holders => [
    [undefined, whole],
    [anna, half],
    [bert, half],
  ];
  const single = (amount: string): Holders => [
    [undefined, amount],
    [anna, amount],
  ];
  const mistake = posting(loan, '2024-11-15', shared('-90000.00', '-45000.00'));
  await services.post([
    ...records,
    ...[borrower, anna, bert, ...loan.all, revolver, ...long.all, ...zero.all],
    ...negative.all.map((record) => ({ ...record, bookedOn: businessDate('2025-01-31') })),
    commitment(loan.facility, loan, shared('400000000.00', '200000000.00')),
    commitment(revolver, loan, [[undefined, '75000000.00']]),
    posting(loan, '2024-01-15', shared('320000000.00', '160000000.00')),
    rate(loan, '2024-01-15', '0.05'),
    bill(loan, '2024-12-15', shared('14888888.88', '7444444.44')),
    mistake,
    posting(negative, '2025-01-31', single('7.00')),
    posting(negative, '2025-01-31', single('-9.00')),
    ...Array.from({ length: 55 }, () => posting(long, '2025-01-31', single('1234567.89'))),
  ]);
  const deals = [
    ...[loan, long, negative, zero].map(({ deal }) => deal.id),
    ...records.flatMap((one) => (one.object === 'deal' ? [one.id] : [])),
  ];
  const all = (role: 'agent' | 'lender' | 'borrower', lenderId?: string) =>
    services.person(VIEW, ...deals.map((dealId) => ({ role, lenderId, deals: { dealId } })));
  const people: Readonly<Record<Exclude<Viewer, 'stranger'>, Person>> = {
    agent: await all('agent'),
    lender: await all('lender', anna.id),
    borrower: await all('borrower'),
    nobody: await services.person(VIEW),
    administrator: await services.administrator([]),
  };
  // Changes are told since the grants.
  await services.post([posting(long, '2025-01-31', single('1.00'))]);
  const before = await knownNow(services);
  const takenBack = mistake.postings.map((one) => ({ ...one, amount: negated(one.amount) }));
  await services.post([
    aJournal(loan.deal, mistake.type, mistake.effectiveDate, takenBack, {
      reverses: mistake.id,
      reason: 'paid into the account of another deal',
    }),
    posting(loan, '2024-10-01', shared('-20000000.00', '-10000000.00')),
    posting(loan, '2025-03-31', shared('1000000.00', '500000.00')),
  ]);
  const accruing = await services.ask<List<{ facility: { id: string }; accrual: unknown[] }>>(
    `/balances?level=facility&expand=accrual&limit=1000&include=none`,
  );
  const generated = new Set(records.flatMap(({ ...one }) => ('id' in one ? [one.id] : [])));
  const facility = accruing.data.find(
    ({ facility: { id }, accrual }) => generated.has(id) && accrual.length > 0,
  );
  const book: ShownBook = {
    ...{ deal: loan.deal.id, borrower: borrower.id, lender: anna.id, corrected: loan.facility.id },
    ...{ long: long.deal.id, negative: negative.deal.id, before, known: await knownNow(services) },
    facility: facility?.facility.id ?? '',
  };
  return { book, people };
}

async function knownNow(services: Services): Promise<string> {
  const { meta } = await services.ask<{ meta: Meta }>('/me');
  return meta.knownAt ?? '';
}

function commitment(facility: Loan['facility'], { deal }: Loan, holders: Holders) {
  const postings = (['ORIGINAL_COMMITMENT', 'UNFUNDED'] as const).flatMap((account) =>
    entry({ facility }, [account, 'MEMO'], holders),
  );
  return aJournal(deal, 'original_commitment', '2024-01-02', postings);
}

function rate(loan: Loan, day: string, allInRate: string) {
  const [startDate, component] = [businessDate(day), 'interest' as const];
  const of = { facility: loan.facility.id, contract: loan.contract.id };
  return aJournal(loan.deal, 'rate_set', day, [], {
    rates: [{ ...of, component, startDate, allInRate }],
  });
}

/** Interest through a day: due soon afterwards, and never paid. */
function bill(loan: Loan, day: string, holders: Holders) {
  const [settledThrough, component] = [businessDate(day), 'interest' as const];
  const of = { facility: loan.facility.id, contract: loan.contract.id };
  const due = { dueDate: businessDate('2024-12-20') };
  const postings = entry(loan, ['INTEREST_DUE', 'INTEREST_INCOME'], holders, due);
  return aJournal(loan.deal, 'interest_billing', day, postings, {
    settlements: [{ ...of, component, settledThrough }],
  });
}

function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}
