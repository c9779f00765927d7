import { newId } from '@cls/shared/new-id';
import { valuesOf } from '@cls/shared/sql/array-literal';
import type { Transaction } from '@cls/shared/sql/database';
import { foldName } from '@cls/shared/text';
import type { DetailsRecord } from '../../journal-file/record.ts';
import { PARTY_REF } from '../../ledger/external-id.ts';
import type { PlannedLoan, StatementFile } from '../book.ts';
import { detailsOf, foldRef, type LoanParty, partyRef, type TermsPlan } from '../plan.ts';

interface Named {
  readonly name: string;
  readonly country: string | null;
}

/**
 * Ids of the parties that an import writes, by what statements call them. A name that no statement
 * had before is that of a party which was renamed so, or of a new one.
 */
export async function statementParties(
  transaction: Transaction,
  { profile: { source, lender, participants }, asOf }: StatementFile,
  loans: readonly PlannedLoan[],
): Promise<ReadonlyMap<string, string>> {
  const parties = new Map<string, Named>([
    [lender.externalId, { name: lender.name, country: null }],
    [participants.externalId, { name: participants.name, country: null }],
  ]);
  const add = (party: LoanParty | undefined) => {
    if (party === undefined || 'id' in party) return;
    const country = party.countryCode === '' ? null : party.countryCode;
    parties.set(partyRef(party), { name: party.name, country });
  };
  for (const { row, booked, journals } of loans) {
    const details = booked
      ? journals.flatMap(({ details: changed }) => changed ?? [])
      : [detailsOf(row, undefined)];
    for (const { borrower, guarantor } of details) {
      add(borrower);
      add(guarantor);
    }
  }
  const known = await transaction.query<{ ref: string; id: string }>(
    `SELECT value AS ref, entity_id AS id FROM external_id
     WHERE source = $1 AND (value = ANY($2) OR value LIKE $3) ORDER BY entity_id DESC`,
    [source, [lender.externalId, participants.externalId], `${PARTY_REF}%`],
  );
  // Of several that former releases took for different parties, the oldest one.
  const ids = new Map(known.map(({ ref, id }) => [foldRef(ref), id]));
  const unknown = [...parties].filter(([ref]) => !ids.has(ref));
  const renamed = await transaction.query<Named & { id: string }>(
    `SELECT y.id, y.country, party_name(y.key, $1) AS name FROM party y
     WHERE EXISTS (SELECT FROM party_details t WHERE t.party_key = y.key) ORDER BY y.id`,
    [asOf],
  );
  for (const [ref, { name, country }] of unknown) {
    const same = renamed.find(
      (one) => one.country === country && foldName(one.name) === foldName(name),
    );
    if (same !== undefined) ids.set(ref, same.id);
  }
  const fresh = unknown
    .filter(([ref]) => !ids.has(ref))
    .map(([ref, named]) => ({ ref, ...named, id: newId('pty') }));
  for (const { ref, id } of fresh) ids.set(ref, id);
  await transaction.query(
    `WITH given AS (
       SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[])
         AS g(ref, name, country, id)
     ), made AS (
       INSERT INTO party (id, name, country) SELECT id, name, country FROM given
     )
     INSERT INTO external_id (source, value, entity_id) SELECT $1, ref, id FROM given`,
    [source, ...valuesOf(fresh, 'ref', 'name', 'country', 'id')],
  );
  return ids;
}

/** @param parties as `statementParties` answers */
export function partyIdOf(party: LoanParty, parties: ReadonlyMap<string, string>): string {
  return 'id' in party ? party.id : (parties.get(partyRef(party)) ?? '');
}

/** The names of a loan as a journal has them: of its deal and of its facility. */
export function detailRecords(
  { ids, name, facilityName, borrower, guarantor, country }: NonNullable<TermsPlan['details']>,
  parties: ReadonlyMap<string, string>,
): DetailsRecord[] {
  return [
    {
      deal: ids.deal,
      name,
      borrower: partyIdOf(borrower, parties),
      ...(guarantor === undefined ? {} : { guarantor: partyIdOf(guarantor, parties) }),
      country,
    },
    { facility: ids.facility, name: facilityName },
  ];
}
