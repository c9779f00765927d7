import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { DEVICE_GRANT } from '../../clients/grant-types.ts';
import type { Provider } from '../../library/oidc.ts';
import { routesOf } from '../../library/request-context.ts';
import { type DeviceDoneModel, deviceDonePage } from '../../views/authorization/device.ts';
import { type Pages, seeOther } from '../../web/page.ts';
import { ROUTES } from '../../web/paths.ts';

const OUTCOMES: readonly DeviceDoneModel['outcome'][] = ['allowed', 'denied'];

/**
 * Redirects to a page of its own: the code is used, so a form that is sent again would show an
 * error.
 */
export function leadToDeviceDone(
  pages: Pages,
  ctx: Context,
  application: string,
  allowed: boolean,
): void {
  const path = `${ROUTES.code_verification}/${allowed ? 'allowed' : 'denied'}`;
  seeOther(ctx, `${pages.path(path)}?${new URLSearchParams({ application })}`);
}

/** The pages with the outcome for a second device: `/device/allowed` and `/device/denied`. */
export function deviceDoneRoutes(provider: Provider, pages: Pages): Middleware {
  const router = new Router({ sensitive: true, strict: true });
  for (const outcome of OUTCOMES) {
    router.get(`${ROUTES.code_verification}/${outcome}`, async (ctx) => {
      const { application } = ctx.query;
      const client = await provider.Client.find(String(application ?? ''));
      if (!client?.grantTypeAllowed(DEVICE_GRANT))
        return seeOther(ctx, pages.path(ROUTES.code_verification));
      const applicationName = client.clientName ?? '';
      pages.show(ctx, {
        render: (frame, i18n) => deviceDonePage({ frame, outcome, applicationName }, i18n),
      });
    });
  }
  return routesOf(router);
}
