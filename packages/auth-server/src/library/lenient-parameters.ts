import type { Parameters } from './reliances/parameters.ts';

/** Spaces around a list and between its members count as one (RFC 6749 §3.3 has one alone). */
function wordsOf(list: unknown): readonly string[] | undefined {
  return typeof list === 'string' ? list.split(' ').filter((word) => word !== '') : undefined;
}

/**
 * Reads a request as its client means it. `prompt=select_account` (OpenID Connect Core §3.1.2.1) asks
 * for a choice of accounts: here people choose one by signing in, so it means `login`.
 */
export function readLeniently(params: Parameters): void {
  const [scopes, prompts] = [wordsOf(params['scope']), wordsOf(params['prompt'])];
  if (scopes !== undefined) params['scope'] = scopes.join(' ') || undefined;
  if (prompts === undefined) return;
  const meant = prompts.map((prompt) => (prompt === 'select_account' ? 'login' : prompt));
  params['prompt'] = [...new Set(meant)].join(' ') || undefined;
}
