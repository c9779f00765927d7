import { z } from 'zod';
import { ACCOUNT_ID } from '../accounts/account.ts';
import { EMAIL_ADDRESS, validate } from './validate.ts';

const ONE = { error: 'expected one value' };
const DEFAULT_LIMIT = 50;
const limit = z
  .string(ONE)
  .regex(/^([1-9]\d?|100)$/, 'expected a whole number from 1 to 100')
  .transform(Number)
  .default(DEFAULT_LIMIT);
const cursor = (pattern: RegExp) =>
  z.string(ONE).regex(pattern, 'expected a cursor from page.nextCursor, unchanged').exactOptional();

const ACCOUNTS = z.strictObject({
  email: z.string(ONE).pipe(EMAIL_ADDRESS).exactOptional(),
  limit,
  cursor: cursor(ACCOUNT_ID),
});
const EVENTS = z.strictObject({ limit, cursor: cursor(/^[1-9]\d{0,17}$/) });
const SERVICE_ACCOUNTS = z.strictObject({ limit, cursor: cursor(/^svc_[0-9A-Z]{26}$/) });
const SECRETS = z.strictObject({ limit, cursor: cursor(/^sec_[0-9A-Z]{26}$/) });
const FORCE = z.strictObject({
  force: z
    .enum(['true', 'false'], { error: 'expected true or false' })
    .transform((text) => text === 'true')
    .default(false),
});

/** What a query asks for; absent where it does not say. @throws {Refusal} naming every fault. */
export const readAccountsQuery = (query: string) => validate(ACCOUNTS, parametersOf(query));
export const readEventsQuery = (query: string) => validate(EVENTS, parametersOf(query));
export const readServiceAccountsQuery = (query: string) =>
  validate(SERVICE_ACCOUNTS, parametersOf(query));
export const readSecretsQuery = (query: string) => validate(SECRETS, parametersOf(query));
export const readForceQuery = (query: string) => validate(FORCE, parametersOf(query));
export const readNoQuery = (query: string) => validate(z.strictObject({}), parametersOf(query));

/** A list for what is named more than once. */
function parametersOf(query: string): Readonly<Record<string, string | readonly string[]>> {
  const parameters = new URLSearchParams(query);
  const valuesOf = (name: string) => {
    const [value = '', ...more] = parameters.getAll(name);
    return more.length === 0 ? value : [value, ...more];
  };
  return Object.fromEntries([...parameters.keys()].map((name) => [name, valuesOf(name)]));
}
