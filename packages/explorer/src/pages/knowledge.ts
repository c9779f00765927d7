import type { ApiClient, Asker } from '../balances/api-client.ts';
import type { List, Meta } from '../balances/shapes.ts';
import { isNoTime } from '../web/typed.ts';

const LEAST = { limit: '1', include: 'none', fields: 'id' };

/** With the times of a question that names a time of knowledge and no date: the last date then. */
export async function metaAsKnown(api: ApiClient, asker: Asker, knownAt: string): Promise<Meta> {
  return (await api.read<List<unknown>>(asker, '/balances', { ...LEAST, knownAt })).meta;
}

/** Whether nothing is known that was not known then. @param newest of a question without times. */
export function isAllKnown(newest: Pick<Meta, 'knownAt'>, knownAt: string): boolean {
  return newest.knownAt === null || inOneForm(newest.knownAt) <= inOneForm(knownAt);
}

/** Sorts as text; a form sends whole seconds, and an address may have an offset. What is no instant comes first. */
function inOneForm(instant: string): string {
  const read = new Date(instant);
  if (isNoTime(read)) return '';
  const [, fraction = ''] = /\.(\d+)/.exec(instant) ?? [];
  return `${read.toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}`;
}
