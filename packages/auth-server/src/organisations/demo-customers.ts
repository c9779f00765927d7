import { ConfigurationError } from '@cls/shared/environment';
import type { CustomerRecords } from './customer.ts';

/**
 * In production, secrets that were made for evaluation must not open anything real.
 *
 * @throws {ConfigurationError} naming the demo customers that are not disabled.
 */
export async function refuseDemoCustomers(
  customers: Pick<CustomerRecords, 'listDemo'>,
): Promise<void> {
  const demo = await customers.listDemo();
  if (demo.length === 0) return;
  const ids = demo.map(({ id }) => id).join(', ');
  throw new ConfigurationError([
    `the database holds demo customers (${ids}): cls-auth customers disable <id>, or use another`,
  ]);
}
