import { DatabaseUnavailable } from '@cls/shared/sql/database';
import type { AccountDirectory } from '../../accounts/account.ts';
import type { ProviderPages } from '../../library/configuration.ts';
import { errors, type KoaContextWithOIDC } from '../../library/oidc.ts';
import { signOutFormPath } from '../../library/reliances/form-fields.ts';
import { formSecretOf } from '../../library/reliances/form-secret.ts';
import { forgetUnkept, isKept } from '../../library/reliances/kept-session.ts';
import { isOfRemovedKey } from '../../library/reliances/removed-key.ts';
import { isOfUnreadableBody } from '../../library/reliances/unreadable-body.ts';
import { whyCodeIsAsked } from '../../library/reliances/user-code.ts';
import type { AccountAccess } from '../../sessions/account-access.ts';
import {
  deviceCodePage,
  deviceConfirmationPage,
  USER_CODE_MAX,
} from '../../views/authorization/device.ts';
import { signedOutPage, signOutPage } from '../../views/sign-in/sign-out.ts';
import { type ErrorKind, errorKind } from '../../web/error.ts';
import { showErrorPage } from '../../web/error-page.ts';
import { showExpired } from '../../web/expired-page.ts';
import { type Application, shownClient } from '../../web/layout.ts';
import { nextLinkFrom } from '../../web/next-link.ts';
import { formTargetsOf, type Pages, seeOther } from '../../web/page.ts';
import { ACCOUNT_PATH, ROUTES } from '../../web/paths.ts';
import { permissionNames } from '../../web/permission-names.ts';
import { leadToDeviceDone } from '../device/device-done.ts';
import { CODE_NOT_GOOD } from '../device/device-guesses.ts';
import { isAskedByOwnApplication, signOutAtOnce } from '../logout/own-application.ts';

/** What the library calls an application's request to sign out, and the forms that people send. */
const SIGN_OUT_REQUEST = 'end_session';
const SIGN_OUT = 'end_session_confirm';
const DEVICE = 'code_verification';
const FORMS = new Set([SIGN_OUT, DEVICE]);

