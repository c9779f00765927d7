import type { FaultCode } from '@cls/shared/http/problem-codes';
import { isStorable } from '@cls/shared/text';
import type { JsonSchema } from './openapi.ts';

/** A query parameter, written once: requests are validated by it, and contracts made from it. */
export interface ParameterRule {
  /** Of one value. */
  readonly schema: JsonSchema;
  /** Several values, repeated or separated by commas. */
  readonly many?: true;
  /** For callers, in the contract. */
  readonly description: string;
  /** For callers, in a refusal: "expected …". */
  readonly expected: string;
  /** What a refusal of this value adds to `expected`. */
  hint?(value: string): string;
  /** Of a refusal; otherwise `invalid_parameter`. */
  readonly code?: FaultCode;
  /** What the schema alone cannot say. */
  accepts?(value: string): boolean;
}

/**
 * The forms of text that a contract names. A pattern beside such a name makes generated clients
 * match their date object against it. Offsets without a colon are what Python's `%z` writes, and
 * nine decimals what Go and Java write.
 */
const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})$/,
};

const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;

/** Whether one value, as text, is what the rule's schema and `accepts` take. */
export function isAccepted({ schema, accepts }: ParameterRule, value: string): boolean {
  return matches(schema, value) && (accepts?.(value) ?? true);
}

function matches(schema: JsonSchema, value: string): boolean {
  const { type, enum: values, pattern, format, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (type === 'boolean') return value === 'true' || value === 'false';
  if (type === 'integer') {
    const { minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE } = schema;
    return INTEGER.test(value) && Number(value) >= minimum && Number(value) <= maximum;
  }
  if (values !== undefined && !values.includes(value)) return false;
  // The length first: a pattern is never tried on a text of any length.
  if (value.length > maxLength || !isStorable(value)) return false;
  // Bytes that are no UTF-8 become U+FFFD when a query is decoded: it is not what was sent.
  if (value.includes('\ufffd')) return false;
  if (format !== undefined && FORMATS[format]?.test(value) === false) return false;
  return pattern === undefined || patternOf(pattern).test(value);
}

const compiled = new Map<string, RegExp>();

/** Patterns are of rules alone, so there are few. */
function patternOf(pattern: string): RegExp {
  const known = compiled.get(pattern) ?? new RegExp(pattern, 'u');
  compiled.set(pattern, known);
  return known;
}
