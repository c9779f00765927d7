import { fault, type RecordFault } from './check-journal.ts';
import type { Described } from './journal-store.ts';
import type { BookRecord } from './record.ts';

/** What is wrong with a sublimit, or with a lender's position in one: pure. */
export function checkSublimit(
  record: BookRecord,
  described: (id: string) => Described | undefined,
): readonly RecordFault[] {
  if (record.object === 'facility' && record.sublimitOf !== undefined) {
    const whole = described(record.sublimitOf);
    if (whole?.kind !== 'facility') {
      return [fault('sublimitOf', 'unknown_reference', 'there is no such facility')];
    }
    const rules: readonly (readonly [boolean, string, string])[] = [
      [whole.deal === record.deal, 'other_deal', 'the facility belongs to another deal'],
      [whole.currency === record.currency, 'other_currency', `expected ${whole.currency}`],
      [whole.sublimitOf === undefined, 'nested_sublimit', 'the facility is a sublimit itself'],
    ];
    return rules.flatMap(([holds, code, message]) =>
      holds ? [] : [fault('sublimitOf', code, message)],
    );
  }
  if (record.object === 'position') {
    const facility = described(record.facility);
    const of = facility?.kind === 'facility' ? facility.sublimitOf : undefined;
    const whole = of === undefined ? undefined : described(of);
    if (whole?.kind !== 'facility' || whole.lenders.has(record.lender)) return [];
    return [fault('lender', 'unknown_reference', `the lender has no position in ${of}`)];
  }
  return [];
}
