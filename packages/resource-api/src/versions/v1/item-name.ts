import type { ItemName, Level } from '../../questions/ask/balance-store.ts';

const LEVEL_OF: Readonly<Record<string, Level>> = {
  deal: 'deal',
  fac: 'facility',
  ctr: 'contract',
  pos: 'position',
};

/** Reads the `id` of an item, such as `bal_fac_…`; undefined where no item has such an id. */
export function itemNameOf(id: string): ItemName | undefined {
  const [, record = '', prefix = '', currency] =
    /^bal_((deal|fac|ctr|pos)_[0-9A-Z]{26})(?:_([A-Z]{3}))?$/.exec(id) ?? [];
  const level = LEVEL_OF[prefix];
  if (level === undefined || (level === 'deal') !== (currency !== undefined)) return undefined;
  return { level, id: record, currency };
}
