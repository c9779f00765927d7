import type { BookRecord } from './record.ts';

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
      return present(
        record.deal,
        ...record.postings.flatMap(({ facility, contract, lender }) => [
          facility,
          contract,
          lender,
        ]),
        ...record.terms.map((terms) =>
          'deal' in terms ? terms.deal : 'facility' in terms ? terms.facility : terms.contract,
        ),
        ...(record.details ?? []).flatMap((one) =>
          'deal' in one
            ? present(one.deal, one.borrower, one.guarantor)
            : ['facility' in one ? one.facility : one.party],
        ),
        ...[...record.rates, ...record.settlements].flatMap(({ facility, contract }) => [
          facility,
          contract,
        ]),
      );
  }
}
