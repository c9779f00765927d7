import type { Contract } from './contract.ts';
import type { ContractDocument } from './document.ts';
import type { Difference, Report } from './finding.ts';
import {
  below,
  canonical,
  entriesOf,
  isObject,
  type JsonObject,
  listOf,
  own,
  textsOf,
} from './json.ts';
import type { Operation } from './operations.ts';
import { isPermissionExtension } from './policy.ts';

/** A scheme's name in the older document → its name in the newer one, where it was only renamed. */
export type SchemeNames = ReadonlyMap<string, string>;

type Schemes = ReadonlyMap<string, JsonObject>;

/** Schemes that are gone under one name and new, with the same content, under another. */
export function schemeNames(before: ContractDocument, after: ContractDocument): SchemeNames {
  const [old, next] = [schemesOf(before), schemesOf(after)];
  const names = new Map<string, string>();
  for (const [name, scheme] of old) {
    if (next.has(name)) continue;
    const match = [...next].find(
      ([other, given]) =>
        !old.has(other) &&
        ![...names.values()].includes(other) &&
        canonical(definitionOf(given)) === canonical(definitionOf(scheme)),
    );
    if (match !== undefined) names.set(name, match[0]);
  }
  return names;
}

/** The alternatives of credentials that an operation asks for, in one spelling. */
export function requirementsOf(
  root: JsonObject,
  operation: Operation,
  names: SchemeNames = new Map(),
): readonly string[] {
  const given = own(operation.members, 'security');
  return alternativesOf(given ?? (operation.pushed ? undefined : own(root, 'security')), names);
}

function alternativesOf(given: unknown, names: SchemeNames = new Map()): readonly string[] {
  const alternatives = listOf(given).map((one) =>
    entriesOf(one)
      .map(([name, scopes]) => {
        const wanted = [...new Set(textsOf(scopes))].sort().join(' ');
        return `${names.get(name) ?? name}${wanted === '' ? '' : `(${wanted})`}`;
      })
      .sort()
      .join(' and '),
  );
  const unique = [...new Set(alternatives.map((one) => one || NOTHING))].sort();
  return unique.length === 0 ? [NOTHING] : unique;
}

const NOTHING = 'nothing';

export function compareRequirements(
  [before, after]: readonly [JsonObject, JsonObject],
  names: SchemeNames,
  [operation, other]: readonly [Operation, Operation],
  report: Report,
): void {
  const old = requirementsOf(before, operation, names).join(' or ');
  const next = requirementsOf(after, other).join(' or ');
  const pointer = `${operation.pointer}/security`;
  if (old !== next)
    report({ check: 'security-changed', direction: 'none', pointer, before: old, after: next });
}

/**
 * What the document asks for where operations do not say it, when no operation relies on it: nobody
 * notices yet, but the definition changed.
 */
export function compareDefaults(
  [before, after]: readonly [Contract, Contract],
  names: SchemeNames,
  report: Report,
): void {
  const roots = [before.document.root, after.document.root] as const;
  const relied = [...before.operations.values()].some(
    ({ members, pushed }) => !pushed && own(members, 'security') === undefined,
  );
  if (relied || roots.some((root) => own(root, 'security') === undefined)) return;
  const old = alternativesOf(own(roots[0], 'security'), names).join(' or ');
  const next = alternativesOf(own(roots[1], 'security')).join(' or ');
  if (old === next) return;
  const shown = { before: old, after: next };
  report({ check: 'security-changed', direction: 'none', pointer: '/security', ...shown });
}

type ReportFor = (operation: string, difference: Difference) => void;

