import { readFileSync } from 'node:fs';
import { Secret } from './secret.ts';
import { isServerUrl, PERCENT_ENCODE } from './server-url.ts';

/** `process.env`, or what a test passes in its place. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One line of the configuration reference. */
export interface VariableDescription {
  readonly name: string;
  /** What the variable decides, for the person who sets it. */
  readonly about: string;
  /** What a value must look like. */
  readonly expected: string;
  /** The value in force when the variable is not set; absent when it is required. */
  readonly fallback?: string;
  /** Secrets may also come as `NAME_FILE`, the path of a file that holds the value. */
  readonly secret: boolean;
}

interface Reading<T> {
  readonly about: string;
  readonly fallback?: T;
  /** How the fallback is written in the reference, where the value itself would not say it. */
  readonly fallbackText?: string;
}

/** Thrown once, with every fault; quotes no value. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `the configuration has ${faults.length} fault(s):\n${faults.map((f) => `  ${f}`).join('\n')}`,
    );
    this.faults = faults;
  }
}

/**
 * Reads configuration from environment variables and gathers every fault, so that one start reports
 * all that is wrong. Reading also records what was read: the configuration reference in `docs/`
 * is made from that record. An empty variable counts as not set.
 */
export class EnvironmentReader {
  readonly #env: Environment;
  readonly #faults: string[] = [];
  readonly #described: VariableDescription[] = [];

  constructor(env: Environment) {
    this.#env = env;
  }

  text(name: string, reading: Reading<string>): string {
    return this.#read(name, 'text', reading, (raw) => raw) ?? '';
  }

  optionalText(name: string, reading: Reading<never>): string | undefined {
    return this.#optional(name, 'text', reading, (raw) => raw);
  }

