import { parameterRefusal } from '@cls/shared/http/parameter-refusal';
import { Refusal } from '@cls/shared/http/refusal';
import type { ImportKind, ImportParameters } from '../../import/jobs/import-job.ts';
import { SANITY_CHECKS } from '../../import/profile/profile.ts';
import { parseBusinessDate } from '../../ledger/business-date.ts';
import type { WriteRequest } from '../api-version.ts';
import {
  IMPORT_PARAMETERS,
  LIMIT_DEFAULT,
  PAGE_PARAMETERS,
  type ParameterName,
} from './parameters.ts';
import { QueryReader } from './query-reader.ts';

/** What a statement alone has. */
const OF_STATEMENTS: readonly ParameterName[] = [
  ...(['profile', 'asOf', 'rows', 'control', 'withoutTotals'] as const),
];
const KEY_MAX_CHARS = 200;

/** The parameters of a posted file. @throws {Refusal} with everything that is wrong */
export function parseImportQuery(text: string): ImportParameters {
  const read = new QueryReader(text, IMPORT_PARAMETERS);
  const asText = (value: string) => value;
  const kind = (read.one('kind', asText) ?? 'statement') as ImportKind;
  const apply = read.one('apply', asText) === 'true';
  const profile = read.one('profile', asText);
  const asOf = read.one('asOf', parseBusinessDate);
  const rows = read.one('rows', Number);
  const sums = eachOnce(read, 'control', '=', 'expected one sum for each column');
  const withoutTotals = read.one('withoutTotals', asText)?.trim();
  const accept = eachOnce(read, 'accept', ':', 'expected one reason for each check');
  const checks: readonly string[] = kind === 'journals' ? ['warnings'] : SANITY_CHECKS;
  for (const [check, reason] of Object.entries(accept)) {
    if (checks.includes(check) && reason.trim() !== '') continue;
    read.fault(
      'accept',
      'invalid_parameter',
      `expected a reason for one of ${checks.join(', ')}`,
      check,
    );
  }
  if (kind === 'journals') {
    for (const name of OF_STATEMENTS.filter((one) => read.has(one))) {
      read.fault(name, 'contradictory', 'expected with kind=statement alone');
    }
  } else {
    if (!read.has('profile')) {
      read.fault('profile', 'invalid_parameter', 'expected the name of a registered profile');
    }
  }
  read.done();
  return {
    ...{ kind, apply, accept },
    ...(profile === undefined ? {} : { profile }),
    ...(asOf === undefined ? {} : { asOf }),
    expected: { ...(rows === undefined ? {} : { rows }), sums },
    ...(withoutTotals === undefined ? {} : { withoutTotals }),
  };
}

/** A page of jobs. @throws {Refusal} */
export function parseImportsQuery(text: string): { limit: number; cursor: string | undefined } {
  const read = new QueryReader(text, PAGE_PARAMETERS);
  const limit = read.one('limit', Number) ?? LIMIT_DEFAULT;
  const isJob = (value: string) => (/^job_[0-9A-Z]{26}$/.test(value) ? value : undefined);
  const cursor = read.one('cursor', isJob);
  read.done();
  return { limit, cursor };
}

/** @throws {Refusal} of every parameter. */
export function parseNothing(text: string): void {
  new QueryReader(text, []).done();
}

/**
 * Demands the sender's totals, by which a cut file is noticed, unless the profile expects them in the file.
 *
 * @param document the profile as it was registered
 * @throws {Refusal}
 */
export function demandTotals(
  { kind, apply, expected, withoutTotals }: ImportParameters,
  document: unknown,
): void {
  const given = expected.rows !== undefined && Object.keys(expected.sums).length > 0;
  const inFile = (document as { totalsRow?: string } | undefined)?.totalsRow !== undefined;
  if (kind !== 'statement' || !apply || given || inFile || withoutTotals !== undefined) return;
  const totals = 'rows and at least one control, as the sender states them';
  const message = `expected ${totals}, or withoutTotals with the reason why there are none`;
  throw parameterRefusal([
    { parameter: 'withoutTotals', code: 'invalid_parameter', message, received: '' },
  ]);
}

/** @throws {Refusal} where the profile that a file is posted with is not registered */
export function unknownProfile(name: string): Refusal {
  const message = 'expected the name of a registered profile; GET …/cls/import-profiles lists them';
  return parameterRefusal([
    { parameter: 'profile', code: 'invalid_parameter', message, received: name },
  ]);
}

/** As the IETF draft writes it, a string in quotes, or bare. @throws {Refusal} */
export function idempotencyKeyOf({ headers }: Pick<WriteRequest, 'headers'>): string {
  const [, key = ''] = /^"?([\x21\x23-\x7e]+)"?$/.exec(`${headers['idempotency-key'] ?? ''}`) ?? [];
  if (key !== '' && key.length <= KEY_MAX_CHARS) return key;
  throw new Refusal({
    status: 400,
    code: 'idempotency_key_invalid',
    title: 'Idempotency key missing or not valid',
    detail: `Send a header Idempotency-Key of 1 to ${KEY_MAX_CHARS} visible characters, another one for each file.`,
  });
}

/** What a repeated parameter says of each name; of two values one would be lost. */
function eachOnce(
  read: QueryReader,
  parameter: 'control' | 'accept',
  mark: string,
  expected: string,
): Record<string, string> {
  const values = [...new Set(read.each(parameter))];
  const named = Object.fromEntries(values.map(halves(mark)));
  if (Object.keys(named).length < values.length) {
    read.fault(parameter, 'contradictory', expected, values.join(','));
  }
  return named;
}

function halves(mark: string) {
  return (text: string): [string, string] => {
    const at = text.indexOf(mark);
    return [text.slice(0, at), text.slice(at + 1)];
  };
}
