import { type Html, html } from '@cls/shared/http/html';
import type { Text } from '../web/text.ts';
import type { PageDeps } from './show.ts';

/** The operations of the API that pages ask, by their paths. */
const OPERATIONS: readonly (readonly [RegExp, string])[] = [
  [/^\/balances\/totals\b/, 'listGroupTotals'],
  [/^\/balances\/principal\/series\b/, 'listPrincipalSeries'],
  [/^\/balances\/principal\/movements\b/, 'listPrincipalMovements'],
  [/^\/balances\/principal\b/, 'listPrincipalBalances'],
  [/^\/balances\b/, 'listBalances'],
  [/^\/deals\//, 'getDeal'],
];

/**
 * The question whose answer a table shows, as a command line, and its documentation. It names the
 * address that the deployment has for everybody, and holds no token.
 */
export function apiCall({ api, issuer }: PageDeps, answer: object, text: Text): Html | undefined {
  const asked = api.askedFor(answer);
  if (asked === undefined) return undefined;
  const [, operation = ''] = OPERATIONS.find(([path]) => path.test(asked)) ?? [];
  const command = `curl --header "Authorization: Bearer $CLS_TOKEN" \\\n  '${issuer}/api/v1/cls${asked}'`;
  return html`<details class="call"><summary>${text.t('call.title')}</summary><pre><code>${command}</code></pre><p>${text.t('call.token')} <a href="${`${issuer}/docs/v1/operations/${operation}`}">${text.t('call.docs')}</a></p></details>`;
}
