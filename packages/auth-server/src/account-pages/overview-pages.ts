import { Readable } from 'node:stream';
import { hasPassword } from '../accounts/account.ts';
import { RECOVERY_CODES_LOW } from '../factors/recovery-code.ts';
import { changePasswordPage } from '../views/account/change-password.ts';
import { type OverviewModel, overviewPage } from '../views/account/overview.ts';
import { securityLogPage } from '../views/account/security-log.ts';
import { actorOf } from '../web/browser.ts';
import type { Problem } from '../web/form.ts';
import { RESET_PATH } from '../web/paths.ts';
import type { AccountPageContext, Form } from './account-page-context.ts';
import { NAME_PATH } from './name-page.ts';
import { goTo, PLACES, showPlace } from './places.ts';

export const DATA_PATH = '/account/data.json';

export async function showOverview(context: AccountPageContext): Promise<void> {
  const { deps, account } = context;
  const [customer, setAt, factors, codes, sessions, applications, log] = await Promise.all([
    deps.customers.find(account.customer),
    deps.records.passwordSetAt(account.id),
    deps.manageFactors.list(account),
    deps.recoveryCodes.count(account),
    deps.accountSessions.list(account),
    deps.accountApplications.list(account),
    deps.securityLog(account),
  ]);
  const upstream = await upstreamOf(context);
  const last = log.entries.find(({ type }) => type === 'signed_in');
  await showPlace(context, (model, i18n) =>
    overviewPage(
      {
        ...model,
        organisation: customer?.name ?? account.customer,
        ...(upstream === undefined ? {} : { upstream }),
        ...(setAt === undefined ? {} : { passwordSetAt: setAt }),
        factorCount: factors.length,
        recoveryCodes: codes,
        recoveryCodesLow: RECOVERY_CODES_LOW,
        sessionCount: sessions.length,
        applicationCount: applications.length,
        nameHref: deps.pages.path(NAME_PATH),
        downloadHref: deps.pages.path(DATA_PATH),
        ...(last === undefined ? {} : { lastSignIn: { device: {}, ...last } }),
      },
      i18n,
    ),
  );
}

/** All that is kept about the person, as a file; what opens something is not among it. */
export async function downloadData(context: AccountPageContext): Promise<void> {
  const { deps, ctx, account } = context;
  const { id, email, name, customer, permissions } = account;
  const [factors, codes, sessions, devices, applications] = await Promise.all([
    deps.manageFactors.list(account),
    deps.recoveryCodes.count(account),
    deps.accountSessions.list(account),
    deps.rememberedDevices.list(account),
    deps.accountApplications.list(account),
  ]);
  const data = {
    account: { id, email, ...(name === undefined ? {} : { name }), customer, permissions },
    factors: factors.map(({ removable: _, ...factor }) => factor),
    recoveryCodes: codes,
    sessions: sessions.map(({ uid: _, ...session }) => session),
    rememberedDevices: devices,
    applications: applications.map(({ application, ...access }) => ({
      id: application.id,
      name: application.name,
      ...access,
    })),
  };
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Content-Disposition', 'attachment; filename="cls-account.json"');
  ctx.type = 'application/json';
  ctx.body = Readable.from(withLog(data, context));
}

/** Page by page: strangers' failures make a log as long as they like. */
async function* withLog(
  data: object,
  { deps, account }: AccountPageContext,
): AsyncGenerator<string> {
  yield `${JSON.stringify(data, undefined, 2).slice(0, -'\n}'.length)},\n  "securityLog": [`;
  let separator = '\n    ';
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await deps.securityLog(account, cursor);
    for (const entry of page.entries) {
      yield `${separator}${JSON.stringify(entry)}`;
      separator = ',\n    ';
    }
    cursor = page.older;
  }
  yield '\n  ]\n}\n';
}

/** Who has no password here signs in at the organisation's own provider. */
async function upstreamOf({
  deps,
  account,
}: AccountPageContext): Promise<OverviewModel['upstream']> {
  if (hasPassword(account)) return undefined;
  return deps.upstreamSignIn.offered(account.email);
}

export async function showPassword(
  context: AccountPageContext,
  problems: readonly Problem<'password' | 'new_password'>[] = [],
): Promise<void> {
  const { deps } = context;
  if (!hasPassword(context.account)) return goTo(context, 'overview');
  await showPlace(
    context,
    (model, i18n) =>
      changePasswordPage(
        {
          ...model,
          action: deps.pages.path(PLACES.password),
          lengthMin: deps.passwordRules.lengthMin,
          resetHref: deps.pages.path(RESET_PATH),
          problems,
        },
        i18n,
      ),
    problems,
  );
}

export async function changePassword(context: AccountPageContext, form: Form): Promise<void> {
  const { deps, ctx, account, session } = context;
  const { password = '', new_password: newPassword = '' } = form;
  const given = { password, newPassword };
  const problem = await deps.changePassword(account, given, session, actorOf(ctx));
  if (problem !== undefined) return showPassword(context, [problem]);
  return goTo(context, 'password', 'password_changed');
}

export async function showLog(context: AccountPageContext): Promise<void> {
  const { deps, ctx, account } = context;
  const { before } = ctx.query;
  const cursor = typeof before === 'string' ? before : undefined;
  const { entries, older } = await deps.securityLog(account, cursor);
  const href = deps.pages.path(PLACES.log);
  await showPlace(context, (model, i18n) =>
    securityLogPage(
      {
        ...model,
        entries,
        ...(cursor === undefined ? {} : { newerHref: href }),
        ...(older === undefined ? {} : { olderHref: `${href}?before=${older}` }),
      },
      i18n,
    ),
  );
}
