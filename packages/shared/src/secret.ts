import { inspect } from 'node:util';

const PRINTED = '[secret]';

/**
 * A value that must never reach a log, an error message or a JSON document by accident: every
 * usual way to print it gives `[secret]`. `expose()` is the one way to the text, easy to grep.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  expose(): string {
    return this.#value;
  }

  toString(): string {
    return PRINTED;
  }

  toJSON(): string {
    return PRINTED;
  }

  [inspect.custom](): string {
    return PRINTED;
  }
}
