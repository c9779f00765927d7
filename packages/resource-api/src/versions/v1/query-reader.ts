import { parameterRefusal, unknownParameter } from '@cls/shared/http/parameter-refusal';
import type { ParameterFault } from '@cls/shared/http/refusal';

const VALUES_MAX = 100;
const UNKNOWN_TOLD = 50;
const RECEIVED_MAX_CHARS = 60;

export interface ListRule {
  readonly accepts: (value: string) => boolean;
  readonly expected: string;
}

/** Reads a query string by its rules and gathers every fault, so that one answer reports all of them. */
export class QueryReader {
  readonly #parameters: URLSearchParams;
  readonly #faults: ParameterFault[];

  constructor(text: string, known: readonly string[]) {
    this.#parameters = new URLSearchParams(text);
    // A mistyped filter that is ignored would answer with the whole book.
    const unknown = [...new Set(this.#parameters.keys())].filter((name) => !known.includes(name));
    this.#faults = unknown.slice(0, UNKNOWN_TOLD).map((name) => unknownParameter(name, known));
  }

  has(name: string): boolean {
    return this.#parameters.has(name);
  }

  hasOtherThan(names: readonly string[]): boolean {
    return [...this.#parameters.keys()].some((name) => !names.includes(name));
  }

  fault(parameter: string, code: string, message: string, received?: string): void {
    const shown = received === undefined ? {} : { received: received.slice(0, RECEIVED_MAX_CHARS) };
    this.#faults.push({ parameter, code, message, ...shown });
  }

  one<T>(
    name: string,
    parse: (value: string) => T | undefined,
    expected: string,
    code = 'invalid_parameter',
  ): T | undefined {
    const values = this.#parameters.getAll(name);
    const [value] = values;
    if (value === undefined) return undefined;
    const parsed = values.length === 1 ? parse(value) : undefined;
    if (parsed === undefined) {
      const message = values.length === 1 ? `expected ${expected}` : 'expected one value';
      this.fault(name, code, message, values.join(','));
    }
    return parsed;
  }

  /** Repeated and comma-separated values alike; sorted, so that one question has one spelling. */
  list(name: string, { accepts, expected }: ListRule): readonly string[] {
    const values = this.#parameters.getAll(name).flatMap((value) => value.split(','));
    const wrong = values.find((value) => !accepts(value));
    if (wrong !== undefined) {
      this.fault(name, 'invalid_parameter', `expected ${expected}`, wrong);
    } else if (values.length > VALUES_MAX) {
      const message = `expected at most ${VALUES_MAX} values`;
      this.fault(name, 'invalid_parameter', message, `${values.length} values`);
    }
    return [...new Set(values)].sort();
  }

  /** `resource?a=1&b=2,3`: every parameter but some, in one order and spelling. */
  canonical(resource: string, except: readonly string[]): string {
    const names = [...new Set(this.#parameters.keys())].filter((name) => !except.includes(name));
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
