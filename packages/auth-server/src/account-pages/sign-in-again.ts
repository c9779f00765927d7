import type { Context } from 'koa';
import { ACCOUNT_PAGES_CLIENT_ID } from '../library/client-metadata.ts';
import { seeOther } from '../web/page.ts';
import { ACCOUNT_SIGNED_IN_PATH, ROUTES } from '../web/paths.ts';
import type { AccountPagesDeps } from './account-page-context.ts';

/**
 * To the authorization endpoint, and back to a page. `response_type=none`: there is no token to be
 * had, the session is what counts (OAuth 2.0 Multiple Response Type Encoding Practices §4).
 *
 * @param state which page, as `/account/signed-in` knows it; it comes back through the browser.
 */
export function signIn(
  { issuer, pages }: AccountPagesDeps,
  ctx: Context,
  state: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const query = new URLSearchParams({
    client_id: ACCOUNT_PAGES_CLIENT_ID,
    response_type: 'none',
    scope: 'openid',
    redirect_uri: `${issuer}${ACCOUNT_SIGNED_IN_PATH}`,
    state,
    ...more,
  });
  seeOther(ctx, `${pages.path(ROUTES.authorization)}?${query}`);
}