/** Compares what the schemes mean, for each operation that uses them. */
export function compareSchemes(
  [before, after]: readonly [Contract, Contract],
  names: SchemeNames,
  report: ReportFor,
): void {
  const [old, next] = [schemesOf(before.document), schemesOf(after.document)];
  for (const [name, scheme] of old) {
    const users = usersOf(before, name);
    const toAll = (difference: Difference) => {
      for (const user of users) report(user, difference);
    };
    const other = next.get(names.get(name) ?? name);
    const pointer = below('/components/securitySchemes', name);
    if (other === undefined) {
      toAll({
        check: 'security-scheme-removed',
        direction: 'none',
        pointer,
        before: scheme,
        subject: name,
      });
    } else {
      compareScheme(name, scheme, other, pointer, toAll);
    }
  }
  const known = new Set([...old.keys(), ...names.values()]);
  for (const name of [...next.keys()].filter((one) => !known.has(one))) {
    const pointer = below('/components/securitySchemes', name);
    report('*', { check: 'security-scheme-added', direction: 'none', pointer, after: name });
  }
}

function usersOf({ document, operations }: Contract, scheme: string): readonly string[] {
  const users = [...operations.values()].filter((operation) => {
    const security = own(operation.members, 'security') ?? own(document.root, 'security');
    return listOf(security).some((one) => isObject(one) && Object.hasOwn(one, scheme));
  });
  return users.length === 0 ? ['*'] : [...new Set(users.map(({ name }) => name))];
}

function compareScheme(
  name: string,
  before: JsonObject,
  after: JsonObject,
  pointer: string,
  report: Report,
): void {
  const [old, next] = [definitionOf(before), definitionOf(after)];
  if (canonical(old) !== canonical(next)) {
    const check = 'security-scheme-changed';
    report({ check, direction: 'none', pointer, before: old, after: next, subject: name });
  }
  const flows = new Set(
    [...entriesOf(own(before, 'flows')), ...entriesOf(own(after, 'flows'))].map(([flow]) => flow),
  );
  for (const flow of flows) {
    const [oldScopes, nextScopes] = [scopesOf(before, flow), scopesOf(after, flow)];
    for (const scope of new Set([...oldScopes.keys(), ...nextScopes.keys()])) {
      const [text, other] = [oldScopes.get(scope), nextScopes.get(scope)];
      const check =
        other === undefined
          ? 'scope-removed'
          : text === undefined
            ? 'scope-added'
            : 'scope-described-anew';
      const at = below(pointer, 'flows', flow, 'scopes', scope);
      if (text !== other)
        report({
          check,
          direction: 'none',
          pointer: at,
          before: text,
          after: other,
          subject: scope,
        });
    }
  }
}

/** What a scheme means, without its words and without the list of its scopes. */
function definitionOf(scheme: JsonObject): JsonObject {
  const kept = Object.entries(scheme).filter(
    ([key]) => key !== 'description' && (!key.startsWith('x-') || isPermissionExtension(key)),
  );
  const definition: Record<string, unknown> = Object.fromEntries(kept);
  if (definition['in'] === 'header') definition['name'] = `${definition['name']}`.toLowerCase();
  if (typeof definition['scheme'] === 'string')
    definition['scheme'] = definition['scheme'].toLowerCase();
  const flows = entriesOf(definition['flows']).map(([flow, given]) => {
    const { scopes: _, ...rest } = isObject(given) ? given : {};
    return [flow, rest];
  });
  return flows.length === 0 ? definition : { ...definition, flows: Object.fromEntries(flows) };
}

function scopesOf(scheme: JsonObject, flow: string): ReadonlyMap<string, unknown> {
  const flows = own(scheme, 'flows');
  const given = isObject(flows) ? own(flows, flow) : undefined;
  return new Map(isObject(given) ? entriesOf(own(given, 'scopes')) : []);
}

function schemesOf(document: ContractDocument): Schemes {
  const components = own(document.root, 'components');
  const schemes = isObject(components) ? own(components, 'securitySchemes') : undefined;
  return new Map(
    entriesOf(schemes).map(([name, given]) => [
      name,
      document.object(given, below('/components/securitySchemes', name)),
    ]),
  );
}
