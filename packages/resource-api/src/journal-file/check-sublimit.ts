import { fault, type RecordFault } from './check-journal.ts';
import { type Describe, facilityOf } from './journal-store.ts';
import type { BookRecord } from './record.ts';

/** What is wrong with a sublimit, or with a lender's position in one: pure. */
export function checkSublimit(record: BookRecord, described: Describe): readonly RecordFault[] {
  if (record.object === 'facility' && record.sublimitOf !== undefined) {
    const whole = facilityOf(described, record.sublimitOf);
    if (whole === undefined) {
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
    const of = facilityOf(described, record.facility)?.sublimitOf;
    const whole = facilityOf(described, of);
    if (whole === undefined || whole.lenders.has(record.lender)) return [];
    return [fault('lender', 'unknown_reference', `the lender has no position in ${of}`)];
  }
  return [];
}
