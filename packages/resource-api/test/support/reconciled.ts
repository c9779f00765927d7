import type { Database } from '@cls/shared/sql/database';
import { expect } from 'chai';
import type { Check } from '../../src/reconcile/reconciler.ts';
import { sqlReconciler } from '../../src/reconcile/sql/sql-reconciler.ts';

/**
 * Every invariant of the ledger holds, now and at some moments of the past.
 *
 * @param except invariants that a made-up book does not keep.
 */
export async function expectReconciled(
  database: Database,
  { points = 2, except = [] }: { points?: number; except?: readonly string[] } = {},
): Promise<readonly Check[]> {
  const { checks } = await sqlReconciler(database).reconcile(points);
  const broken = checks.filter(
    ({ invariant, breakCount }) => breakCount > 0 && !except.includes(invariant),
  );
  expect(broken).to.deep.equal([]);
  return checks;
}
