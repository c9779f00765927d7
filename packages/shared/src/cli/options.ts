import { z } from 'zod';
import { UsageError } from './command-line.ts';

/**
 * What a command was given, as its schema reads it.
 *
 * @param given options as commander names them (`dueDays` for `--due-days`), or one argument.
 * @throws {UsageError} with a line for each fault: the option and what was expected. A fault of
 *   several options together, or of an argument, is its message alone.
 */
export function readOptions<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  const lines = error.issues.map(({ path: [option], message }) =>
    option === undefined ? message : `${flagOf(String(option))}: ${message}`,
  );
  throw new UsageError([...new Set(lines)].join('\n'));
}

function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Digits that are a number from `min` to `max`. */
export function wholeNumber(
  min: number,
  max: number,
  expected = `expected a whole number from ${min} to ${max}`,
) {
  const digits = new RegExp(`^\\d{1,${`${max}`.length}}$`);
  return z
    .string()
    .regex(digits, expected)
    .transform(Number)
    .refine((number) => number >= min && number <= max, expected);
}

/** Text that `read` understands: it answers undefined for any other. */
export function text<T>(read: (given: string) => T | undefined, expected: string) {
  return z.string().transform((given, context) => {
    const value = read(given);
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', message: expected, input: given });
    return z.NEVER;
  });
}
