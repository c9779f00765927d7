import type { z } from 'zod';
import { type ImportProfile, profileSchema } from './profile.ts';

/** A value of a profile that the file did not decide and that somebody has to. */
interface OpenQuestion {
  /** Of the setting, such as `columns.due` or `dateFormats.0`. */
  readonly path: string;
  readonly question: string;
}

export interface ProfileFault {
  /** Such as `columns.due`; empty where the whole is wrong. */
  readonly path: string;
  readonly message: string;
}

export type CheckedProfile =
  | { readonly profile: ImportProfile }
  | { readonly questions: readonly OpenQuestion[] }
  | { readonly faults: readonly ProfileFault[] };

/** A profile from its document, or its open questions, or everything that is wrong with it. */
export function checkProfile(document: unknown): CheckedProfile {
  const questions = openQuestions(document);
  if (questions.length > 0) return { questions };
  const result = profileSchema.safeParse(document, { error: messageOf });
  if (result.success) return { profile: result.data };
  return { faults: result.error.issues.flatMap(faultsOf) };
}

/** One fault for each unknown setting, and the closest for a value that may have several shapes. */
function faultsOf(issue: z.core.$ZodIssue): readonly ProfileFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...issue.path, key].join('.'), message: UNKNOWN }));
  }
  const inner = issue.code === 'invalid_union' ? issue.errors.map(([first]) => first) : [];
  const deeper = inner.find((one) => one !== undefined && one.path.length > 0);
  if (deeper !== undefined) return faultsOf({ ...deeper, path: [...issue.path, ...deeper.path] });
  return [{ path: issue.path.join('.'), message: issue.message }];
}

const UNKNOWN = 'there is no such setting; check how it is spelled and where it belongs';

/** Sentences for what the schema itself leaves to the library. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  const given = shown(issue.input);
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) {
        return `this setting is missing: expected ${NOUNS[issue.expected] ?? issue.expected}`;
      }
      return `expected ${NOUNS[issue.expected] ?? issue.expected}, and not ${given}${quotesFor(issue)}`;
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}, and not ${given}`;
    case 'invalid_key':
      return UNKNOWN;
    case 'too_small':
      return issue.origin === 'array'
        ? 'expected at least one entry in the list'
        : `expected ${issue.minimum} or more, and not ${given}`;
    case 'too_big':
      return issue.origin === 'array'
        ? undefined
        : `expected at most ${issue.maximum}, and not ${given}`;
    case 'invalid_union':
      return unionMessage(issue, given);
    default:
      return undefined;
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list, such as [Balance, Amount]',
  tuple: 'a list',
  object: 'settings, each in a line of its own',
  record: 'pairs, each in a line of its own',
};

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'settings within settings';
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 60))}`;
  return typeof value === 'boolean' ? `${value}` : `the number ${value}`;
}

/** YAML reads 0012 as 12 and true as a truth: only quotation marks keep a text. */
function quotesFor({ expected, input }: { readonly expected: string; readonly input?: unknown }) {
  const bare = typeof input === 'number' || typeof input === 'boolean';
  return expected === 'string' && bare ? '; put it in quotation marks' : '';
}

function unionMessage(
  issue: z.core.$ZodRawIssue & { code: 'invalid_union' },
  given: string,
): string {
  const expected = issue.errors.flatMap(([first]) => {
    const told = /^expected (.*?)(?:, and not .*)?$/.exec(first?.message ?? '')?.[1];
    return told === undefined ? [] : [told];
  });
  return `expected ${[...new Set(expected)].join(' or ')}, and not ${given}`;
}

/** `? DD/MM/YYYY or MM/DD/YYYY`. A `?` alone is what some senders write for nothing. */
const OPEN = /^\s*\?\s*(?=[^\s?])/;

/** Every text in a profile's document that begins with `?`, in the order of the document. */
function openQuestions(document: unknown): readonly OpenQuestion[] {
  return [...questionsIn(document, [])];
}

function* questionsIn(value: unknown, path: readonly string[]): Generator<OpenQuestion> {
  if (typeof value === 'string') {
    if (OPEN.test(value)) yield { path: path.join('.'), question: value.replace(OPEN, '') };
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* questionsIn(inner, [...path, key]);
  }
}
