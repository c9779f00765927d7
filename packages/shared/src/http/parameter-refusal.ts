import { didYouMean } from './nearest-name.ts';
import type { FaultCode, ProblemCode } from './problem-codes.ts';
import { type ParameterFault, Refusal } from './refusal.ts';

/** What says enough when every fault has it. */
const WHOLE = ['unknown_parameter', 'invalid_cursor'] as const satisfies readonly ProblemCode[];

/** One kind of fault gives its code to the whole; several are `invalid_parameter`. */
export function parameterRefusal(errors: readonly ParameterFault[]): Refusal {
  const codes = new Set<FaultCode>(errors.map(({ code }) => code));
  const own = WHOLE.find((code) => codes.size === 1 && codes.has(code));
  return new Refusal({
    status: 400,
    code: own ?? 'invalid_parameter',
    title: 'Parameter not valid',
    detail: errors.map(({ parameter, message }) => `${parameter}: ${message}`).join('; '),
    errors,
  });
}

const NAME_MAX_CHARS = 60;

/** A name that is not known is never ignored: it may be a mistyped filter. @param known may be sent. */
export function unknownParameter(name: string, known: readonly string[]): ParameterFault {
  const parameter = name.slice(0, NAME_MAX_CHARS);
  const expected = known.length === 0 ? 'expected nothing' : `expected one of ${known.join(', ')}`;
  const message = `${expected}${didYouMean(parameter, known)}`;
  return { parameter, code: 'unknown_parameter', message };
}
