import { parameterRefusal, unknownParameter } from '@cls/shared/http/parameter-refusal';
import type { ParameterFault } from '@cls/shared/http/refusal';
import { canonicalEmail, EMAIL } from '../accounts/account.ts';

/** What a query asks for; absent where it does not say. */
export interface AdminQuery {
  /** Canonical. */
  readonly email?: string;
  /** 1 to 100. */
  readonly limit?: number;
  readonly cursor?: string;
}

interface Rule {
  readonly parse: (text: string) => string | number | undefined;
  readonly expected: string;
  readonly code?: string;
}

const LIMIT: Rule = {
  parse: (text) => (/^([1-9]\d?|100)$/.test(text) ? Number(text) : undefined),
  expected: 'expected a whole number from 1 to 100',
};
const cursor = (pattern: RegExp): Rule => ({
  parse: (text) => (pattern.test(text) ? text : undefined),
  expected: 'expected a cursor from page.nextCursor, unchanged',
  code: 'invalid_cursor',
});
const ACCOUNTS = {
  email: {
    parse: (text: string) => (EMAIL.test(canonicalEmail(text)) ? canonicalEmail(text) : undefined),
    expected: 'expected an e-mail address',
  },
  limit: LIMIT,
  cursor: cursor(/^acc_[0-9A-Z]{26}$/),
};
const EVENTS = { limit: LIMIT, cursor: cursor(/^[1-9]\d{0,17}$/) };

export const readAccountsQuery = (text: string) => readQuery(text, ACCOUNTS);
export const readEventsQuery = (text: string) => readQuery(text, EVENTS);
export const readNoQuery = (text: string) => readQuery(text, {});

/** @throws {Refusal} naming every fault at once. */
function readQuery(text: string, rules: Readonly<Record<string, Rule>>): AdminQuery {
  const parameters = new URLSearchParams(text);
  const known = Object.keys(rules);
  const faults: ParameterFault[] = [];
  const read: Record<string, string | number> = {};
  for (const name of new Set(parameters.keys())) {
    const rule = known.includes(name) ? rules[name] : undefined;
    if (rule === undefined) {
      faults.push(unknownParameter(name, known));
      continue;
    }
    const [value = '', ...more] = parameters.getAll(name);
    const parsed = more.length === 0 ? rule.parse(value) : undefined;
    if (parsed !== undefined) read[name] = parsed;
    else {
      const message = more.length === 0 ? rule.expected : 'expected one value';
      faults.push({ parameter: name, code: rule.code ?? 'invalid_parameter', message });
    }
  }
  if (faults.length > 0) throw parameterRefusal(faults);
  return read;
}
