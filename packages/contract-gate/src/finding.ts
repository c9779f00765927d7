import { createHash } from 'node:crypto';
import { type CheckId, type Direction, explain, type Rule } from './checks.ts';
import { canonical, shown } from './json.ts';

export type { Direction, Rule } from './checks.ts';

/** One difference between two contracts. */
export interface Finding {
  readonly rule: Rule | 'compatible';
  /** Whether the change needs a new version of the API. */
  readonly incompatible: boolean;
  /** What was looked at, such as `property-removed`. */
  readonly check: CheckId;
  /** Such as `GET /cls/balances`; `*` for what belongs to no single operation. */
  readonly operation: string;
  /** JSON pointer within the operation, with `$ref` followed; parameters stand below their place and name. */
  readonly pointer: string;
  readonly direction: Direction | 'none';
  /** Undefined: there was nothing. */
  readonly before: unknown;
  /** Undefined: there is nothing any more. */
  readonly after: unknown;
  readonly why: string;
  readonly whatToDo: string;
  /** The same for the same difference in every run. */
  readonly fingerprint: string;
}

/** A difference before it is known to which operation it belongs. */
export interface Difference {
  readonly check: CheckId;
  readonly direction: Direction | 'none';
  readonly pointer: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** The keyword, name or value that the sentence speaks of. */
  readonly subject?: string;
}

export type Report = (difference: Difference) => void;

export function toFinding(operation: string, difference: Difference): Finding {
  const { check, direction, pointer, subject = '' } = difference;
  const { rule, why, whatToDo } = explain(check, direction, subject);
  const [before, after] = [shown(difference.before), shown(difference.after)];
  const content = canonical([rule, check, operation, direction, pointer, before, after]);
  const fingerprint = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const incompatible = rule !== 'compatible';
  return {
    rule,
    incompatible,
    check,
    operation,
    pointer,
    direction,
    before,
    after,
    why,
    whatToDo,
    fingerprint,
  };
}
