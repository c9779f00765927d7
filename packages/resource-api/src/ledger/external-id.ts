/**
 * What a record is called elsewhere: a source, and an id that is unique in it. These are regular
 * expressions as contracts have them; ids that were kept by these rules can be asked for.
 */
export const EXTERNAL_SOURCE = '[^:,]{1,64}';
export const EXTERNAL_VALUE = '[^,]{1,128}';

/** Before the names by which statements know parties, which callers do not ask for. */
export const PARTY_REF = 'party:';

const SHAPE = new RegExp(`^${EXTERNAL_VALUE}$`, 'u');

export function isExternalValue(value: string): boolean {
  return value.startsWith(PARTY_REF) || SHAPE.test(value);
}

export const EXTERNAL_VALUE_EXPECTED = 'expected at most 128 characters, without commas';
