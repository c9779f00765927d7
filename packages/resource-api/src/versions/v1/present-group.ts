import type { GroupRequest } from '../../questions/ask/balance-store.ts';
import type { GroupTotal, ToldGroup } from '../../questions/totals/group-sums.ts';
import type { GroupComparison } from '../../questions/totals/read-groups.ts';
import { moneyOf, type Presented } from './money.ts';
import { presentTotal } from './present.ts';

type Asked = Pick<GroupRequest, 'level' | 'groupBy'>;

/** Null: too many to work out, or kept totals of a large book without them. */
export function presentSums(total: GroupTotal, { level }: Asked): Presented {
  const money = moneyOf(total.currency);
  const { details } = total;
  const shown = (amount: bigint | undefined) => (amount === undefined ? null : money(amount));
  return {
    ...presentTotal(total, level),
    // Commitments stand on facilities, as in totals of the list.
    ...(level === 'contract'
      ? {}
      : { commitment: shown(details?.commitment), available: shown(details?.available) }),
    pastDue: shown(details?.pastDue),
    warnings: details?.warnings ?? null,
  };
}

/** What a group was, where the answer compares; null before the book. */
export function comparedSums(
  { compared }: ToldGroup,
  comparison: GroupComparison | undefined,
  asked: Asked,
): Presented {
  if (comparison === undefined) return {};
  return { compared: compared === undefined ? null : presentSums(compared, asked) };
}

export function presentGroup(total: GroupTotal, asked: Asked): Presented {
  const { group, party } = total;
  return {
    object: 'groupTotal',
    groupBy: asked.groupBy,
    value: party?.id ?? group,
    name: party?.name ?? null,
    ...presentSums(total, asked),
  };
}
