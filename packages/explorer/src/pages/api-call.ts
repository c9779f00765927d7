import { type Html, html } from '@cls/shared/http/html';
import type { ApiClient } from '../balances/api-client.ts';
import type { MessageKey, Text } from '../web/text.ts';

interface CallDeps {
  readonly api: ApiClient;
  /** Of the whole deployment. */
  readonly issuer: string;
}

/** The operations of the API that pages ask, by their paths. */
const OPERATIONS: readonly (readonly [RegExp, string])[] = [
  [/^\/balances\/totals\b/, 'listGroupTotals'],
  [/^\/balances\/principal\/series\b/, 'listPrincipalSeries'],
  [/^\/balances\/principal\/movements\b/, 'listPrincipalMovements'],
  [/^\/balances\/principal\b/, 'listPrincipalBalances'],
  [/^\/balances\b/, 'listBalances'],
  [/^\/deals\//, 'getDeal'],
  [/^\/usage\b/, 'listVersionUses'],
];

/**
 * The questions whose answers a page shows, as command lines, each operation with its documentation. They name
 * the address that the deployment has for everybody, and hold no token.
 *
 * @param hint where the token comes from
 */
export function apiCalls(
  { api, issuer }: CallDeps,
  answers: readonly object[],
  text: Text,
  hint: MessageKey = 'call.token',
): Html | undefined {
  const asked = [...new Set(answers.flatMap((answer) => api.askedFor(answer) ?? []))];
  if (asked.length === 0) return undefined;
  const operations = asked.map((path) => OPERATIONS.find(([one]) => one.test(path))?.[1] ?? '');
  const calls = asked.map((path, at) => {
    const operation = operations[at] ?? '';
    const command = `curl --header "Authorization: Bearer $CLS_TOKEN" \\\n  '${issuer}/api/v1/cls${path}'`;
    const isFirst = operations.indexOf(operation) === at;
    return html`<pre><code>${command}</code></pre>${isFirst && html`<p><a href="${`${issuer}/docs/v1/operations/${operation}`}">${text.t('call.docs', { operation })}</a></p>`}`;
  });
  return html`<details class="call"><summary>${text.t('call.title')}</summary>${calls}<p class="hint">${text.t(hint)}</p></details>`;
}
