/** Values of options and arguments that several commands take, for `readOptions`. */
import type { Permission } from '@cls/shared/access-token';
import { text } from '@cls/shared/cli/options';
import { z } from 'zod';
import { canonicalEmail, EMAIL } from '../accounts/account.ts';
import { asName, NAME_MAX_CHARS } from '../accounts/display-name.ts';

const A_NAME = `expected 1 to ${NAME_MAX_CHARS} characters, without line breaks and without marks that turn the direction of text`;

/** What people see a thing called, on pages and in messages. */
export const NAME_VALUE = text(asName, A_NAME);

/** `false`, for `--no-name`, becomes undefined. */
export const NAME_OR_NONE = z
  .union([z.literal(false), NAME_VALUE], {
    error: ({ input }) => (input === undefined ? 'give --name <name> or --no-name' : A_NAME),
  })
  .transform((name) => name || undefined);

/** Canonical. */
export const EMAIL_ARGUMENT = text((given) => {
  const email = canonicalEmail(given);
  return EMAIL.test(email) ? email : undefined;
}, 'expected an e-mail address');

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
export function personOptions<P extends Permission>(permissions: readonly P[]) {
  return {
    name: NAME_VALUE.exactOptional(),
    customer: z.string(),
    permission: someOf(permissions),
  };
}