  /** An absolute URI without a fragment, as a resource identifier is (RFC 8707 §2). */
  absoluteUri(name: string, reading: Reading<string>): string {
    const parse = (raw: string) => (URL.canParse(raw) && !/[#\s]/.test(raw) ? raw : undefined);
    return this.#read(name, 'an absolute URI without fragment', reading, parse) ?? '';
  }

  /** An absolute http or https URL without query, fragment or trailing slash, byte for byte. */
  baseUrl(name: string, reading: Reading<string>): string {
    const expected = 'an absolute http(s) URL without trailing slash, query or fragment';
    return this.#read(name, expected, reading, parseBaseUrl) ?? 'http://invalid.invalid';
  }

  optionalBaseUrl(name: string, reading: Reading<never>): string | undefined {
    const expected = 'an absolute http(s) URL without trailing slash, query or fragment';
    return this.#optional(name, expected, reading, parseBaseUrl);
  }

  /** An absolute URL of one of these schemes, for people to open. */
  optionalLink(
    name: string,
    schemes: readonly ('https' | 'mailto')[],
    reading: Reading<never>,
  ): string | undefined {
    const parse = (raw: string) => {
      if (!URL.canParse(raw) || /[\s\p{Cc}\\]/u.test(raw)) return undefined;
      const { protocol, pathname } = new URL(raw);
      const known = schemes.some((scheme) => protocol === `${scheme}:`);
      return known && (protocol !== 'mailto:' || /^[^@%]+@[^@%]+$/.test(pathname))
        ? raw
        : undefined;
    };
    return this.#optional(name, `an ${schemes.join(' or ')} URL`, reading, parse);
  }

  integer(
    name: string,
    reading: Reading<number> & { readonly min: number; readonly max: number },
  ): number {
    const { min, max } = reading;
    const parse = (raw: string) => wholeNumber(raw, min, max);
    return this.#read(name, `a whole number from ${min} to ${max}`, reading, parse) ?? min;
  }

  optionalInteger(
    name: string,
    reading: Reading<never> & { readonly min: number; readonly max: number },
  ): number | undefined {
    const { min, max } = reading;
    const expected = `a whole number from ${min} to ${max}`;
    return this.#optional(name, expected, reading, (raw) => wholeNumber(raw, min, max));
  }

  /** `1`, `true` or `yes` against `0`, `false` or `no`. */
  flag(name: string, reading: Reading<boolean>): boolean {
    const words: Record<string, boolean> = {
      '1': true,
      true: true,
      yes: true,
      '0': false,
      false: false,
      no: false,
    };
    return this.#read(name, '1 or 0', reading, (raw) => words[raw.toLowerCase()]) ?? false;
  }

  choice<const T extends string>(
    name: string,
    choices: readonly [T, ...T[]],
    reading: Reading<T>,
  ): T {
    const parse = (raw: string) => choices.find((choice) => choice === raw);
    return this.#read(name, `one of ${choices.join(', ')}`, reading, parse) ?? choices[0];
  }

  /** A comma-separated list; empty when not set. */
  list(name: string, reading: Reading<never>): readonly string[] {
    const parse = (raw: string) =>
      raw
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    return this.#optional(name, 'a comma-separated list', reading, parse) ?? [];
  }

  optionalSecret(
    name: string,
    reading: Reading<never> & { readonly expected?: string; readonly pattern?: RegExp },
  ): Secret | undefined {
    const parse = (raw: string) =>
      (reading.pattern ?? /^[^\0]+$/).test(raw) ? new Secret(raw) : undefined;
    const expected = reading.expected ?? 'text';
    return this.#optional(name, expected, reading, parse, true);
  }

  /** A secret that is the URL of a server, with a user and a password that can be told apart from the host. */
  optionalServerUrl(
    name: string,
    reading: Reading<never> & { readonly expected: string; readonly pattern: RegExp },
  ): Secret | undefined {
    const url = this.optionalSecret(name, reading);
    if (url !== undefined && !isServerUrl(url.expose())) this.fault(name, PERCENT_ENCODE);
    return url;
  }

  /**
   * Adds a fault that only several variables together show, where the variable has none of its own.
   * Quote no value in `message`.
   */
  fault(name: string, message: string): void {
    const known = [`${name}: `, `${name}_FILE: `];
    if (this.#faults.some((fault) => known.some((start) => fault.startsWith(start)))) return;
    this.#faults.push(`${name}: ${message}`);
  }

  /** @throws {ConfigurationError} naming every faulty variable and what it expects. */
  assertNoFaults(): void {
    if (this.#faults.length > 0) {
      throw new ConfigurationError(this.#faults);
    }
  }

  /** Every variable read so far, in the order of reading. */
  describe(): readonly VariableDescription[] {
    return this.#described;
  }

  #read<T>(
    name: string,
    expected: string,
    reading: Reading<T>,
    parse: (raw: string) => T | undefined,
  ): T | undefined {
    const found = this.#parse(name, expected, reading, parse, false);
    if (found === 'absent' && reading.fallback === undefined) {
      this.#faults.push(`${name}: is required; expected ${expected}`);
    }
    return found === 'absent' ? reading.fallback : found.value;
  }

  #optional<T>(
    name: string,
    expected: string,
    reading: Reading<never>,
    parse: (raw: string) => T | undefined,
    secret = false,
  ): T | undefined {
    const documented = { fallbackText: '(not set)', ...reading };
    const found = this.#parse(name, expected, documented, parse, secret);
    return found === 'absent' ? undefined : found.value;
  }

  #parse<T>(
    name: string,
    expected: string,
    reading: Reading<T>,
    parse: (raw: string) => T | undefined,
    secret: boolean,
  ): 'absent' | { value: T | undefined } {
    const fallback = reading.fallbackText ?? reading.fallback?.toString();
    this.#described.push({
      name,
      about: reading.about,
      expected,
      secret,
      ...(fallback === undefined ? {} : { fallback }),
    });
    const raw = secret ? this.#rawSecret(name) : this.#env[name];
    if (raw === undefined || raw === '') {
      return 'absent';
    }
    const value = parse(raw);
    if (value === undefined) {
      this.#faults.push(`${name}: expected ${expected}`);
    }
    return { value };
  }

  #rawSecret(name: string): string | undefined {
    const direct = this.#env[name];
    const path = this.#env[`${name}_FILE`];
    if (path === undefined || path === '') {
      return direct;
    }
    if (direct !== undefined && direct !== '') {
      this.#faults.push(`${name}: set ${name} or ${name}_FILE, not both`);
      return undefined;
    }
    try {
      return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    } catch {
      this.#faults.push(`${name}_FILE: the file it names cannot be read`);
      return undefined;
    }
  }
}

/** The two uses of what a service reads: its configuration, and the reference of its variables. */
export function configuration<T extends object>(readAll: (read: EnvironmentReader) => T) {
  return {
    /** @throws {ConfigurationError} naming every fault. */
    parseConfig(env: Environment): Readonly<T> {
      const read = new EnvironmentReader(env);
      const config = readAll(read);
      read.assertNoFaults();
      return Object.freeze(config);
    },
    describeConfig(): readonly VariableDescription[] {
      const read = new EnvironmentReader({});
      readAll(read);
      return read.describe();
    },
  };
}

function wholeNumber(raw: string, min: number, max: number): number | undefined {
  const value = /^-?\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function parseBaseUrl(raw: string): string | undefined {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  const plain =
    url !== undefined &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    !/[?#\s]/.test(raw) &&
    !raw.endsWith('/');
  return plain ? raw : undefined;
}
