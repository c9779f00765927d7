import { type ParameterFault, Refusal } from './refusal.ts';

/** One kind of fault gives its code to the whole; several are `invalid_parameter`. */
export function parameterRefusal(errors: readonly ParameterFault[]): Refusal {
  const codes = new Set(errors.map(({ code }) => code));
  const [only = ''] = codes;
  const own = ['unknown_parameter', 'invalid_cursor'];
  const code = codes.size === 1 && own.includes(only) ? only : 'invalid_parameter';
  return new Refusal({
    status: 400,
    code,
    title: 'Parameter not valid',
    detail: errors.map(({ parameter, message }) => `${parameter}: ${message}`).join('; '),
    errors,
  });
}
