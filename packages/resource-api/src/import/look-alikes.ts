/** Names that differ and yet look alike. Pure. */
import { kept } from './cells/text.ts';
import type { KnownParties } from './plan/known-deal.ts';
import type { StatedParty } from './statement/stated-deal.ts';
import { NUMBERED } from './statement/stated-party.ts';

/** Names that are remembered; what comes after them is not compared. */
const NAMES_KEPT = 100_000;
/** Of names that all look alike; what comes after them is not compared. */
const ALIKE_KEPT = 20;

interface Name {
  readonly ref: string;
  readonly name: string;
  readonly place: string;
  readonly form: string;
}

export interface LookAlike {
  readonly name: string;
  readonly place: string;
  readonly other: string;
  readonly otherPlace: string;
}

/**
 * Finds parties of one country whose names may mean the same party. They differ only in accents,
 * punctuation, spaces, letters that look the same in print, or the legal form: how it is written, or
 * whether it is there. Parties that the sender numbers are known by their numbers.
 */
export class LookAlikes {
  readonly #refs = new Set<string>();
  readonly #names = new Map<string, Name[]>();

  /** The names that were there before and look alike. @param file such as ` of the shares`. */
  add(party: StatedParty, row: number, file = ''): readonly LookAlike[] {
    const { ref, name } = party;
    if (ref.startsWith(NUMBERED) || this.#refs.has(ref)) return [];
    if (this.#refs.size >= NAMES_KEPT) return [];
    this.#refs.add(ref);
    const { key, form } = partsOf(party);
    if (key === undefined) return [];
    const names = this.#names.get(key) ?? [];
    if (names.length >= ALIKE_KEPT) return [];
    const added = { ref, name: kept(name), place: `row ${row}${file}`, form };
    this.#names.set(key, [...names, added]);
    return names
      .filter((one) => fits(one.form, form))
      .map((one) => pairOf(added, one.name, one.place));
  }

  inBook({ byRef, named }: KnownParties): readonly LookAlike[] {
    return named.flatMap((party) => {
      if (party.ref.startsWith(NUMBERED) || this.#refs.has(party.ref)) return [];
      const { key, form } = partsOf(party);
      const names = key === undefined ? [] : (this.#names.get(key) ?? []);
      return names
        .filter((one) => fits(one.form, form) && byRef.get(one.ref) !== byRef.get(party.ref))
        .map((one) => pairOf(one, party.name, 'the book'));
    });
  }
}

function pairOf({ name, place }: Name, other: string, otherPlace: string): LookAlike {
  return { name, place, other, otherPlace };
}

function fits(form: string, other: string): boolean {
  return form === other || form === '' || other === '';
}

/** What is compared of a name: all without accents, punctuation and legal form; and the legal form. */
function partsOf({ name, countryCode }: StatedParty) {
  const words = wordsOf(name);
  let first = words.length;
  while (first > 0 && FORM_WORDS.has(words[first - 1] ?? '')) first -= 1;
  const form = words
    .slice(first)
    .map((word) => FORM_WORDS.get(word))
    .join('');
  const stem = words
    .slice(0, first)
    .join('')
    .replaceAll(/./gu, (letter) => LATIN[letter] ?? letter)
    .replaceAll('rn', 'm');
  return { key: stem === '' ? undefined : `${countryCode}:${stem}`, form };
}

function wordsOf(name: string): readonly string[] {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Cf}.'’`´]/gu, '')
    .replaceAll(/[ßæœøłđ]/g, (letter) => LETTERS[letter] ?? letter)
    .replaceAll(/([aou])e/g, '$1')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .replaceAll(/(?<=(?:^| )\p{L}) (?=\p{L}(?: |$))/gu, '')
    .trim()
    .split(' ')
    .filter((word) => !AND.has(word));
}

/** Letters of other alphabets, and digits, that look like Latin letters: l and I, O and 0. */
const LATIN: Readonly<Record<string, string>> = {
  ...{ а: 'a', е: 'e', о: 'o', р: 'p', с: 'c', х: 'x', у: 'y', і: 'l', ο: 'o', α: 'a', ν: 'v' },
  ...{ '0': 'o', '1': 'l', i: 'l', '|': 'l' },
};

/** Letters that Unicode does not take apart. An umlaut may also be written with an e. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'a',
  œ: 'o',
  ø: 'o',
  ł: 'l',
  đ: 'd',
};

const AND = new Set(['', 'and', 'und', 'et', 'y']);

/** Words of legal forms at the end of a name, without points, as one of their forms. */
const FORMS: Readonly<Record<string, string>> = {
  limited: 'ltd',
  incorporated: 'inc',
  corporation: 'corp',
  company: 'co',
  cie: 'co',
  proprietary: 'pty',
  private: 'pte',
  aktiengesellschaft: 'ag',
  kommanditgesellschaft: 'kg',
  aktiebolag: 'ab',
  aksjeselskap: 'as',
};
const ABBREVIATED =
  'ltd plc llc inc corp co lp llp pty pte gmbh ug ag kg kgaa ohg gbr ev eg se sa sas sarl sl slu srl spa ' +
  'bv nv ab as aps oy oyj sro kft zrt';
const FORM_WORDS: ReadonlyMap<string, string> = new Map([
  ...ABBREVIATED.split(' ').map((word) => [word, word] as const),
  ...Object.entries(FORMS),
]);
