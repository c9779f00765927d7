import { dropCookie, readCookie } from '@cls/shared/pages/browser';
import { openHrefOf } from '../clients/application.ts';
import { digest } from '../crypto/digest.ts';
import { endSessionWithBrowser } from '../library/session-lifetime.ts';
import type { ApplicationWithAccess } from '../sessions/account-applications.ts';
import { deviceIdOf } from '../sessions/remembered-devices.ts';
import { applicationsPage } from '../views/account/applications.ts';
import { confirmationPage } from '../views/account/confirmation.ts';
import { sessionsPage } from '../views/account/sessions.ts';
import { actorOf, REMEMBERED_COOKIE } from '../web/browser.ts';
import { logoOf, shownApplication } from '../web/layout.ts';
import { permissionNames } from '../web/permission-names.ts';
import type { AccountPageContext, Form } from './account-page-context.ts';
import { goTo, PLACES, show, showPlace } from './places.ts';

const PATHS = {
  end: '/account/sessions/end',
  endOthers: '/account/sessions/end-others',
  forget: '/account/sessions/forget',
  withdraw: '/account/applications/withdraw',
} as const;

export async function showSessions(context: AccountPageContext): Promise<void> {
  const { deps, account, session } = context;
  const current = digest(session.uid);
  const [listed, devices] = await Promise.all([
    deps.accountSessions.list(account),
    deps.rememberedDevices.list(account),
  ]);
  const sessions = listed.map(({ uid, rememberedDeviceId, ...each }) => {
    const remembered = devices.find(({ id }) => id === rememberedDeviceId);
    return {
      ...each,
      current: uid === current,
      ...(remembered === undefined ? {} : { remembered }),
    };
  });
  const inSession = new Set(sessions.map(({ remembered }) => remembered?.id));
  await showPlace(context, (model, i18n) =>
    sessionsPage(
      {
        ...model,
        sessions: [
          ...sessions.filter((each) => each.current),
          ...sessions.filter((each) => !each.current),
        ],
        devices: devices.filter(({ id }) => !inSession.has(id)),
        endAction: deps.pages.path(PATHS.end),
        endOthersAction: deps.pages.path(PATHS.endOthers),
        forgetAction: deps.pages.path(PATHS.forget),
      },
      i18n,
    ),
  );
}

/** In this browser, the sign-in ends with the browser from now on. */
export async function forgetDevice(context: AccountPageContext, form: Form): Promise<void> {
  const { provider, deps, ctx, account } = context;
  const { device: id = '' } = form;
  if (deviceIdOf(readCookie(ctx, REMEMBERED_COOKIE)) === id) {
    await endSessionWithBrowser(provider, ctx, deps.sessions);
    dropCookie(ctx, REMEMBERED_COOKIE);
  }
  await deps.rememberedDevices.forget(account, id, actorOf(ctx));
  return goTo(context, 'sessions', 'device_forgotten');
}

/** A session that is over already counts as ended: that is what the person asked for. */
export async function endSession(context: AccountPageContext, form: Form): Promise<void> {
  const { deps, ctx, account } = context;
  await deps.accountSessions.end(account, form['session'] ?? '', actorOf(ctx));
  return goTo(context, 'sessions', 'session_ended');
}

export async function endOtherSessions(context: AccountPageContext): Promise<void> {
  const { deps, ctx, account, session } = context;
  await deps.accountSessions.endOthers(account, digest(session.uid), actorOf(ctx));
  return goTo(context, 'sessions', 'sessions_ended');
}

export async function showApplications(context: AccountPageContext): Promise<void> {
  const { deps, account } = context;
  const applications = await deps.accountApplications.list(account);
  await showPlace(context, (model, i18n) =>
    applicationsPage(
      {
        ...model,
        applications: applications.map(({ application, scopes, since, lastUsedAt }) => ({
          ...shownApplication(application.name, application.redirectUris[0]),
          ...logoOf(application, deps.pages.path),
          permissions: permissionNames(scopes, deps.scopeBase, account.permissions),
          since,
          openHref: openHrefOf(application, deps.issuer),
          ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
          withdrawHref: `${deps.pages.path(PATHS.withdraw)}?application=${application.id}`,
        })),
      },
      i18n,
    ),
  );
}

export async function askToWithdraw(context: AccountPageContext): Promise<void> {
  const { path } = context.deps.pages;
  const found = await applicationOf(context);
  if (found === undefined) return goTo(context, 'applications');
  const { id, name } = found.application;
  show(context, {
    render: (frame, i18n) =>
      confirmationPage(
        {
          frame,
          subject: { kind: 'withdraw_access', name },
          action: `${path(PATHS.withdraw)}?application=${id}`,
          cancelHref: path(PLACES.applications),
        },
        i18n,
      ),
  });
}

export async function withdraw(context: AccountPageContext): Promise<void> {
  const { deps, ctx, account } = context;
  const { application: id } = ctx.query;
  if (typeof id === 'string') {
    await deps.accountApplications.withdraw(account, id, actorOf(ctx));
  }
  return goTo(context, 'applications', 'access_withdrawn');
}

async function applicationOf(
  context: AccountPageContext,
): Promise<ApplicationWithAccess | undefined> {
  const { deps, ctx, account } = context;
  const applications = await deps.accountApplications.list(account);
  return applications.find(({ application }) => application.id === ctx.query['application']);
}
