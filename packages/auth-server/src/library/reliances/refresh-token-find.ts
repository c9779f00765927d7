import { Provider } from 'oidc-provider';

/**
 * Lets `change` adjust the scope that a request asks for before the library compares it with the
 * scope of the refresh token. The library reads the token first, through the method that is replaced
 * here.
 *
 * @param change returns the scope that counts; undefined leaves it as it was sent.
 */
export function adjustRefreshScope(
  provider: Provider,
  change: (asked: string) => string | undefined,
): void {
  const Tokens = provider.RefreshToken;
  const { find } = Tokens;
  Tokens.find = async function findAdjusted(this: typeof Tokens, ...args: Parameters<typeof find>) {
    const params = Provider.ctx?.oidc?.params;
    const asked = params?.['scope'];
    const counting = typeof asked === 'string' ? change(asked) : undefined;
    if (params !== undefined && counting !== undefined) params['scope'] = counting;
    return find.apply(this, args);
  } as typeof find;
}
