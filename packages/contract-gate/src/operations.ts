import type { ContractDocument } from './document.ts';
import { below, entriesOf, isObject, type JsonObject, listOf, own } from './json.ts';

/** An operation that clients call, or one that the API calls at a client. */
export interface Operation {
  /** The same for the same operation in both documents: variables of the path count by place. */
  readonly key: string;
  /** Such as `GET /cls/balances`; of a callback, that of the operation that it belongs to. */
  readonly name: string;
  /** Where it is below what `name` says; empty for what clients call. */
  readonly pointer: string;
  readonly members: JsonObject;
  readonly pathItem: JsonObject;
  /** Variables of the path, in order. */
  readonly variables: readonly string[];
  /** The API sends the request, and the client answers: a webhook or a callback. */
  readonly pushed: boolean;
}

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** A path item, with what stands beside its reference. */
function pathItemOf(document: ContractDocument, item: unknown, at: string): JsonObject {
  const found = document.object(item, at);
  if (!isObject(item) || found === item) return found;
  const { $ref: _, ...beside } = item;
  return { ...found, ...beside };
}

/** Every operation of a document, by its key. @throws {ContractInvalid} */
export function operationsOf(document: ContractDocument): ReadonlyMap<string, Operation> {
  const found = new Map<string, Operation>();
  const visited = new Set<JsonObject>();
  const add = (path: string, item: JsonObject, at: string, base: Partial<Operation>) => {
    const variables = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '');
    for (const method of METHODS) {
      const given = own(item, method);
      if (given === undefined) continue;
      const members = document.object(given, below(at, method));
      const verb = method.toUpperCase();
      const place = base.pushed ? path : path.replaceAll(/\{[^{}]*\}/g, '{}');
      const key = `${base.key ?? ''}${verb} ${place}`;
      const operation: Operation = {
        name: `${verb} ${path}`,
        pointer: '',
        pushed: false,
        variables,
        ...base,
        // Two paths that differ in names of variables alone are told apart by them.
        key: found.has(key) ? `${key} ${path}` : key,
        members,
        pathItem: item,
      };
      found.set(operation.key, operation);
      if (!visited.has(members)) {
        visited.add(members);
        addCallbacks(operation);
      }
    }
  };
  const addCallbacks = (parent: Operation) => {
    for (const [name, given] of entriesOf(own(parent.members, 'callbacks'))) {
      const at = below(parent.pointer, 'callbacks', name);
      for (const [expression, item] of entriesOf(document.object(given, at))) {
        const base = { name: parent.name, pushed: true, key: `${parent.key} ${name} ` };
        const pointer = below(at, expression);
        if (isObject(item))
          add(expression, pathItemOf(document, item, pointer), pointer, { ...base, pointer });
      }
    }
  };
  for (const [path, item] of entriesOf(own(document.root, 'paths'))) {
    if (path.startsWith('x-')) continue;
    add(path, pathItemOf(document, item, below('/paths', path)), below('/paths', path), {});
  }
  for (const [name, item] of entriesOf(own(document.root, 'webhooks'))) {
    const at = below('/webhooks', name);
    add(`webhook ${name}`, pathItemOf(document, item, at), at, { pushed: true });
  }
  return found;
}

/** Paths of the servers where an operation is, without scheme and host; undefined: none are named. */
export function basePathsOf(
  root: JsonObject,
  { members, pathItem }: Operation,
): ReadonlySet<string> | undefined {
  const servers = [members, pathItem, root]
    .map((place) => listOf(own(place, 'servers')))
    .find((list) => list.length > 0);
  if (servers === undefined) return undefined;
  return new Set(servers.filter(isObject).map(basePathOf));
}

function basePathOf(server: JsonObject): string {
  const variables = own(server, 'variables');
  const filled = `${own(server, 'url') ?? ''}`.replaceAll(/\{([^{}]*)\}/g, (whole, name) => {
    const variable = isObject(variables) ? own(variables, name) : undefined;
    return isObject(variable) ? `${own(variable, 'default')}` : whole;
  });
  return filled.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, '').replace(/\/+$/, '');
}
