import { z } from 'zod';
import { ACCOUNT_ID } from '../accounts/account.ts';
import { EMAIL_ADDRESS, validate } from './validate.ts';

const ONE = { error: 'expected one value' };
const DEFAULT_LIMIT = 50;
const limit = z
  .string(ONE)
  .regex(/^([1-9]\d?|100)$/, 'expected a whole number from 1 to 100')
  .transform(Number)
  .default(DEFAULT_LIMIT)
  .meta({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    pattern: undefined,
    description: `${DEFAULT_LIMIT} where it is left out`,
  });
const cursor = (pattern: RegExp) =>
  z.string(ONE).regex(pattern, 'expected a cursor from page.nextCursor, unchanged').exactOptional();

/** What the query of an operation may have. */
export const NONE = z.strictObject({});
export const ACCOUNTS = z.strictObject({
  email: z.string(ONE).pipe(EMAIL_ADDRESS).exactOptional(),
  limit,
  cursor: cursor(ACCOUNT_ID),
});
export const EVENTS = z.strictObject({ limit, cursor: cursor(/^[1-9]\d{0,17}$/) });
export const SERVICE_ACCOUNTS = z.strictObject({ limit, cursor: cursor(/^svc_[0-9A-Z]{26}$/) });
export const APPLICATIONS = z.strictObject({ limit, cursor: cursor(/^app_[0-9A-Z]{26}$/) });
export const SECRETS = z.strictObject({ limit, cursor: cursor(/^sec_[0-9A-Z]{26}$/) });
export const FORCE = z.strictObject({
  force: z
    .enum(['true', 'false'], { error: 'expected true or false' })
    .transform((text) => text === 'true')
    .default(false),
});

/** What a query asks for; absent where it does not say. @throws {Refusal} naming every fault. */
export function readQuery<T extends z.ZodObject>(schema: T, query: string): z.output<T> {
  const parameters = new URLSearchParams(query);
  /** A list for what is named more than once. */
  const valuesOf = (name: string) => {
    const [value = '', ...more] = parameters.getAll(name);
    return more.length === 0 ? value : [value, ...more];
  };
  const members = [...parameters.keys()].map((name) => [name, valuesOf(name)]);
  return validate(schema, Object.fromEntries(members));
}
