import type { Context } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AccountDirectory } from '../accounts/account.ts';
import { type ProviderPages, ROUTES } from '../provider/configuration.ts';
import {
  deviceCodePage,
  deviceConfirmationPage,
  deviceDonePage,
} from '../views/authorization/device.ts';
import type { Application, WayOn } from '../views/layout.ts';
import { errorKind, errorPage } from '../views/outcome/error.ts';
import { signedOutPage, signOutPage } from '../views/sign-in/sign-out.ts';
import type { Pages } from './page.ts';
import { permissionNames } from './permission-names.ts';

/** The pages that the library itself answers with. */
export function providerPages(
  pages: Pages,
  accounts: AccountDirectory,
  scopeBase: string,
): ProviderPages {
  const show = (ctx: KoaContextWithOIDC, page: Parameters<Pages['show']>[1]) =>
    pages.show(ctx as unknown as Context, page);
  const emailOf = async (ctx: KoaContextWithOIDC) => {
    const id = ctx.oidc.session?.accountId;
    return id === undefined ? undefined : (await accounts.find(id))?.email;
  };
  return {
    interactionPath: (uid) => pages.path(`/interaction/${uid}`),
    error(ctx, { error, error_description: description }) {
      const application = applicationOf(ctx);
      show(ctx, {
        status: ctx.status,
        render: (frame, i18n) =>
          errorPage(
            {
              frame,
              kind: errorKind(error),
              referenceId: String(ctx.state['requestId'] ?? ''),
              wayOn: wayOnFrom(application, pages),
              technical: { error, ...(description === undefined ? {} : { description }) },
            },
            i18n,
          ),
      });
    },
    async signOut(ctx) {
      const email = await emailOf(ctx);
      const application = applicationOf(ctx);
      const { post_logout_redirect_uri: target } = ctx.oidc.params ?? {};
      show(ctx, {
        // Registered, when the library knows whose it is.
        formTargets: application !== undefined && typeof target === 'string' ? [target] : [],
        render: (frame, i18n) =>
          signOutPage(
            {
              frame,
              action: pages.path(`${ROUTES.end_session}/confirm`),
              ...xsrfOf(ctx),
              ...(email === undefined ? {} : { email }),
              ...(application === undefined ? {} : { application }),
              stayHref: application?.href ?? pages.path(`${ROUTES.end_session}/success`),
            },
            i18n,
          ),
      });
    },
    async signedOut(ctx) {
      const application = applicationOf(ctx);
      show(ctx, {
        render: (frame, i18n) =>
          signedOutPage(
            {
              frame,
              stillSignedIn: [],
              signInHref: application?.href ?? pages.path(ROUTES.code_verification),
              ...(application === undefined ? {} : { wayOn: wayOnFrom(application, pages) }),
            },
            i18n,
          ),
      });
    },
    deviceCode(ctx, out) {
      show(ctx, {
        render: (frame, i18n) =>
          deviceCodePage(
            {
              frame,
              action: pages.path(ROUTES.code_verification),
              ...xsrfOf(ctx),
              problems:
                out === undefined ? [] : [{ field: 'user_code', code: 'user_code_wrong' as const }],
            },
            i18n,
          ),
      });
    },
    async deviceConfirmation(ctx, userCode) {
      const email = await emailOf(ctx);
      const { scope } = ctx.oidc.params ?? {};
      show(ctx, {
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
            },
            i18n,
          ),
      });
    },
    deviceDone(ctx) {
      const denied = ctx.oidc.entities.DeviceCode?.error !== undefined;
      show(ctx, {
        render: (frame, i18n) =>
          deviceDonePage(
            {
              frame,
              outcome: denied ? 'denied' : 'allowed',
              applicationName: ctx.oidc.client?.clientName ?? '',
            },
            i18n,
          ),
      });
    },
  };
}

function xsrfOf(ctx: KoaContextWithOIDC): { xsrf?: string } {
  const secret = (ctx.oidc.session?.state as { secret?: string } | undefined)?.secret;
  return secret === undefined ? {} : { xsrf: secret };
}

/** The application of a request, with where people find it. */
function applicationOf(
  ctx: KoaContextWithOIDC,
): (Application & { readonly href: string }) | undefined {
  const { client } = ctx.oidc ?? {};
  const [uri] = client?.redirectUris ?? [];
  if (client === undefined || uri === undefined || !/^https?:/.test(uri)) return undefined;
  const { host, origin } = new URL(uri);
  return { name: client.clientName ?? host, host, href: origin };
}

export function wayOnFrom(
  application: { readonly name: string; readonly href: string } | undefined,
  pages: Pages,
): WayOn {
  if (application === undefined) {
    return { to: 'sign_in', href: pages.path(ROUTES.code_verification) };
  }
  return { to: 'start_again', name: application.name, href: application.href };
}
