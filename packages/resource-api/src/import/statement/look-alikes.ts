import { foldName } from '@cls/shared/text';
import type { Report } from './report.ts';
import type { StatedParty } from './stated-deal.ts';
import type { StatementRow } from './statement-row.ts';

/** Letters of other alphabets, and digits, that look like Latin letters. */
const LATIN: Readonly<Record<string, string>> = {
  ...{ а: 'a', е: 'e', о: 'o', р: 'p', с: 'c', х: 'x', у: 'y', і: 'l', ο: 'o', α: 'a', ν: 'v' },
  ...{ '0': 'o', '1': 'l', i: 'l', '|': 'l' },
};

/** Finds names that look alike in print and are not the same: two parties, or one that is misspelt. */
export class LookAlikes {
  readonly #seen = new Set<string>();
  readonly #byLook = new Map<string, { readonly name: string; readonly row: number }>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  /** @returns whether a name of the row looks like one before. */
  add({ row, borrower, lender, agent, guarantor }: StatementRow): boolean {
    return [borrower, lender, agent, guarantor]
      .map((party) => this.#addName(row, party))
      .includes(true);
  }

  #addName(row: number, party: StatedParty | undefined): boolean {
    if (party === undefined || this.#seen.has(party.name)) return false;
    const { name } = party;
    this.#seen.add(name);
    const look = lookOf(name);
    const first = this.#byLook.get(look);
    if (first === undefined) this.#byLook.set(look, { name, row });
    if (first === undefined || foldName(first.name) === foldName(name)) return false;
    const message = `this name looks like “${first.name}” in row ${first.row} and is another: is it one party or two?`;
    this.#report.warn(row, '', 'names_look_alike', message, name);
    return true;
  }
}

/** The same for names that are hard to tell apart: accents, points, spaces, l and I, O and 0, rn and m. */
function lookOf(name: string): string {
  return foldName(name)
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}|]/gu, '')
    .replaceAll(/./gu, (letter) => LATIN[letter] ?? letter)
    .replaceAll('rn', 'm');
}
