import type { Rule } from './checks.ts';
import { compareContracts } from './compare-contracts.ts';
import type { Finding } from './finding.ts';

/** What a version says that it changed. */
export interface DeclaredChange {
  readonly name: string;
  readonly covers: readonly {
    readonly rule: Rule;
    /** Such as `GET /cls/balances`; `*` for every operation. */
    readonly operation: string;
    /** Covers what is there and below; left out: everywhere in the operation. */
    readonly pointer?: string;
  }[];
  /** Documents do not show it; recordings do. */
  readonly behaviour?: boolean | 'flag';
}

/** One version of an API, oldest first. */
export interface VersionContract {
  readonly id: string;
  /** The OpenAPI document that the code makes now. */
  readonly declared: unknown;
  /** As callers were last promised; undefined: the version is not released. */
  readonly released: unknown;
  /** What made it differ from the version before. */
  readonly changes: readonly DeclaredChange[];
}

export interface VersionFault {
  readonly version: string;
  readonly message: string;
  /** The differences that the fault is about. */
  readonly findings: readonly Finding[];
}

/**
 * Compares each version with its last release, where nothing incompatible may appear, and with the
 * next version, where every incompatible difference must be declared.
 *
 * @throws {ContractInvalid} when a document cannot be compared.
 */
export function checkVersions(versions: readonly VersionContract[]): VersionFault[] {
  return versions.flatMap((version, index) => {
    const next = versions[index + 1];
    const open = versions.find(({ released }) => released === undefined);
    return [
      ...checkRelease(version, open?.id ?? `v${versions.length + 1}`),
      ...(next?.released === undefined ? [] : checkFrozen(version)),
      ...(next === undefined ? [] : checkNext(version, next)),
    ];
  });
}

function checkRelease({ id, declared, released }: VersionContract, next: string): VersionFault[] {
  if (released === undefined) return [];
  const findings = compareContracts(released, declared).filter(({ incompatible }) => incompatible);
  if (findings.length === 0) return [];
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort().join(', ');
  const message = `${id} was released and changes incompatibly (${rules}): leave ${id} as it is, open ${next}, and declare the change there`;
  return [{ version: id, message, findings }];
}

/** A version that is not the newest any more does not even grow; it may be marked as deprecated. */
function checkFrozen({ id, declared, released }: VersionContract): VersionFault[] {
  if (released === undefined) return [];
  const findings = compareContracts(released, declared).filter(
    ({ check, incompatible }) => !incompatible && check !== 'deprecated',
  );
  if (findings.length === 0) return [];
  const message = `${id} is not the newest version any more and grows: add to the newest version alone`;
  return [{ version: id, message, findings }];
}

function checkNext(version: VersionContract, next: VersionContract): VersionFault[] {
  const findings = compareContracts(version.declared, next.declared, { ignoreServers: true });
  const incompatible = findings.filter((finding) => finding.incompatible);
  const covers = next.changes.flatMap((change) =>
    change.covers.map((cover) => ({ change, cover })),
  );
  const open = incompatible.filter((finding) =>
    covers.every(({ cover }) => !isCovered(finding, cover)),
  );
  const rules = [...new Set(open.map(({ rule }) => rule))].sort().join(', ');
  const undeclared = `${next.id} differs from ${version.id} in what no change of ${next.id} declares (${rules}): add it to covers of a change`;
  const idle = covers.filter(
    ({ change, cover }) => !change.behaviour && !incompatible.some((one) => isCovered(one, cover)),
  );
  return [
    ...(open.length === 0 ? [] : [{ version: next.id, message: undeclared, findings: open }]),
    ...idle.map(({ change, cover }) => ({
      version: next.id,
      message: `${change.name} of ${next.id} declares ${cover.rule} of ${cover.operation}${cover.pointer === undefined ? '' : ` at ${cover.pointer}`}, which the contracts do not show: correct it, or mark it as behaviour and record it`,
      findings: [],
    })),
    ...next.changes
      .filter(({ covers: none, behaviour }) => none.length === 0 && !behaviour)
      .map(({ name }) => ({
        version: next.id,
        message: `${name} of ${next.id} covers nothing: say which rule and operation it is about`,
        findings: [],
      })),
  ];
}

function isCovered(finding: Finding, cover: DeclaredChange['covers'][number]): boolean {
  const { rule, operation, pointer } = cover;
  const sameOperation = operation === '*' || operation === finding.operation;
  const within =
    pointer === undefined ||
    finding.pointer === pointer ||
    finding.pointer.startsWith(`${pointer}/`);
  return rule === finding.rule && sameOperation && within;
}
