import type { Field } from '../profile/fields.ts';
import type { RowChecks } from './check-rows.ts';
import type { Column } from './columns.ts';
import type { Dictionary } from './dictionary.ts';
import type { ProfileDraft } from './draft.ts';
import type { Scan } from './scan.ts';

/** What a profile is proposed from, and what is written in the course of it. */
export interface Proposal {
  readonly file: string;
  readonly isText: boolean;
  readonly found: Scan;
  readonly columns: readonly Column[];
  readonly checks: RowChecks;
  readonly dictionary: Dictionary;
  readonly draft: ProfileDraft;
  /** What was noticed and needs no answer. */
  readonly notes: string[];
  find(field: Field): Column | undefined;
}

export function rowsOf(cells: number): string {
  return cells === 1 ? '1 row' : `${cells} rows`;
}
