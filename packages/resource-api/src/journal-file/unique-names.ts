import type { BookRecord } from './record.ts';

/** What no two records of a book may share, besides their ids. */
export interface UniqueName {
  readonly kind: 'dealNumber' | 'contractNumber' | 'lender' | 'externalIds';
  /** Within what: a facility, or the source of an external id. */
  readonly within: string;
  readonly value: string;
}

export function uniqueNamesOf(record: BookRecord): readonly UniqueName[] {
  const external =
    'externalIds' in record
      ? record.externalIds.map(({ source, value }): UniqueName => {
          return { kind: 'externalIds', within: source, value };
        })
      : [];
  switch (record.object) {
    case 'deal':
      return [{ kind: 'dealNumber', within: '', value: record.dealNumber }, ...external];
    case 'contract': {
      const { facility: within, contractNumber: value } = record;
      return [{ kind: 'contractNumber', within, value }, ...external];
    }
    case 'position':
      return [{ kind: 'lender', within: record.facility, value: record.lender }];
    default:
      return external;
  }
}

/** One text for a name, as sets hold it. */
export function nameText({ kind, within, value }: UniqueName): string {
  return `${kind} ${within} ${value}`;
}
