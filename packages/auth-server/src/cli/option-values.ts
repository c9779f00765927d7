/** Values of options and arguments that several commands take, for `readOptions`. */

import { readFileSync } from 'node:fs';
import type { PersonPermission } from '@cls/shared/access-token';
import { CommandRefused } from '@cls/shared/cli/command-line';
import { text } from '@cls/shared/cli/options';
import { asName, NAME_MAX_CHARS } from '@cls/shared/display-name';
import { z } from 'zod';
import { ACCOUNT_ID, canonicalEmail, EMAIL } from '../accounts/account.ts';
import { asPersonName } from '../accounts/display-name.ts';
import { EMAIL_EXPECTED, emailProblem } from '../organisations/email-address.ts';

const A_NAME = `expected 1 to ${NAME_MAX_CHARS} characters, without line breaks and without marks that turn the direction of text`;
const A_PERSON_NAME = `${A_NAME}, and without a web address`;

/** What people see a thing called, on pages and in messages. */
export const NAME_VALUE = text(asName, A_NAME);

const PERSON_NAME = text(asPersonName, A_PERSON_NAME);

/** A person's; `false`, for `--no-name`, becomes undefined. */
export const NAME_OR_NONE = z
  .union([z.literal(false), PERSON_NAME], {
    error: ({ input }) => (input === undefined ? 'give --name <name> or --no-name' : A_PERSON_NAME),
  })
  .transform((name) => name || undefined);

/** Of a new account, canonical. */
export const EMAIL_ARGUMENT = z
  .string()
  .refine((given) => emailProblem(given) === undefined, {
    error: ({ input }) => emailProblem(String(input)) ?? EMAIL_EXPECTED,
  })
  .transform(canonicalEmail);

/** Whoever an address or an id is about, also where there is no such account. */
export const EMAIL_OR_ID_ARGUMENT = z
  .string()
  .refine(
    (given) => ACCOUNT_ID.test(given) || EMAIL.test(canonicalEmail(given)),
    `${EMAIL_EXPECTED}, or the id of an account: acc_ and 26 characters`,
  );

const UNIT_S = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Seconds, of text such as `7d`. */
export function durationS(given: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(given) ?? [];
  return number === undefined ? undefined : Number(number) * UNIT_S[unit as keyof typeof UNIT_S];
}

/** Of a file that an option names. @throws {CommandRefused} */
export function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CommandRefused(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Some of the names that there are, each once. */
export function someOf<N extends string>(known: readonly N[]) {
  const isKnown = (name: string): name is N => known.some((one) => one === name);
  return z.array(z.string()).transform((names, context) => {
    const unknown = names.filter((name) => !isKnown(name));
    if (unknown.length > 0) {
      const message = `unknown: ${unknown.join(', ')}; there are ${known.join(', ')}`;
      context.issues.push({ code: 'custom', message, input: names });
    }
    return [...new Set(names)].filter(isKnown);
  });
}

/** Of a person, for applications that ask for `profile`. */
export const NAME = ['--name <name>', 'what applications call the person'] as const;

/** A new person's options. @param permissions that people can have. */
export function personOptions<P extends PersonPermission>(permissions: readonly P[]) {
  return {
    name: PERSON_NAME.exactOptional(),
    customer: z.string(),
    permission: someOf(permissions),
  };
}
