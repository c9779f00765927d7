import type { Random } from '@cls/book-generator/random';
import type { BookRecord, JournalRecord } from '../../src/journal-file/record.ts';
import { reversalOf } from './any-order.ts';
import { date } from './book.ts';
import { aJournal } from './records.ts';

const FACTS = 60;

type Of<T extends BookRecord['object']> = Extract<BookRecord, { object: T }>;

/** Names, borrowers, statuses and dates that change, also back, and journals with them that are taken back. */
export function datedFacts(
  records: readonly BookRecord[],
  random: Random,
): readonly JournalRecord[] {
  const all = <T extends BookRecord['object']>(object: T) => {
    const [first, ...rest] = records.filter((one): one is Of<T> => one.object === object);
    if (first === undefined) throw new Error(`the book has no ${object}`);
    return [first, ...rest] as const;
  };
  const [deals, facilities, contracts] = [all('deal'), all('facility'), all('contract')];
  const dealOf = (facility: string) => ({
    id: facilities.find(({ id }) => id === facility)?.deal ?? '',
  });
  const day = () => random.pick(['2023-02-01', '2023-08-15', '2024-03-31', '2024-12-31']);
  const name = () => random.pick(['Alpha', 'Zeta', 'Ärger', 'middle']);
  const status = () => random.pick(['pending', 'active'] as const);
  const maturity = () => {
    const until = random.pick([undefined, '2024-01-31', '2026-06-30', '2031-12-31']);
    return until === undefined ? {} : { maturityDate: date(until) };
  };
  const aFact = (): JournalRecord => {
    const [deal, facility, contract] = [
      random.pick(deals),
      random.pick(facilities),
      random.pick(contracts),
    ];
    const post = (of: { id: string }, facts: Partial<JournalRecord>) =>
      aJournal(of as never, 'terms', day(), [], facts);
    return random.pick([
      () => post(dealOf(facility.id), { details: [{ facility: facility.id, name: name() }] }),
      () => post(deal, { details: [{ party: deal.borrower, name: name() }] }),
      () =>
        post(deal, {
          details: [
            { deal: deal.id, name: name(), borrower: random.pick(deals).borrower, country: 'FR' },
          ],
        }),
      () =>
        post(dealOf(facility.id), {
          terms: [{ facility: facility.id, status: status(), ...maturity() }],
        }),
      () =>
        post(dealOf(contract.facility), {
          terms: [{ contract: contract.id, status: status(), ...maturity() }],
        }),
    ])();
  };
  return Array.from({ length: FACTS }, aFact).flatMap((fact) =>
    random.chance(0.2) ? [fact, { ...reversalOf(fact), terms: [], details: [] }] : [fact],
  );
}
