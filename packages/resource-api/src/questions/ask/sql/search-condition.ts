import type { Level } from '../balance-store.ts';
import { BY_LOOKUP, dealDetail, facilityName, hasRecord, partyName } from './balance-levels.ts';

/** Beyond every word that begins with another. */
export const BEYOND = 'chr(1114111)';

/** The words of a search, once for a statement. */
export function searchedWords(search: string): string {
  return `(SELECT searched_words(${search}))`;
}

/** Which facilities and contracts of deal `d` are of an item, or of a posting's line `l`. */
type Scope = Level | 'line';

/** Whether a word `s` of a facility is one of the item's, as of the snapshot. */
function ofFacility(scope: Scope): string {
  const named = (alias: string) => `(s.is_external OR ${begins(facilityName(alias))})`;
  if (scope === 'line') {
    return `EXISTS (SELECT FROM facility g
      WHERE g.key = s.facility_key AND g.key = l.facility_key AND ${named('g')} ${BY_LOOKUP})`;
  }
  if (scope !== 'deal') return `s.facility_key = f.key AND ${named('f')}`;
  return `EXISTS (SELECT FROM facility g WHERE g.key = s.facility_key
    AND g.currency = f.currency AND ${hasRecord('facility', 'g')} AND ${named('g')} ${BY_LOOKUP})`;
}

/** Contracts are found by what they are called elsewhere. */
function ofContract(scope: Scope): string {
  if (scope === 'line') return 's.contract_key = l.contract_key';
  if (scope === 'contract') return 's.contract_key = i.key';
  const within = scope === 'deal' ? 'c.currency = f.currency' : 'c.facility_key = f.key';
  return `EXISTS (SELECT FROM loan_contract c WHERE c.key = s.contract_key AND ${within}
    AND ${hasRecord('contract', 'c')} ${BY_LOOKUP})`;
}

/** Whether a name has a word that begins with `w.word`. */
function begins(name: string): string {
  return `strpos(' ' || folded(${name}), ' ' || w.word) > 0`;
}

/**
 * Whether each word of a search begins a word of what names an item: its deal, borrower and facility,
 * as of the snapshot, and what these and its contracts are called elsewhere. Words that were ever stored
 * are looked up first, so few names are taken apart.
 */
export function isFound(scope: Scope, search: string): string {
  const range = `s.word >= w.word AND s.word < w.word || ${BEYOND}`;
  const ofDeal = `(s.is_external OR ${begins(`${dealDetail('name')} || ' ' || d.deal_number`)})`;
  return `(SELECT bool_and(
      EXISTS (SELECT FROM deal_word s WHERE s.deal_key = d.key AND ${range} AND CASE
        WHEN s.facility_key = 0 THEN ${ofDeal}
        WHEN s.contract_key = 0 THEN ${ofFacility(scope)}
        ELSE ${ofContract(scope)} END ${BY_LOOKUP})
      OR EXISTS (SELECT FROM (SELECT ${dealDetail('borrower_key')} AS key ${BY_LOOKUP}) k
        CROSS JOIN LATERAL (SELECT * FROM party_word s
          WHERE s.party_key = k.key AND ${range} ${BY_LOOKUP}) s
        WHERE s.is_external OR ${begins(`(SELECT ${partyName('y')} FROM party y WHERE y.key = k.key)`)}))
    FROM unnest(${searchedWords(search)}) AS w (word)) IS TRUE`;
}
