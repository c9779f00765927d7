/** Values of JSON documents, read without trusting their keys. */

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of the object itself: never one of a prototype, whatever the key is. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((one) => typeof one === 'string');
}

/** The same text for the same value, whatever the order of its keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}

/** A JSON pointer (RFC 6901) of these steps below `base`. */
export function below(base: string, ...steps: readonly (string | number)[]): string {
  return base + steps.map((step) => `/${escapeStep(`${step}`)}`).join('');
}

function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

const SHOWN_MAX = 300;

/** A value as a finding shows it: large ones are cut. */
export function shown(value: unknown): unknown {
  if (value === undefined || value === null || typeof value === 'number') return value;
  const text = JSON.stringify(value) ?? '';
  return text.length <= SHOWN_MAX ? value : `${text.slice(0, SHOWN_MAX)} …`;
}
