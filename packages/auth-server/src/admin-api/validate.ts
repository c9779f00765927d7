import { parameterRefusal, unknownParameter } from '@cls/shared/http/parameter-refusal';
import type { ParameterFault } from '@cls/shared/http/refusal';
import { isStorable } from '@cls/shared/text';
import { z } from 'zod';
import { canonicalEmail, EMAIL } from '../accounts/account.ts';
import { EMAIL_EXPECTED, emailProblem } from '../organisations/email-address.ts';

const UNKNOWN_MAX = 50;

/** An e-mail address that an account may have, made canonical. */
export const EMAIL_ADDRESS = z
  .string({ error: EMAIL_EXPECTED })
  .transform(canonicalEmail)
  .refine((email) => EMAIL.test(email) && isStorable(email), EMAIL_EXPECTED);

/** The same, for a new account. */
export const NEW_EMAIL_ADDRESS = z
  .string({ error: EMAIL_EXPECTED })
  .refine((text) => emailProblem(text) === undefined, {
    error: ({ input }) => emailProblem(String(input)) ?? EMAIL_EXPECTED,
  })
  .transform(canonicalEmail);

/** @throws {Refusal} naming every fault at once, unknown members first. */
export function validate<T extends z.ZodObject>(schema: T, members: object): z.output<T> {
  const { data, error } = schema.safeParse(members);
  if (error === undefined) return data;
  const known = Object.keys(schema.shape);
  const unknown = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.slice(0, UNKNOWN_MAX) : [],
  );
  const others = error.issues.filter(({ code }) => code !== 'unrecognized_keys');
  throw parameterRefusal([
    ...unknown.map((name) => unknownParameter(name, known)),
    ...others.map(({ path, message }) => fault(String(path[0]), message)),
  ]);
}

/** A value that is not what it should be. */
export function fault(parameter: string, message: string): ParameterFault {
  const code = parameter === 'cursor' ? 'invalid_cursor' : 'invalid_parameter';
  return { parameter, code, message };
}
