import type { BookRecord, JournalRecord } from './record.ts';

/** Ids of the subjects that a record names, besides its own and besides journals. */
export function referencesOf(record: BookRecord): readonly string[] {
  const present = (...ids: readonly (string | undefined)[]) => ids.filter((id) => id !== undefined);
  switch (record.object) {
    case 'party':
    case 'fx_rate':
      return [];
    case 'deal':
      return present(record.borrower, record.agent, record.guarantor);
    case 'facility':
      return present(record.deal, record.sublimitOf);
    case 'contract':
      return present(record.facility, record.rolledFrom);
    case 'position':
      return present(record.facility, record.lender, record.parent);
    case 'journal':
      return [...referencesOfJournal(record)];
  }
}

/** Each once: postings of a journal name the same few. */
function referencesOfJournal(record: JournalRecord): ReadonlySet<string> {
  const ids = new Set([record.deal]);
  const add = (id: string | undefined) => {
    if (id !== undefined) ids.add(id);
  };
  for (const { facility, contract, lender } of record.postings) {
    add(facility);
    add(contract);
    add(lender);
  }
  for (const terms of record.terms) {
    add('deal' in terms ? terms.deal : 'facility' in terms ? terms.facility : terms.contract);
  }
  for (const one of record.details ?? []) {
    if ('deal' in one) [one.deal, one.borrower, one.guarantor].forEach(add);
    else add('facility' in one ? one.facility : one.party);
  }
  for (const { facility, contract } of [...record.rates, ...record.settlements]) {
    add(facility);
    add(contract);
  }
  return ids;
}
