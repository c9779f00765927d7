import { parameterRefusal, unknownParameter } from '@cls/shared/http/parameter-refusal';
import type { FaultCode } from '@cls/shared/http/problem-codes';
import type { ParameterFault } from '@cls/shared/http/refusal';
import { isAccepted, type ParameterRule } from '../parameter-rule.ts';
import { PARAMETERS, type ParameterName, VALUES_MAX } from './parameters.ts';

const UNKNOWN_TOLD = 50;
const RECEIVED_MAX_CHARS = 60;

/** Reads a query string by its rules and gathers every fault, so that one answer reports all of them. */
export class QueryReader {
  readonly #parameters: URLSearchParams;
  readonly #faults: ParameterFault[];

  constructor(text: string, known: readonly ParameterName[]) {
    this.#parameters = new URLSearchParams(text);
    // A mistyped filter that is ignored would answer with the whole book.
    const unknown = [...new Set(this.#parameters.keys())].filter(
      (name) => !(known as readonly string[]).includes(name),
    );
    this.#faults = unknown.slice(0, UNKNOWN_TOLD).map((name) => unknownParameter(name, known));
  }

  has(name: string): boolean {
    return this.#parameters.has(name);
  }

  fault(parameter: string, code: FaultCode, message: string, received?: string): void {
    const shown = received === undefined ? {} : { received: received.slice(0, RECEIVED_MAX_CHARS) };
    this.#faults.push({ parameter, code, message, ...shown });
  }

  one<T>(name: ParameterName, parse: (value: string) => T | undefined): T | undefined {
    const values = this.#parameters.getAll(name);
    const [value] = values;
    if (value === undefined) return undefined;
    const rule: ParameterRule = PARAMETERS[name];
    const accepted = values.length === 1 && isAccepted(rule, value);
    const parsed = accepted ? parse(value) : undefined;
    if (parsed === undefined) {
      const expected = `expected ${rule.expected}${rule.hint?.(value) ?? ''}`;
      const message = values.length === 1 ? expected : 'expected one value';
      this.fault(name, rule.code ?? 'invalid_parameter', message, values.join(','));
    }
    return parsed;
  }

  /** Repeated and comma-separated values alike; sorted, so that one question has one spelling. */
  list(name: ParameterName): readonly string[] {
    const values = this.#parameters.getAll(name).flatMap((value) => value.split(','));
    this.#check(name, values);
    return [...new Set(values)].sort();
  }

  /** Repeated values in their order; a comma is a part of a value. */
  each(name: ParameterName): readonly string[] {
    const values = this.#parameters.getAll(name);
    this.#check(name, values);
    return values;
  }

  #check(name: ParameterName, values: readonly string[]): void {
    const rule: ParameterRule = PARAMETERS[name];
    const wrong = values.find((value) => !isAccepted(rule, value));
    if (wrong !== undefined) {
      this.fault(name, 'invalid_parameter', `expected ${rule.expected}`, wrong);
    } else if (values.length > VALUES_MAX) {
      const message = `expected at most ${VALUES_MAX} values`;
      this.fault(name, 'invalid_parameter', message, `${values.length} values`);
    }
  }

  /** `resource?a=1&b=2,3`: every parameter but some, in one order and spelling. */
  canonical(resource: string, except: readonly ParameterName[]): string {
    const names = [...new Set(this.#parameters.keys())].filter(
      (name) => !(except as readonly string[]).includes(name),
    );
    const text = new URLSearchParams(
      names.sort().map((name): [string, string] => {
        const values = this.#parameters.getAll(name).flatMap((value) => value.split(','));
        return [name, [...new Set(values)].sort().join(',')];
      }),
    );
    return `${resource}?${text}`;
  }

  /** @throws {Refusal} when there was any fault. */
  done(): void {
    if (this.#faults.length > 0) throw parameterRefusal(this.#faults);
  }
}
