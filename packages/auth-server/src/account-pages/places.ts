import { INTEGRATIONS_PERMISSION } from '@cls/shared/access-token';
import { type Account, hasPassword } from '../accounts/account.ts';
import { digest } from '../crypto/digest.ts';
import type { StateStore } from '../state/state-store.ts';
import {
  ACCOUNT_PLACES,
  type AccountModel,
  type AccountPlace,
} from '../views/account/account-page.ts';
import type { I18n } from '../web/i18n.ts';
import type { Frame } from '../web/layout.ts';
import { type Page, type Pages, seeOther } from '../web/page.ts';
import { ACCOUNT_PLACE_PATHS, ACCOUNT_SIGN_OUT_PATH } from '../web/paths.ts';
import type { AccountPageContext } from './account-page-context.ts';

/** Where each place is, below the issuer. */
export const PLACES: Readonly<Record<AccountPlace, string>> = ACCOUNT_PLACE_PATHS;

/** The place that a path is at or below. */
export function placeOf(path: string): AccountPlace {
  const [, , name = 'overview'] = path.split('/');
  return ACCOUNT_PLACES.find((place) => place === name) ?? 'overview';
}

type Notice = NonNullable<AccountModel['notice']>;

const NOTICE = 'AccountNotice';
const NOTICE_TTL_S = 60;

/** What forms on this visitor's pages are tied to. */
export function formKey({ session }: Pick<AccountPageContext, 'session'>): string {
  return `account ${session.uid}`;
}

function hrefsOf(pages: Pages, account: Account): AccountModel['hrefs'] {
  const { password, integrations, ...others } = PLACES;
  const shown = {
    ...others,
    ...(hasPassword(account) ? { password } : {}),
    ...(account.permissions.includes(INTEGRATIONS_PERMISSION) ? { integrations } : {}),
  };
  const places = Object.entries(shown).map(([place, path]) => [place, pages.path(path)]);
  return { ...Object.fromEntries(places), signOut: pages.path(ACCOUNT_SIGN_OUT_PATH) };
}

/** Shows a page of the account area, with what was just done. */
export async function showPlace(
  context: AccountPageContext,
  render: (model: AccountModel, i18n: I18n) => string,
  problems: Page['problems'] = [],
): Promise<void> {
  const { deps, ctx, account, session } = context;
  const notice = await takeNotice(deps.state, session.uid);
  show(context, {
    problems,
    render: (frame: Frame, i18n) =>
      render(
        {
          frame,
          email: account.email,
          ...(account.name === undefined ? {} : { name: account.name }),
          hrefs: hrefsOf(deps.pages, account),
          ...(notice === undefined ? {} : { notice }),
        },
        i18n,
      ),
  });
  ctx.set('Cache-Control', 'no-store');
}

/** Shows a page whose forms are this visitor's. */
export function show(context: AccountPageContext, page: Page): void {
  const person = context.account.id;
  context.deps.pages.show(context.ctx, { csrf: formKey(context), person, ...page });
}

/** Redirects to an account page, which says what was done. */
export async function goTo(
  context: AccountPageContext,
  place: AccountPlace,
  notice?: Notice,
): Promise<void> {
  const { deps, ctx, session } = context;
  if (notice !== undefined) {
    const key = digest(session.uid);
    await deps.state.put({ kind: NOTICE, key, payload: { notice }, ttlS: NOTICE_TTL_S });
  }
  seeOther(ctx, deps.pages.path(PLACES[place]));
}

async function takeNotice(state: StateStore, uid: string): Promise<Notice | undefined> {
  const key = digest(uid);
  const entry = await state.find(NOTICE, key);
  if (entry === undefined) return undefined;
  await state.remove(NOTICE, key);
  return entry.payload['notice'] as Notice;
}
