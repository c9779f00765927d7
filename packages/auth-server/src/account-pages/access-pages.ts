import { digest } from '../crypto/state-seal.ts';
import type { ApplicationWithAccess } from '../sessions/account-applications.ts';
import { applicationsPage } from '../views/account/applications.ts';
import { confirmationPage } from '../views/account/confirmation.ts';
import { sessionsPage } from '../views/account/sessions.ts';
import { requesterOf } from '../web/actor.ts';
import { shownApplication } from '../web/application.ts';
import { permissionNames } from '../web/permission-names.ts';
import type { Form, Visit } from './account-page-context.ts';
import { goTo, PLACES, show, showPlace } from './places.ts';

const PATHS = {
  end: '/account/sessions/end',
  endOthers: '/account/sessions/end-others',
  withdraw: '/account/applications/withdraw',
} as const;

export async function showSessions(visit: Visit): Promise<void> {
  const { parts, account, session } = visit;
  const current = digest(session.uid);
  const sessions = (await parts.accountSessions.list(account)).map(({ uid, ...each }) => ({
    ...each,
    current: uid === current,
  }));
  await showPlace(visit, (model, i18n) =>
    sessionsPage(
      {
        ...model,
        sessions: [
          ...sessions.filter((each) => each.current),
          ...sessions.filter((each) => !each.current),
        ],
        endAction: parts.pages.path(PATHS.end),
        endOthersAction: parts.pages.path(PATHS.endOthers),
      },
      i18n,
    ),
  );
}

/** One that is over already is ended, too: that is what was asked for. */
export async function endSession(visit: Visit, form: Form): Promise<void> {
  const { parts, ctx, account } = visit;
  await parts.accountSessions.end(account, form['session'] ?? '', requesterOf(ctx));
  return goTo(visit, 'sessions', 'session_ended');
}

export async function endOtherSessions(visit: Visit): Promise<void> {
  const { parts, ctx, account, session } = visit;
  await parts.accountSessions.endOthers(account, digest(session.uid), requesterOf(ctx));
  return goTo(visit, 'sessions', 'sessions_ended');
}

export async function showApplications(visit: Visit): Promise<void> {
  const { parts, account } = visit;
  const applications = await parts.accountApplications.list(account);
  await showPlace(visit, (model, i18n) =>
    applicationsPage(
      {
        ...model,
        applications: applications.map(({ application, scopes, since, lastUsedAt }) => ({
          ...shownApplication(application.name, application.redirectUris[0]),
          permissions: permissionNames(scopes, parts.scopeBase, account.permissions),
          since,
          ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
          withdrawHref: `${parts.pages.path(PATHS.withdraw)}?application=${application.id}`,
        })),
      },
      i18n,
    ),
  );
}

export async function askToWithdraw(visit: Visit): Promise<void> {
  const { path } = visit.parts.pages;
  const found = await applicationOf(visit);
  if (found === undefined) return goTo(visit, 'applications');
  const { id, name } = found.application;
  show(visit, {
    render: (frame, i18n) =>
      confirmationPage(
        {
          frame,
          deed: { kind: 'withdraw_access', name },
          action: `${path(PATHS.withdraw)}?application=${id}`,
          cancelHref: path(PLACES.applications),
        },
        i18n,
      ),
  });
}

export async function withdraw(visit: Visit): Promise<void> {
  const { parts, ctx, account } = visit;
  const { application: id } = ctx.query;
  if (typeof id === 'string') {
    await parts.accountApplications.withdraw(account, id, requesterOf(ctx));
  }
  return goTo(visit, 'applications', 'access_withdrawn');
}

async function applicationOf(visit: Visit): Promise<ApplicationWithAccess | undefined> {
  const { parts, ctx, account } = visit;
  const applications = await parts.accountApplications.list(account);
  return applications.find(({ application }) => application.id === ctx.query['application']);
}
