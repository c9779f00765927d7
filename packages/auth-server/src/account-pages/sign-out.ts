import { digest } from '../crypto/digest.ts';
import type { KoaContextWithOIDC } from '../library/oidc.ts';
import { actorOf } from '../web/browser.ts';
import { seeOther } from '../web/page.ts';
import { SIGNED_OUT_PATH } from '../web/paths.ts';
import type { AccountPageContext } from './account-page-context.ts';

/** The form on these pages is the question already: RP-initiated logout asks once more. */
export async function signOut(context: AccountPageContext): Promise<void> {
  const { provider, deps, ctx, account, session: name } = context;
  await deps.accountSessions.signOut(account, digest(name.uid), actorOf(ctx));
  const session = await provider.Session.get(ctx as KoaContextWithOIDC);
  await session.destroy();
  // Cookies stay: those by which a person's device is known outlive a session.
  ctx.set('Clear-Site-Data', '"cache", "storage"');
  seeOther(ctx, deps.pages.path(SIGNED_OUT_PATH));
}
