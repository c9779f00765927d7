// Prints the outstanding principal of each facility.
// @ts-check
import { ClsError, createClient } from '../../../packages/client/dist/src/index.js';

const cls = createClient({
  baseUrl: process.env.BASE ?? '',
  clientId: process.env.ID ?? '',
  clientSecret: process.env.SECRET ?? '',
});

try {
  for await (const { deal, global, currency } of cls.balances.walk({ level: 'facility' })) {
    console.log(deal.dealNumber, global.principal.outstanding, currency);
  }
} catch (error) {
  if (!(error instanceof ClsError)) throw error;
  console.error(`${error.code}: ${error.message} (request ${error.requestId})`);
  process.exitCode = 1;
}
