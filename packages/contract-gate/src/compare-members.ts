import type { CompareSchemas } from './comparison.ts';
import type { Contract } from './contract.ts';
import type { Report } from './finding.ts';
import { canonical, type JsonObject, own } from './json.ts';
import { isPermissionExtension } from './policy.ts';

/** What comparing the parts of two operations needs. */
export interface Pair {
  readonly before: Contract;
  readonly after: Contract;
  readonly compare: CompareSchemas;
  readonly report: Report;
}

/** Members that the gate does not know, and extensions that define permissions. */
export function compareMembers(
  before: JsonObject,
  after: JsonObject,
  known: ReadonlySet<string>,
  pointer: string,
  report: Report,
): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, next] = [own(before, name), own(after, name)];
    if (known.has(name) || canonical(old) === canonical(next)) continue;
    const permission = isPermissionExtension(name);
    if (name.startsWith('x-') && !permission) continue;
    report({
      check: permission ? 'permission-definition-changed' : 'unknown-member',
      direction: 'none',
      pointer: `${pointer}/${name}`,
      before: old,
      after: next,
      subject: name,
    });
  }
}
