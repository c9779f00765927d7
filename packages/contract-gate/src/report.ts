import type { Finding } from './finding.ts';

const OPERATIONS_SHOWN = 5;

/** Findings for people: incompatible ones in full, the others in a line each. */
export function reportText(findings: readonly Finding[]): string {
  const groups = [...grouped(findings)].sort(([, [one]], [, [other]]) => order(one, other));
  const blocks = groups.map(([, [first, ...others]]) =>
    first.incompatible ? block(first, [first, ...others]) : line(first, [first, ...others]),
  );
  return [...blocks, summary(findings)].join('\n');
}

export function summary(findings: readonly Finding[]): string {
  const bad = findings.filter(({ incompatible }) => incompatible);
  const rules = [...new Set(bad.map(({ rule }) => rule))].sort().join(', ');
  const good = findings.length - bad.length;
  if (findings.length === 0) return 'No difference that callers could notice.';
  return `${bad.length} incompatible${bad.length > 0 ? ` (${rules})` : ''}, ${good} compatible.`;
}

/** The same difference in several operations is told once. */
function grouped(findings: readonly Finding[]): Map<string, [Finding, ...Finding[]]> {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const { check, direction, pointer, before, after } = finding;
    const key = JSON.stringify([check, direction, pointer, before, after]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return groups;
}

function order(one: Finding, other: Finding): number {
  if (one.incompatible !== other.incompatible) return one.incompatible ? -1 : 1;
  return one.rule.localeCompare(other.rule);
}

function block(finding: Finding, group: readonly Finding[]): string {
  const { rule, direction, pointer, before, after, why, whatToDo } = finding;
  const side = direction === 'none' ? '' : `  (${direction})`;
  return [
    `${rule}  ${operationsOf(group)}${side}`,
    `    where   ${pointer || '/'}`,
    `    before  ${valueText(before)}`,
    `    after   ${valueText(after)}`,
    `    why     ${why}`,
    `    to do   ${whatToDo}`,
    '',
  ].join('\n');
}

function line({ check, pointer }: Finding, group: readonly Finding[]): string {
  return `ok  ${operationsOf(group)}  ${check}  ${pointer}`;
}

function operationsOf(group: readonly Finding[]): string {
  const names = group.map(({ operation }) => (operation === '*' ? 'the document' : operation));
  const rest = names.length - OPERATIONS_SHOWN;
  return `${names.slice(0, OPERATIONS_SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** One line, without characters that a terminal would act upon. */
function valueText(value: unknown): string {
  if (value === undefined) return '(nothing)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/\p{Cc}/gu, ' ');
}
