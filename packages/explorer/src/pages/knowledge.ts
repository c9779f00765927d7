import type { ApiClient, Asker } from '../balances/api-client.ts';
import type { List, Meta } from '../balances/shapes.ts';

const LEAST = { limit: '1', include: 'none', fields: 'id' };

/** With the times of a question that names a time of knowledge and no date: the last date then. */
export async function metaAsKnown(api: ApiClient, asker: Asker, knownAt: string): Promise<Meta> {
  return (await api.read<List<unknown>>(asker, '/balances', { ...LEAST, knownAt })).meta;
}

/** Whether nothing is known that was not known then. @param newest of a question without times. */
export function isAllKnown(newest: Meta, knownAt: string): boolean {
  // Instants of the API have one form, so they sort as text.
  return newest.knownAt === null || newest.knownAt <= knownAt;
}
