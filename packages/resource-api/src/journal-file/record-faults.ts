/** What is wrong with the shape of a record, in words. */
import type { z } from 'zod';

/** What a message begins with where the field is not there. */
export function missing(input: unknown): string {
  return input === undefined ? 'this field is missing: ' : '';
}

const NOUNS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const KEYS_TOLD = 5;
const KEY_TOLD_CHARS = 60;

/** Sentences for what the schema leaves to the library. */
export function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `${missing(issue.input)}expected ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `${missing(issue.input)}expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'unrecognized_keys': {
      const keys = issue.keys.slice(0, KEYS_TOLD).map((key) => key.slice(0, KEY_TOLD_CHARS));
      const more = issue.keys.length - keys.length;
      return `there is no such field: ${keys.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
    }
    case 'too_small':
      return `expected at least ${issue.minimum}${issue.origin === 'array' ? ' entry' : ''}`;
    case 'too_big':
      return `expected at most ${issue.maximum}${issue.origin === 'array' ? ' entries' : ''}`;
    default:
      return undefined;
  }
}

/** Of an object that may have several shapes, what is wrong with the closest one. */
export function issuesOf(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [closest] = [...issue.errors].sort((one, other) => one.length - other.length);
  if (closest === undefined) return [issue];
  return closest.flatMap((one) => issuesOf({ ...one, path: [...issue.path, ...one.path] }));
}
