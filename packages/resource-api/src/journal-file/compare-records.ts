import type { IdentifiedRecord } from './record.ts';

/** Lists whose order says nothing. */
const UNORDERED: readonly string[] = ['externalIds', 'terms', 'details', 'rates', 'settlements'];

/** The first field in which two records of one id differ, if any. */
export function differingField(one: IdentifiedRecord, other: IdentifiedRecord): string | undefined {
  const [a, b] = [fieldsOf(one), fieldsOf(other)];
  return [...new Set([...a.keys(), ...b.keys()])].find((field) => a.get(field) !== b.get(field));
}

function fieldsOf(record: IdentifiedRecord): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(record).map(([field, value]) => {
      if (!Array.isArray(value)) return [field, canonical(value)];
      const items = value.map(canonical);
      return [field, (UNORDERED.includes(field) ? items.sort() : items).join()];
    }),
  );
}

/** The same text for the same values, in whatever order their fields stand. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${name}:${canonical(inner)}`);
  return `{${fields.sort().join()}}`;
}
