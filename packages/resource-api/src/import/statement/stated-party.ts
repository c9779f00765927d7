import { foldName } from '@cls/shared/text';
import { PARTY_REF } from '../../ledger/external-id.ts';
import type { ImportProfile } from '../profile/profile.ts';
import type { StatedParty } from './stated-deal.ts';

/** Before the sender's number of a borrower, by which a statement knows it in place of its name. */
export const NUMBERED = `${PARTY_REF}#`;

/** A statement knows a party by its country and its name, in the form in which names are compared. */
export function partyRef(name: string, countryCode: string): string {
  return `${PARTY_REF}${countryCode}:${foldName(name)}`;
}

export function namedParty(name: string, countryCode: string): StatedParty {
  return { ref: partyRef(name, countryCode), name, countryCode };
}

export function ownParty({ externalId, name }: ImportProfile['lender']): StatedParty {
  return { ref: externalId, name, countryCode: '' };
}

/** A lender or agent: the profile's own, or one that is known by its name. */
export function partyOf(name: string, { lender }: ImportProfile): StatedParty {
  const party = namedParty(name, '');
  const isRecord = name === lender.externalId || party.ref === partyRef(lender.name, '');
  return isRecord ? ownParty(lender) : party;
}
