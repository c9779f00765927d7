import type { Context } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AccountDirectory } from '../accounts/account.ts';
import { ACCOUNT_PATH } from '../provider/client-metadata.ts';
import { type ProviderPages, ROUTES } from '../provider/configuration.ts';
import {
  deviceCodePage,
  deviceConfirmationPage,
  deviceDonePage,
} from '../views/authorization/device.ts';
import type { WayOn } from '../views/layout.ts';
import { errorKind } from '../views/outcome/error.ts';
import { signedOutPage, signOutPage } from '../views/sign-in/sign-out.ts';
import { formTargetsOf, type ShownApplication, shownClient } from './application.ts';
import { showErrorPage } from './error-page.ts';
import type { Pages } from './page.ts';
import { permissionNames } from './permission-names.ts';

/** The status of the form that comes back because there is no such code, or no more. */
export const CODE_NOT_GOOD = 422;

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
  const error: ProviderPages['error'] = (ctx, { error: code, error_description: description }) => {
    showErrorPage(pages, ctx as unknown as Context, {
      status: ctx.status,
      kind: errorKind(code),
      wayOn: wayOnFrom(applicationOf(ctx), pages),
      technical: { error: code, ...(description === undefined ? {} : { description }) },
    });
  };
  const deviceDone: ProviderPages['deviceDone'] = async (ctx) => {
    const { provider, entities } = ctx.oidc;
    const denied = entities.DeviceCode?.error !== undefined;
    const client = await provider.Client.find(entities.DeviceCode?.clientId ?? '');
    show(ctx, {
      render: (frame, i18n) =>
        deviceDonePage(
          {
            frame,
            outcome: denied ? 'denied' : 'allowed',
            applicationName: client?.clientName ?? '',
          },
          i18n,
        ),
    });
  };
  return {
    interactionPath: (uid) => pages.path(`/interaction/${uid}`),
    error,
    async signOut(ctx) {
      const email = await emailOf(ctx);
      const application = applicationOf(ctx);
      show(ctx, {
        formTargets: formTargetsOf(ctx.oidc.client),
        render: (frame, i18n) =>
          signOutPage(
            {
              frame,
              action: pages.path(`${ROUTES.end_session}/confirm`),
              ...xsrfOf(ctx),
              ...(email === undefined ? {} : { email }),
              ...(application === undefined ? {} : { application }),
              stayHref: application?.href ?? pages.path(ACCOUNT_PATH),
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
              signInHref: application?.href ?? pages.path(ACCOUNT_PATH),
              ...(application === undefined ? {} : { wayOn: wayOnFrom(application, pages) }),
            },
            i18n,
          ),
      });
    },
    async deviceCode(ctx, out) {
      // The library comes back to this form from each failure: with 200 where the code was not good
      // any more, which may be because the person has just denied it.
      if (ctx.oidc.entities.DeviceCode?.error !== undefined) return deviceDone(ctx);
      if (out !== undefined && ctx.status !== 200) return error(ctx, out, new Error(out.error));
      show(ctx, {
        status: out === undefined ? 200 : CODE_NOT_GOOD,
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
    deviceDone,
  };
}

function xsrfOf(ctx: KoaContextWithOIDC): { xsrf?: string } {
  const secret = (ctx.oidc.session?.state as { secret?: string } | undefined)?.secret;
  return secret === undefined ? {} : { xsrf: secret };
}

function applicationOf(ctx: KoaContextWithOIDC): ShownApplication | undefined {
  const { client } = ctx.oidc ?? {};
  return client === undefined ? undefined : shownClient(client);
}

/** Applications without a page of their own have no way on but ours. */
export function wayOnFrom(application: ShownApplication | undefined, pages: Pages): WayOn {
  if (application?.href === undefined) {
    return { to: 'account', href: pages.path(ACCOUNT_PATH) };
  }
  return { to: 'start_again', name: application.name, href: application.href };
}
