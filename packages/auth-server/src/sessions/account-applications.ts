import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/actor.ts';
import type { Application, ApplicationDirectory } from '../clients/application.ts';
import { type AuditAndNotifyDeps, auditAndNotify } from '../mail/security-notice.ts';
import type { AccountAccess } from './account-access.ts';
import { endAround } from './end-around.ts';
import type { ConsentRecords } from './session-store.ts';

/** An application that has access on a person's behalf, or may take it without asking again. */
export interface ApplicationWithAccess {
  readonly application: Application;
  readonly scopes: readonly string[];
  readonly since: Date;
  /** Absent when nothing that it got is alive. */
  readonly lastUsedAt?: Date;
}

/** Applications and a person's account; the use cases behind the pages. */
export interface AccountApplications {
  /** The oldest access first. */
  list(account: Account): Promise<readonly ApplicationWithAccess[]>;
  /** Keeps what the person has allowed, so that it is not asked for again. Tells them about more. */
  allow(account: Account, id: string, scopes: readonly string[], actor: Actor): Promise<void>;
  /** The person has connected it on a second device. They get a message each time. */
  deviceConnected(account: Account, id: string, actor: Actor): Promise<void>;
  /** Ends all that the application got; it has to ask again. False when it has no access. */
  withdraw(account: Account, id: string, actor: Actor): Promise<boolean>;
}

export interface AccountApplicationsDeps extends AuditAndNotifyDeps {
  readonly access: AccountAccess;
  readonly consents: ConsentRecords;
  readonly applications: ApplicationDirectory;
}

export function accountApplications(deps: AccountApplicationsDeps): AccountApplications {
  const { access, consents, applications } = deps;
  const list = async (account: Account): Promise<readonly ApplicationWithAccess[]> => {
    const [allowed, grants] = await Promise.all([
      consents.list(account.id),
      access.grants(account.id),
    ]);
    const ids = new Set([...allowed, ...grants].map(({ applicationId }) => applicationId));
    const found = await Promise.all(
      [...ids].map(async (id) => {
        const application = await applications.find(id);
        const its = [...allowed, ...grants].filter(({ applicationId }) => applicationId === id);
        return application && withAccess(application, its);
      }),
    );
    return found
      .filter((each) => each !== undefined)
      .sort((a, b) => a.since.getTime() - b.since.getTime());
  };
  return {
    list,
    async allow(account, id, scopes, actor) {
      if (!(await consents.allow(account.id, id, scopes))) return;
      const application = await applications.find(id);
      auditAndNotify(deps, 'account.access_allowed', account, actor, application?.name);
    },
    async deviceConnected(account, id, actor) {
      const application = await applications.find(id);
      auditAndNotify(deps, 'account.device_connected', account, actor, application?.name);
    },
    async withdraw(account, id, actor) {
      const application = await applications.find(id);
      if (application === undefined) return false;
      // Does not ask the list, which shows what is alive: after a failure half-way it shows nothing.
      let hadAccess = false;
      const end = async () => {
        if (await access.endApplication(account.id, id)) hadAccess = true;
      };
      await endAround(end, async () => {
        if (await consents.withdraw(account.id, id)) hadAccess = true;
      });
      if (!hadAccess) return false;
      auditAndNotify(deps, 'account.access_withdrawn', account, actor, application.name);
      return true;
    },
  };
}

interface Access {
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt?: Date;
}

function withAccess(application: Application, its: readonly Access[]): ApplicationWithAccess {
  const used = its.flatMap(({ lastUsedAt }) => (lastUsedAt === undefined ? [] : [+lastUsedAt]));
  return {
    application,
    scopes: [...new Set(its.flatMap(({ scopes }) => scopes))],
    since: new Date(Math.min(...its.map(({ createdAt }) => +createdAt))),
    ...(used.length === 0 ? {} : { lastUsedAt: new Date(Math.max(...used)) }),
  };
}
