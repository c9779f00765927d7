import { isObject, type JsonObject, listOf, own } from './json.ts';

/** The document cannot be compared: the sentence says what is wrong and where. */
export class ContractInvalid extends Error {
  override readonly name = 'ContractInvalid';
}

export interface ContractDocument {
  readonly root: JsonObject;
  /** An error that says which document it is about. */
  invalid(message: string): ContractInvalid;
  /** In 3.0 the members beside `$ref` have no effect. */
  readonly siblingsOfRef: boolean;
  /** What a reference leads to, one step. @throws {ContractInvalid} */
  target(ref: string, at: string): unknown;
  /** An object that is not a schema, with its references followed. @throws {ContractInvalid} */
  object(value: unknown, at: string): JsonObject;
}

const DEPTH_MAX = 500;
const REF_STEPS_MAX = 100;

/**
 * @param label begins every message about this document.
 * @throws {ContractInvalid} when this is no OpenAPI 3.0 or 3.1 document.
 */
export function openContract(value: unknown, label: string): ContractDocument {
  const invalid = (message: string) => new ContractInvalid(`${label}: ${message}`);
  if (!isObject(value)) throw invalid('not an OpenAPI document: expected an object');
  const given = own(value, 'openapi');
  // YAML reads 3.1 without quotes as a number.
  const version = typeof given === 'number' ? `${given}` : given;
  if (own(value, 'swagger') !== undefined) {
    throw invalid('Swagger 2.0 is not read; convert the document to OpenAPI 3.0 or 3.1');
  }
  if (typeof version !== 'string' || !/^3(\.[01](\.|$)|$)/.test(version)) {
    const found = version === undefined ? 'it is missing' : `it is ${JSON.stringify(version)}`;
    throw invalid(`the member "openapi" must be 3.0.x or 3.1.x; ${found}`);
  }
  if (isTooDeep(value)) {
    throw invalid(`the document is nested more than ${DEPTH_MAX} levels deep`);
  }
  const anchors = lazily(() => anchorsOf(value));
  const target = (ref: string, at: string): unknown => {
    const hash = ref.indexOf('#');
    const [place, fragment] = hash < 0 ? [ref, ''] : [ref.slice(0, hash), ref.slice(hash + 1)];
    const base = place === '' ? value : anchors().get(place);
    if (base === undefined) {
      throw invalid(
        `${at}: $ref leads to another document (${ref}); bundle the documents into one first`,
      );
    }
    const found =
      fragment === '' || fragment.startsWith('/')
        ? follow(base, fragment)
        : anchors().get(`#${fragment}`);
    if (found === undefined) throw invalid(`${at}: $ref leads nowhere (${ref})`);
    return found;
  };
  const object = (start: unknown, at: string): JsonObject => {
    let current = start;
    for (let step = 0; step < REF_STEPS_MAX; step += 1) {
      if (!isObject(current)) throw invalid(`${at}: expected an object`);
      const ref = own(current, '$ref');
      if (typeof ref !== 'string') return current;
      current = target(ref, at);
    }
    throw invalid(`${at}: $ref leads round in a circle`);
  };
  return { root: value, invalid, siblingsOfRef: version.startsWith('3.1'), target, object };
}

function follow(base: unknown, fragment: string): unknown {
  let current = base;
  for (const part of fragment.split('/').slice(1)) {
    const step = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) current = /^\d+$/.test(step) ? current[Number(step)] : undefined;
    else current = isObject(current) ? own(current, step) : undefined;
  }
  return current;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `$id`, and `$anchor` and `$dynamicAnchor` with a hash in front. */
function anchorsOf(root: JsonObject): ReadonlyMap<string, unknown> {
  const anchors = new Map<string, unknown>();
  const waiting: unknown[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (isObject(value)) {
      for (const key of ['$id', '$anchor', '$dynamicAnchor']) {
        const name = own(value, key);
        const known = typeof name === 'string' ? (key === '$id' ? name : `#${name}`) : undefined;
        if (known !== undefined && !anchors.has(known)) anchors.set(known, value);
      }
    }
    waiting.push(...childrenOf(value));
  }
  return anchors;
}

/** Deep nesting would exhaust the stack of whatever reads the document. */
function isTooDeep(root: JsonObject): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH_MAX) return true;
    const next: unknown[] = [];
    for (const value of level) for (const child of childrenOf(value)) next.push(child);
    level = next;
  }
  return false;
}

function childrenOf(value: unknown): readonly unknown[] {
  const children = isObject(value) ? Object.values(value) : listOf(value);
  return children.filter((child) => typeof child === 'object' && child !== null);
}

function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
