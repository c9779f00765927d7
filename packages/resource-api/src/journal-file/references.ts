import type { BookRecord } from './record.ts';

/** Fields of records, and of what lists in them have, that name a subject. */
const NAMING = [
  ...['deal', 'borrower', 'agent', 'guarantor', 'facility', 'contract', 'party', 'lender'],
  ...['sublimitOf', 'rolledFrom', 'parent'],
];

/** Ids of the subjects that a record names, each once, besides its own and besides journals. */
export function referencesOf(record: BookRecord): readonly string[] {
  const ids = new Set<string>();
  const add = (one: object) => {
    for (const name of NAMING) {
      const id = (one as Readonly<Record<string, string | undefined>>)[name];
      if (id !== undefined) ids.add(id);
    }
  };
  add(record);
  if (record.object === 'journal') {
    const { postings, terms, details = [], rates, settlements } = record;
    for (const list of [postings, terms, details, rates, settlements]) list.forEach(add);
  }
  return [...ids];
}
