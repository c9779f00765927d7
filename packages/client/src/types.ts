import type { components, paths } from './generated/v1.ts';

export type Schemas = components['schemas'];

/** The question that a path takes, without what a walk sets itself. */
export type Query<P extends Path> = Omit<
  NonNullable<paths[P]['get']['parameters']['query']>,
  'cursor'
>;

/** A page as it arrives. */
export type List<P extends Path> = paths[P]['get']['responses'][200]['content']['application/json'];

/** Lists: paths with pages and exports. */
export type Path = keyof Whole;

interface Whole {
  '/cls/balances': Schemas['Balance'];
  '/cls/balances/principal': Schemas['PrincipalBalance'];
  '/cls/balances/principal/movements': Schemas['PrincipalMovement'];
}

/** An item: whole, or with some of its fields where the question has `fields`. */
export type Item<P extends Path, Q = object> = Q extends { readonly fields: readonly string[] }
  ? List<P>['data'][number]
  : Whole[P];

/** What an answer depends on: version, date, state of knowledge. */
export type Meta<P extends Path> = List<P>['meta'];

export type ExportSummary = Schemas['ExportSummary'];
export type RemovedItem = Schemas['RemovedItem'];

/** A page's items, as the question that was asked promises them. */
export function itemsOf<P extends Path, Q>(list: List<P>): readonly Item<P, Q>[] {
  return list.data as readonly unknown[] as readonly Item<P, Q>[];
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}
