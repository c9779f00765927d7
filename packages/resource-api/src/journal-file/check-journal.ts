import { minorUnitDigits } from '../ledger/currency.ts';
import { AMOUNT_MAX_MINOR, formatAmount, formatMoney, parseAmount } from '../ledger/money.ts';
import { type Describe, facilityOf } from './journal-store.ts';
import { type JournalRecord, minorOf, type PostingRecord } from './record.ts';

/** One fault of a line: in which field, and what was expected. */
export interface RecordFault {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

const DUE_ACCOUNTS: readonly string[] = ['PRINCIPAL_DUE', 'INTEREST_DUE', 'FEES_DUE'];
const DUE_DATE_EXPECTED = `allowed only on ${DUE_ACCOUNTS.join(', ')}`;
const MOVEMENT_EXPECTED = 'required on principal accounts, and allowed only there';

/** What is wrong with a journal, given what its ids stand for: pure. */
export function checkJournal(journal: JournalRecord, described: Describe): readonly RecordFault[] {
  const broken = journal.postings.flatMap((posting, index) =>
    checkPosting(posting, journal, described).map(({ field, ...fault }) => ({
      ...fault,
      field: `postings.${index}.${field}`,
    })),
  );
  const faults = [...broken, ...checkFacts(journal, described), ...checkRepeated(journal)];
  if (faults.length > 0) return faults;
  return [...checkBalance(journal.postings), ...checkShares(journal.postings, described)];
}

/** Terms, rates and settlements are of the journal's own deal, and each of what it can be of. */
function checkFacts(journal: JournalRecord, described: Describe): readonly RecordFault[] {
  const otherDeal = (field: string) => fault(field, 'other_deal', 'it belongs to another deal');
  const dealOf = (id: string): string => {
    const found = described(id);
    return found?.kind === 'facility' || found?.kind === 'contract' ? found.deal : id;
  };
  const dated = (['terms', 'details'] as const).flatMap((list) =>
    (journal[list] ?? []).flatMap((one, index) => {
      // A party's name is of every deal that it takes part in.
      if ('party' in one) return [];
      const id = 'deal' in one ? one.deal : 'facility' in one ? one.facility : one.contract;
      return dealOf(id) === journal.deal ? [] : [otherDeal(`${list}.${index}`)];
    }),
  );
  const accruals = (['rates', 'settlements'] as const).flatMap((list) =>
    journal[list].flatMap(({ facility, contract, component }, index) => {
      const field = `${list}.${index}`;
      const held = contract === undefined ? undefined : described(contract);
      const inFacility = held?.kind === 'contract' && held.facility === facility;
      const ofContract = component === 'interest' || component === 'pik';
      if (dealOf(facility) !== journal.deal) return [otherDeal(field)];
      if (ofContract !== (contract !== undefined)) {
        const message = ofContract ? 'expected a contract' : 'expected no contract';
        return [fault(`${field}.contract`, 'invalid_subject', message)];
      }
      const known = contract === undefined || inFacility;
      const message = 'the facility has no such contract';
      return known ? [] : [fault(`${field}.contract`, 'unknown_reference', message)];
    }),
  );
  return [...dated, ...accruals];
}

/** A journal says once what holds from a date on. */
function checkRepeated(journal: JournalRecord): readonly RecordFault[] {
  const { terms, details = [], rates, settlements } = journal;
  const lists: Readonly<Record<string, readonly Subject[]>> = {
    terms,
    details,
    rates,
    settlements,
  };
  return Object.entries(lists).flatMap(([list, facts]) => {
    const places = new Map<string, number>();
    return facts.flatMap((fact, index) => {
      const key = SUBJECT.map((name) => fact[name] ?? '').join(' ');
      const first = places.get(key);
      places.set(key, first ?? index);
      const message = `expected one for each subject and date; ${list}.${first} has the same`;
      return first === undefined ? [] : [fault(`${list}.${index}`, 'duplicate_fact', message)];
    });
  });
}

/** What a dated fact is about. Its date is the journal's, or the start of a rate. */
const SUBJECT = ['deal', 'facility', 'contract', 'party', 'component', 'startDate'] as const;
type Subject = { readonly [name in (typeof SUBJECT)[number]]?: string | undefined };

function checkPosting(
  posting: PostingRecord,
  journal: JournalRecord,
  described: Describe,
): readonly RecordFault[] {
  const { facility: facilityId, contract, lender, account, movement, amount, currency } = posting;
  const facility = facilityOf(described, facilityId);
  if (facility === undefined) {
    return [fault('facility', 'unknown_reference', 'there is no such facility')];
  }
  const held = contract === undefined ? undefined : described(contract);
  const inFacility = held?.kind === 'contract' && held.facility === facilityId;
  const principal = account === 'PRINCIPAL_CASH' || account === 'PRINCIPAL_PIK';
  const digits = minorUnitDigits(currency) ?? 0;
  const parsed = parseAmount(amount, digits);
  const exact = (amount.split('.')[1] ?? '').length === digits;
  const most = `expected at most ${formatAmount(AMOUNT_MAX_MINOR, digits)}`;
  const faults: RecordFault[] = [];
  const expect = (holds: boolean, field: string, code: string, message: string) => {
    if (!holds) faults.push(fault(field, code, message));
  };
  const isFacilitys = facility.deal === journal.deal;
  expect(isFacilitys, 'facility', 'other_deal', 'the facility belongs to another deal');
  const inContract = contract === undefined || inFacility;
  expect(inContract, 'contract', 'unknown_reference', 'the facility has no such contract');
  const holds = lender === undefined || facility.lenders.has(lender);
  expect(holds, 'lender', 'unknown_reference', 'the lender has no position in the facility');
  const same = currency === facility.currency;
  expect(same, 'currency', 'other_currency', `expected the facility’s ${facility.currency}`);
  const digitsMessage = `expected a decimal with ${digits} digits after the point`;
  expect(exact, 'amount', 'invalid_amount', digitsMessage);
  expect(parsed !== undefined, 'amount', 'amount_too_large', most);
  expect(parsed?.amountMinor !== 0n, 'amount', 'zero_amount', 'expected an amount');
  const moves = principal === (movement !== undefined);
  expect(moves, 'movement', 'invalid_movement', MOVEMENT_EXPECTED);
  const due = posting.dueDate === undefined || DUE_ACCOUNTS.includes(account);
  expect(due, 'dueDate', 'invalid_due_date', DUE_DATE_EXPECTED);
  return faults;
}

function checkBalance(postings: readonly PostingRecord[]): readonly RecordFault[] {
  const sums = sumsBy(postings, ({ currency, lender }) => `${currency} ${lender ?? 'globally'}`);
  return gapFaults(sums, 'unbalanced', 'debits less credits are');
}

/** What lenders are posted is what is posted globally, line by line. */
function checkShares(
  postings: readonly PostingRecord[],
  described: Describe,
): readonly RecordFault[] {
  const shared = postings.filter(({ facility }) => {
    const found = facilityOf(described, facility);
    const whole = facilityOf(described, found?.sublimitOf);
    return [found, whole].some((one) => one !== undefined && one.lenders.size > 0);
  });
  const gaps = sumsBy(
    shared,
    ({ currency, facility, contract, account, movement, dueDate }) =>
      [currency, facility, contract, account, movement, dueDate].filter(Boolean).join(' '),
    ({ lender }) => (lender === undefined ? 1n : -1n),
  );
  return gapFaults(gaps, 'shares_differ', 'lenders’ amounts are off by');
}

/** @param sums by a key that begins with their currency */
function gapFaults(
  sums: ReturnType<typeof sumsBy>,
  code: string,
  words: string,
): readonly RecordFault[] {
  return sums.flatMap(([key, sum]) => {
    if (sum === 0n) return [];
    const [currency = '', ...of] = key.split(' ');
    const message = `${of.join(' ')}: ${words} ${formatMoney(sum, currency)} ${currency}`;
    return [fault('postings', code, message)];
  });
}

/** What postings with the same key come to in minor units, each with its sign. */
export function sumsBy(
  postings: readonly PostingRecord[],
  keyOf: (posting: PostingRecord) => string,
  sign: (posting: PostingRecord) => bigint = () => 1n,
): readonly (readonly [string, bigint])[] {
  const sums = new Map<string, bigint>();
  for (const posting of postings) {
    const key = keyOf(posting);
    sums.set(key, (sums.get(key) ?? 0n) + sign(posting) * minorOf(posting));
  }
  return [...sums];
}

export function fault(field: string, code: string, message: string): RecordFault {
  return { field, code, message };
}
