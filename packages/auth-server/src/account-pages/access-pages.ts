import { digest } from '../crypto/digest.ts';
import type { ApplicationWithAccess } from '../sessions/account-applications.ts';
import { applicationsPage } from '../views/account/applications.ts';
import { confirmationPage } from '../views/account/confirmation.ts';
import { sessionsPage } from '../views/account/sessions.ts';
import { shownApplication } from '../web/application.ts';
import { actorOf } from '../web/browser.ts';
import { permissionNames } from '../web/permission-names.ts';
import type { AccountPageContext, Form } from './account-page-context.ts';
import { goTo, PLACES, show, showPlace } from './places.ts';

const PATHS = {
  end: '/account/sessions/end',
  endOthers: '/account/sessions/end-others',
  withdraw: '/account/applications/withdraw',
} as const;

export async function showSessions(context: AccountPageContext): Promise<void> {
  const { deps, account, session } = context;
  const current = digest(session.uid);
  const sessions = (await deps.accountSessions.list(account)).map(({ uid, ...each }) => ({
    ...each,
    current: uid === current,
  }));
  await showPlace(context, (model, i18n) =>
    sessionsPage(
      {
        ...model,
        sessions: [
          ...sessions.filter((each) => each.current),
          ...sessions.filter((each) => !each.current),
        ],
        endAction: deps.pages.path(PATHS.end),
        endOthersAction: deps.pages.path(PATHS.endOthers),
      },
      i18n,
    ),
  );
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
          permissions: permissionNames(scopes, deps.scopeBase, account.permissions),
          since,
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
