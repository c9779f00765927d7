/** The market's words for columns, statuses and types of loans: data, which `dictionary/*.json` has. */
import { groupBy } from '@cls/shared/group-by';
import { z } from 'zod';
import { FACILITY_TYPES, type FacilityType } from '../../ledger/facility-type.ts';
import { FIELDS, type Field, isAmount } from '../profile/fields.ts';

const names = z.array(z.string());

/** One file of the dictionary: a language, or a kind of tape. */
export const dictionarySchema = z.strictObject({
  title: z.string(),
  columns: z.partialRecord(z.enum(FIELDS), names).default({}),
  /** Columns that are known, and that no profile reads. */
  others: names.default([]),
  facilityTypes: z.partialRecord(z.enum(FACILITY_TYPES), names).default({}),
  /** Per status of deal, facility and contract, such as `matured matured repaid`. */
  statuses: z.record(z.string(), names).default({}),
  totals: names.default([]),
  /** How a header says that amounts are in thousands, or in millions. */
  thousands: names.default([]),
  millions: names.default([]),
  abbreviations: z.record(z.string(), z.string()).default({}),
  layouts: z
    .array(
      z.strictObject({
        title: z.string(),
        delimiter: z.string(),
        headers: z.string(),
        separatedBy: z.string(),
        /** How many columns such a file may have. */
        columns: z.array(z.number()),
        idColumn: z.number().default(2),
      }),
    )
    .default([]),
});
type DictionaryFile = z.output<typeof dictionarySchema>;
export type Layout = DictionaryFile['layouts'][number];
/** Of deal, facility and contract. */
export type Statuses = readonly [string, string, string];

export interface Entry {
  /** `other`: a column that no profile reads. */
  readonly field: Field | 'other';
  readonly name: string;
  readonly source: string;
  readonly words: readonly string[];
}

export type Dictionary = Readonly<ReturnType<typeof dictionaryOf>>;

export function dictionaryOf(files: readonly DictionaryFile[]) {
  const abbreviations = new Map(files.flatMap((file) => Object.entries(file.abbreviations)));
  const wordsOf = (text: string) =>
    foldedWords(text).map((word) => abbreviations.get(word) ?? word);
  const key = (text: string) => wordsOf(text).join(' ');
  const entries = files.flatMap(({ title, columns, others }) =>
    Object.entries({ ...columns, other: others }).flatMap(([field, listed]) =>
      listed.map((name) => {
        return { field: field as Entry['field'], name, source: title, words: wordsOf(name) };
      }),
    ),
  );
  const keyed = <T>(pick: (file: DictionaryFile) => Partial<Record<string, readonly string[]>>) =>
    files.flatMap((file) =>
      Object.entries(pick(file)).flatMap(([value, listed = []]) =>
        listed.map((name) => [key(name), value as T] as const),
      ),
    );
  const listOf = (pick: (file: DictionaryFile) => readonly string[]) =>
    new Set(files.flatMap(pick).map((name) => plain(name)));
  return {
    entries,
    /** By the words of a header, joined by spaces. */
    exact: grouped(entries),
    facilityTypes: new Map(keyed<FacilityType>((file) => file.facilityTypes)),
    statuses: new Map(
      keyed<string>((file) => file.statuses).map(([name, triple]) => {
        return [name, triple.split(' ') as unknown as Statuses] as const;
      }),
    ),
    totals: listOf((file) => file.totals),
    /** Their first words: most rows begin with none. */
    totalsStarts: listOf((file) => file.totals.map((name) => name.split(' ', 1)[0] ?? '')),
    thousands: listOf((file) => file.thousands),
    millions: listOf((file) => file.millions),
    layouts: files.flatMap((file) => file.layouts),
    wordsOf,
  };
}

function grouped(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const map = groupBy(entries, ({ words }) => words.join(' '));
  // `Current Balance Amount` is `Current Balance`; an amount of interest is no rate.
  for (const [key, same] of [...map]) {
    const areAmounts = same.every(({ field }) => isAmount(field));
    if (areAmounts && !key.includes('amount') && !map.has(`${key} amount`))
      map.set(`${key} amount`, same);
  }
  return map;
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

/** In lower case, without accents; umlauts as two letters. */
export function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => UMLAUTS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .trim();
}

/** Words that do not tell columns apart. */
const FILLERS = new Set(
  'of the a an de del la le les el du des der die das dem den d l im zum zur y et and und'.split(
    ' ',
  ),
);

/** The words of a name: `CurrBal_Amt (US$)` has curr, bal, amt, us. */
function foldedWords(text: string): readonly string[] {
  const words = text
    .normalize('NFC')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/n[°º]|№|#/giu, ' number ')
    .replace(/%/g, ' percent ')
    .replace(/\bo\/s\b/gi, ' outstanding ')
    .replace(/['’]s\b/g, 's');
  const all = plain(words)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const telling = all.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : all;
}