/** The pages that the library itself answers with. */
export function providerPages(
  pages: Pages,
  { accounts, access }: { accounts: AccountDirectory; access: Pick<AccountAccess, 'signedOut'> },
  scopeBase: string,
): ProviderPages {
  const { show } = pages;
  const emailOf = async (ctx: KoaContextWithOIDC) => {
    const id = ctx.oidc.session?.accountId;
    return id === undefined ? undefined : (await accounts.find(id))?.email;
  };
  const showSignedOut = (ctx: KoaContextWithOIDC) => {
    const application = applicationOf(ctx);
    show(ctx, {
      render: (frame, i18n) =>
        signedOutPage(
          {
            frame,
            signInHref: application?.href ?? pages.path(ACCOUNT_PATH),
            ...(application === undefined ? {} : { nextLink: nextLinkFrom(application, pages) }),
          },
          i18n,
        ),
    });
  };
  const signOutWay = { to: 'sign_out', href: pages.path(ROUTES.end_session) } as const;
  const deviceWay = { to: 'device', href: pages.path(ROUTES.code_verification) } as const;
  const error: ProviderPages['error'] = (ctx, out, cause) => {
    const { error: code, error_description: description } = out;
    const nextLink = nextLinkFrom(applicationOf(ctx), pages);
    // Not mistakes of an application: the Back button, a second tab, a form that was sent twice.
    if (cause instanceof errors.SessionNotFound) {
      return showExpired(pages, ctx);
    }
    if (ctx.method === 'POST' && FORMS.has(ctx.oidc?.route) && ctx.status === 400) {
      const { route, session } = ctx.oidc;
      if (route === SIGN_OUT && session?.accountId === undefined) return showSignedOut(ctx);
      const again = route === SIGN_OUT ? signOutWay : deviceWay;
      const refused = { status: 400, kind: kindOfForm(ctx, description), nextLink: again } as const;
      return showErrorPage(pages, ctx, refused);
    }
    const { id_token_hint: hint, ...asked } = ctx.query;
    // Its key was taken away because it leaked; the person is asked, as without a token.
    if (ctx.oidc?.route === SIGN_OUT_REQUEST && isOfRemovedKey(cause, hint)) {
      const query = new URLSearchParams(asked as Record<string, string>);
      return seeOther(ctx, `${pages.path(ROUTES.end_session)}?${query}`);
    }
    // The person wanted to sign out, and can do so here in spite of the application's mistake.
    const staysIn =
      ctx.oidc?.route === SIGN_OUT_REQUEST && ctx.oidc.session?.accountId !== undefined;
    showErrorPage(pages, ctx, {
      status: ctx.status,
      ...(staysIn
        ? { kind: 'sign_out_request', nextLink: signOutWay }
        : { kind: errorKind(code), nextLink }),
      technical: { error: code, ...(description === undefined ? {} : { description }) },
    });
  };
  const deviceDone: ProviderPages['deviceDone'] = async (ctx) => {
    const { clientId = '', error: refusal } = ctx.oidc.entities.DeviceCode ?? {};
    leadToDeviceDone(pages, ctx, clientId, refusal === undefined);
  };
  return {
    path: pages.path,
    error,
    async signOut(ctx) {
      if (isAskedByOwnApplication(ctx)) return signOutAtOnce(ctx, access, pages);
      const email = await emailOf(ctx);
      const application = applicationOf(ctx);
      show(ctx, {
        formTargets: formTargetsOf(ctx.oidc.client),
        render: (frame, i18n) =>
          signOutPage(
            {
              frame,
              action: pages.path(signOutFormPath(ROUTES.end_session)),
              ...xsrfOf(ctx),
              ...(email === undefined ? {} : { email }),
              ...(application === undefined ? {} : { application }),
              stayHref: application?.href ?? pages.path(ACCOUNT_PATH),
            },
            i18n,
          ),
      });
    },
    signedOut: async (ctx) => showSignedOut(ctx),
    async deviceCode(ctx, out, failure) {
      const why = whyCodeIsAsked(ctx, out);
      if (why === 'denied') return deviceDone(ctx);
      if (why === 'failed' && out !== undefined) {
        if (ctx.oidc.session !== undefined) forgetUnkept(ctx.oidc.session);
        if (failure instanceof DatabaseUnavailable) throw failure; // See library/render-error.ts.
        return error(ctx, out, new Error(out.error));
      }
      const { user_code: typed } = out === undefined ? {} : (ctx.oidc.params ?? {});
      const empty = typeof typed !== 'string' || typed.trim() === '';
      const code = empty ? 'code_required' : 'user_code_wrong';
      show(ctx, {
        status: out === undefined ? 200 : CODE_NOT_GOOD,
        render: (frame, i18n) =>
          deviceCodePage(
            {
              frame,
              action: pages.path(ROUTES.code_verification),
              ...xsrfOf(ctx),
              ...(typeof typed === 'string' ? { userCode: typed.slice(0, USER_CODE_MAX) } : {}),
              problems: out === undefined ? [] : [{ field: 'user_code', code }],
            },
            i18n,
          ),
      });
    },
    async deviceConfirmation(ctx, userCode, address) {
      const email = await emailOf(ctx);
      // The form's own parameters are the person's; what is asked for came with the device.
      const { scope } = ctx.oidc.entities.DeviceCode?.params ?? {};
      show(ctx, {
        again: `${new URLSearchParams({ user_code: userCode })}`,
        render: (frame, i18n) =>
          deviceConfirmationPage(
            {
              frame,
              action: pages.path(ROUTES.code_verification),
              ...xsrfOf(ctx),
              userCode,
              applicationName: ctx.oidc.client?.clientName ?? '',
              ...(email === undefined ? {} : { email }),
              permissions: permissionNames(String(scope ?? '').split(' '), scopeBase),
              address,
            },
            i18n,
          ),
      });
    },
    deviceDone,
  };
}

/**
 * Why a form is refused. Of a session's device pages only the last is good, and that once; in a
 * session that is not kept yet there was none.
 */
function kindOfForm({ oidc }: KoaContextWithOIDC, description?: string): ErrorKind {
  if (isOfUnreadableBody(description)) return 'form_unreadable';
  const shownBefore = oidc.route === DEVICE && isKept(oidc.session ?? {});
  return shownBefore ? 'device_page_over' : 'form_refused';
}

function xsrfOf(ctx: KoaContextWithOIDC): { xsrf?: string } {
  const secret = formSecretOf(ctx.oidc.session);
  return secret === undefined ? {} : { xsrf: secret };
}

function applicationOf(ctx: KoaContextWithOIDC): Application | undefined {
  const { client } = ctx.oidc ?? {};
  return client === undefined ? undefined : shownClient(client);
}
