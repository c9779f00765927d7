import { newId } from '@cls/shared/new-id';
import type { PartyRecord } from '../../journal-file/record.ts';
import { partyRef } from '../statement/stated-party.ts';
import type { KnownParties } from './known-deal.ts';
import type { DealParty } from './plan-terms.ts';

export class PartyDirectory {
  readonly #source: string;
  readonly #ids: Map<string, string>;
  readonly #renamed: ReadonlyMap<string, string>;
  #fresh: PartyRecord[] = [];

  constructor(source: string, { byRef, renamed }: KnownParties) {
    this.#source = source;
    this.#ids = new Map(byRef);
    // The first of several.
    this.#renamed = new Map(
      [...renamed].reverse().map(({ id, country, name }) => [partyRef(name, country ?? ''), id]),
    );
  }

  /**
   * The id of a party. A name that no statement had before is that of a party which was renamed so,
   * or of a new one. A number that no statement had before is that of a new party, whatever its name.
   */
  idOf(party: DealParty): string {
    if ('id' in party) return party.id;
    const { ref, name, countryCode } = party;
    const known = this.#ids.get(ref);
    if (known !== undefined) return known;
    const renamed = this.#renamed.get(ref);
    const id = renamed ?? newId('pty');
    this.#ids.set(ref, id);
    const externalIds = [{ source: this.#source, value: ref }];
    if (renamed === undefined) {
      const country = countryCode === '' ? {} : { country: countryCode };
      this.#fresh.push({ object: 'party', id, name, ...country, externalIds });
    }
    return id;
  }

  /** Records of parties that were new since the last call. */
  takeFresh(): readonly PartyRecord[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
