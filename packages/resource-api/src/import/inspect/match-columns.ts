import { minorUnitDigits } from '../../ledger/currency.ts';
import { type Field, isAmount } from '../profile/fields.ts';
import type { Dictionary, Entry } from './dictionary.ts';

export interface NameMatch {
  readonly field: Field | 'other';
  /** Exact: all words of the name, which stand for one field. Partly: anything less. */
  readonly how: 'exact' | 'partly';
  readonly entry: Entry;
}

/** Words beside those of an entry that are not counted when only a part of a name is known. */
const NEUTRAL = new Set(
  'in us percent pa p usd eur gbp chf number value total amount current'.split(' '),
);
/** Single words that say enough within a longer name to ask about. */
const TELLING = new Set(
  'balance outstanding principal borrower maturity commitment limit undrawn undisbursed unfunded currency saldo restschuld restkapital kreditnehmer darlehensnehmer waehrung faelligkeit encours emprunteur devise echeance prestatario moneda vencimiento pendiente'.split(
    ' ',
  ),
);

/** For each header, what its name stands for; undefined where no entry of the dictionary is like it. */
export function matchNames(
  headers: readonly string[],
  dictionary: Dictionary,
): readonly (NameMatch | undefined)[] {
  const words = headers.map((header) => withoutUnits(header, dictionary));
  const exact = words.map((each) => dictionary.exact.get(each.join(' ')) ?? []);
  const rank = sourcesByUse(exact);
  return headers.map((header, index) => {
    const found = exact[index] ?? [];
    const entry = byRank(found, rank) ?? reordered(words[index] ?? [], dictionary, rank);
    if (entry !== undefined) return { field: entry.field, how: 'exact', entry };
    const [ambiguous] = found;
    if (ambiguous !== undefined) return { field: ambiguous.field, how: 'partly', entry: ambiguous };
    return partly(dictionary.wordsOf(header), dictionary, rank);
  });
}

/** `Balance (EUR)` is `Balance`, unless the dictionary has the whole name. */
function withoutUnits(header: string, dictionary: Dictionary): readonly string[] {
  const words = dictionary.wordsOf(header);
  if (dictionary.exact.has(words.join(' '))) return words;
  const bare = words.filter((word) => !isUnit(word, dictionary));
  const entries = dictionary.exact.get(bare.join(' ')) ?? [];
  // `Balance %` is a share of something, and no balance.
  const isShare = words.includes('percent') && entries.some(({ field }) => isAmount(field));
  return entries.length > 0 && !isShare ? bare : words;
}

const HARMLESS = new Set('in us usd percent pa p euro euros dollars reais k t m'.split(' '));

function isUnit(word: string, { thousands, millions }: Dictionary): boolean {
  if (HARMLESS.has(word) || thousands.has(word) || millions.has(word)) return true;
  return word.length === 3 && minorUnitDigits(word.toUpperCase()) !== undefined;
}

/** Dictionary files by the number of this file's columns that they know: the language of the file. */
function sourcesByUse(matches: readonly (readonly Entry[])[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const entries of matches) {
    for (const source of new Set(entries.map((entry) => entry.source))) {
      uses.set(source, (uses.get(source) ?? 0) + 1);
    }
  }
  return uses;
}

function byRank(entries: readonly Entry[], rank: ReadonlyMap<string, number>): Entry | undefined {
  const weight = ({ source }: Entry) => rank.get(source) ?? 0;
  const [first, second] = entries.toSorted((one, other) => weight(other) - weight(one));
  if (first === undefined || second === undefined || first.field === second.field) return first;
  // The same word in two languages: the file's other columns decide, or nothing does.
  return weight(first) > weight(second) ? first : undefined;
}

/** `Date, Maturity` is `Maturity Date`. */
function reordered(
  words: readonly string[],
  { entries }: Dictionary,
  rank: ReadonlyMap<string, number>,
): Entry | undefined {
  if (words.length < 2) return undefined;
  const sorted = words.toSorted().join(' ');
  const same = entries.filter(
    (entry) => entry.words.length === words.length && entry.words.toSorted().join(' ') === sorted,
  );
  return byRank(same, rank);
}

/** The entry that has most of the name's words, at least a third of them. */
function partly(
  words: readonly string[],
  { entries }: Dictionary,
  rank: ReadonlyMap<string, number>,
): NameMatch | undefined {
  const inName = new Set(words);
  const within = entries.filter(
    ({ words: [first = '', ...others] }) =>
      inName.has(first) &&
      others.every((word) => inName.has(word)) &&
      (others.length > 0 || TELLING.has(first)),
  );
  const most = Math.max(0, ...within.map((entry) => entry.words.length));
  const rest = words.filter((word) => !NEUTRAL.has(word)).length;
  if (most === 0 || most * 3 < rest) return undefined;
  const entry = byRank(
    within.filter((candidate) => candidate.words.length === most),
    rank,
  );
  return entry === undefined ? undefined : { field: entry.field, how: 'partly', entry };
}
