import { INTEGRATIONS_PERMISSION } from '@cls/shared/access-token';
import { asName } from '@cls/shared/display-name';
import { openHrefOf } from '../clients/application.ts';
import {
  isInUse,
  type ListedClientSecret,
  type NewClientSecret,
  TooManySecrets,
} from '../clients/client-secret-records.ts';
import { MFA_ACR } from '../library/sign-in-policy.ts';
import type { Integration } from '../organisations/integrations.ts';
import { oneTimeState } from '../state/one-time-state.ts';
import type { StateStore } from '../state/state-store.ts';
import {
  isKeepFor,
  KEEP_FOR_S,
  type KeepFor,
  newSecretPage,
  replaceSecretPage,
  type ShownSecretModel,
  shownSecretPage,
} from '../views/account/client-secret.ts';
import { type ConfirmedAction, confirmationPage } from '../views/account/confirmation.ts';
import { customerApplicationsPage } from '../views/account/customer-applications.ts';
import { integrationsPage } from '../views/account/integrations.ts';
import { peoplePage } from '../views/account/people.ts';
import { tokenRequestsPage } from '../views/account/token-requests.ts';
import { actorOf } from '../web/browser.ts';
import { showErrorPage } from '../web/error-page.ts';
import type { Problem } from '../web/form.ts';
import { logoOf, shownApplication } from '../web/layout.ts';
import { seeOther } from '../web/page.ts';
import { ACCOUNT_PLACE_PATHS } from '../web/paths.ts';
import type { AccountPageContext, Form } from './account-page-context.ts';
import { goTo, PLACES, show, showPlace } from './places.ts';
import { signIn } from './sign-in-again.ts';

const ROOT = ACCOUNT_PLACE_PATHS.integrations;

export const INTEGRATION_PATHS = {
  create: `${ROOT}/new-secret`,
  replace: `${ROOT}/replace`,
  revoke: `${ROOT}/revoke`,
  leaked: `${ROOT}/leaked`,
  secret: `${ROOT}/secret`,
  requests: `${ROOT}/requests`,
  people: `${ROOT}/people`,
  applications: `${ROOT}/applications`,
} as const;
const PATHS = INTEGRATION_PATHS;

/**
 * Whether the person may see these pages: with the permission, with a second factor, and in a session
 * that began with one. Answers the request otherwise.
 */
export async function mayAdminister(context: AccountPageContext): Promise<boolean> {
  const { deps, ctx, account, mfa } = context;
  if (!account.permissions.includes(INTEGRATIONS_PERMISSION)) {
    showErrorPage(deps.pages, ctx, { status: 404, kind: 'not_found' });
    return false;
  }
  if (!account.secondFactor) {
    await goTo(context, 'factors', 'factor_needed');
    return false;
  }
  if (!mfa) signIn(deps, ctx, 'integrations', { acr_values: MFA_ACR });
  return mfa;
}

export async function showIntegrations(context: AccountPageContext): Promise<void> {
  const { integrations, pages } = context.deps;
  const listed = await integrations.list(context.account);
  const about = (path: string, secret: ListedClientSecret) =>
    `${pages.path(path)}?secret=${secret.id}`;
  await showPlace(context, (model, i18n) =>
    integrationsPage(
      {
        ...model,
        integrations: listed.map((integration) => ({
          ...integration,
          secrets: integration.secrets.map((secret) => ({
            ...secret,
            ...(integration.newSecrets === 'offered'
              ? { replaceHref: about(PATHS.replace, secret) }
              : {}),
            revokeHref: about(PATHS.revoke, secret),
            leakedHref: about(PATHS.leaked, secret),
          })),
          createHref: `${pages.path(PATHS.create)}?client=${integration.id}`,
        })),
        requestsHref: pages.path(PATHS.requests),
        peopleHref: pages.path(PATHS.people),
        applicationsHref: pages.path(PATHS.applications),
      },
      i18n,
    ),
  );
}

export async function showNewSecret(
  context: AccountPageContext,
  problems: readonly Problem<'name'>[] = [],
  given?: string,
): Promise<void> {
  const { path } = context.deps.pages;
  const integration = await integrationOf(context);
  if (integration?.newSecrets !== 'offered') return leave(context);
  const { id, name: client } = integration;
  const action = `${path(PATHS.create)}?client=${id}`;
  const cancelHref = path(PLACES.integrations);
  show(context, {
    problems,
    render: (frame, i18n) =>
      newSecretPage({ frame, action, client, name: given ?? '', cancelHref, problems }, i18n),
  });
}

export async function createSecret(context: AccountPageContext, form: Form): Promise<void> {
  const { name: given = '' } = form;
  const integration = await integrationOf(context);
  if (integration?.newSecrets !== 'offered') return leave(context);
  const name = asName(given);
  if (name === undefined) {
    return showNewSecret(context, [{ field: 'name', code: 'secret_name' }], given);
  }
  try {
    await make(context, integration, `create ${name}`, () =>
      context.deps.integrations.createSecret(integration, name, administrator(context)),
    );
  } catch (error) {
    if (!(error instanceof TooManySecrets)) throw error;
    return showNewSecret(context, [{ code: 'too_many_secrets' }], given);
  }
}

export async function showReplace(context: AccountPageContext): Promise<void> {
  const { path } = context.deps.pages;
  const found = await secretOf(context);
  if (found?.integration.newSecrets !== 'offered') return leave(context);
  const { integration, secret } = found;
  const model = {
    action: `${path(PATHS.replace)}?secret=${secret.id}`,
    client: integration.name,
    name: secret.name ?? secret.id,
    keepFor: (isInUse(secret) ? '7d' : '0d') as KeepFor,
    cancelHref: path(PLACES.integrations),
  };
  show(context, { render: (frame, i18n) => replaceSecretPage({ frame, ...model }, i18n) });
}

export async function replaceSecret(context: AccountPageContext, form: Form): Promise<void> {
  const { keep = '' } = form;
  const found = await secretOf(context);
  if (found?.integration.newSecrets !== 'offered') return leave(context);
  if (!isKeepFor(keep)) return showReplace(context);
  await make(context, found.integration, `replace ${found.secret.id} ${keep}`, () =>
    context.deps.integrations.replaceSecret(found.secret, KEEP_FOR_S[keep], administrator(context)),
  );
}

export async function askToRevoke(context: AccountPageContext): Promise<void> {
  const found = await secretOf(context);
  if (found === undefined) return leave(context);
  const { id, name } = found.secret;
  const inUse = isInUse(found.secret);
  const kind = inUse ? 'revoke_used_secret' : 'revoke_secret';
  const action = `${PATHS.revoke}?secret=${id}${inUse ? '&used=yes' : ''}`;
  ask(context, { kind, name: name ?? id }, action);
}

/** One that is in use is revoked only from the page that has said so. */
export async function revokeSecret(context: AccountPageContext): Promise<void> {
  const { deps, ctx } = context;
  const found = await secretOf(context);
  if (found === undefined) return leave(context);
  if (isInUse(found.secret) && ctx.query['used'] !== 'yes') return askToRevoke(context);
  await deps.integrations.revokeSecret(found.secret, administrator(context));
  return goTo(context, 'integrations', 'secret_revoked');
}

export async function askAboutLeak(context: AccountPageContext): Promise<void> {
  const found = await secretOf(context);
  if (found === undefined) return leave(context);
  const { name, newSecrets } = found.integration;
  const kind = newSecrets === 'offered' ? 'secret_leaked' : 'secret_leaked_operator';
  ask(context, { kind, name }, `${PATHS.leaked}?secret=${found.secret.id}`);
}

export async function answerLeak(context: AccountPageContext): Promise<void> {
  const found = await secretOf(context);
  if (found === undefined) return leave(context);
  const { integration, secret } = found;
  await make(context, integration, `leaked ${secret.id}`, () =>
    context.deps.integrations.answerLeak(integration, secret, administrator(context)),
  );
}

/** Shows the new secret this once. */
export async function showSecret(context: AccountPageContext): Promise<void> {
  const { deps, account, session } = context;
  const made = await newSecrets(deps.state).take(session.uid);
  if (made?.accountId !== account.id) return goTo(context, 'integrations');
  const doneHref = deps.pages.path(PLACES.integrations);
  show(context, {
    again: false,
    render: (frame, i18n) => shownSecretPage({ ...made, frame, doneHref }, i18n),
  });
}

export async function showRequests(context: AccountPageContext): Promise<void> {
  const requests = await context.deps.integrations.requests(context.account);
  await showPlace(context, (model, i18n) => tokenRequestsPage({ ...model, requests }, i18n));
}

export async function showCustomerApplications(context: AccountPageContext): Promise<void> {
  const { integrations, issuer, pages } = context.deps;
  const applications = await integrations.applications(context.account);
  await showPlace(context, (model, i18n) =>
    customerApplicationsPage(
      {
        ...model,
        applications: applications.map((application) => ({
          ...application,
          ...shownApplication(application.name, application.redirectUris[0]),
          ...logoOf(application, pages.path),
          openHref: openHrefOf(application, issuer),
        })),
      },
      i18n,
    ),
  );
}

const PEOPLE = 100;

export async function showPeople(context: AccountPageContext): Promise<void> {
  const { deps, ctx, account } = context;
  const { after } = ctx.query;
  const people = await deps.records.listOf(account.customer, {
    limit: PEOPLE + 1,
    ...(typeof after === 'string' ? { after } : {}),
  });
  const last = people.length > PEOPLE ? people[PEOPLE - 1] : undefined;
  const moreHref = last && `${deps.pages.path(PATHS.people)}?after=${last.id}`;
  await showPlace(context, (model, i18n) =>
    peoplePage({ ...model, people: people.slice(0, PEOPLE), moreHref }, i18n),
  );
}

interface NewSecret extends Omit<ShownSecretModel, 'frame' | 'doneHref'> {
  readonly accountId: string;
  /** The form that made it. */
  readonly by: string;
}

const NEW_SECRET_TTL_S = 600;

const newSecrets = (state: StateStore) => oneTimeState<NewSecret>(state, 'NewClientSecret');

/**
 * Keeps the secret for the page that shows it. A form that is sent twice makes one secret; another form does
 * what it says, also where a secret was not seen yet.
 */
async function make(
  context: AccountPageContext,
  { id: clientId, name: client }: Integration,
  what: string,
  work: () => Promise<NewClientSecret | undefined>,
): Promise<void> {
  const { deps, account, session } = context;
  const kept = newSecrets(deps.state);
  const by = `${clientId} ${what}`;
  if ((await kept.look(session.uid))?.by !== by) {
    await kept.drop(session.uid); // One that was seen: it would not be shown again.
    const made = await work();
    if (made === undefined) return goTo(context, 'integrations', 'secrets_ended');
    const { id: secretId, secret } = made;
    const shown = { client, clientId, secretId, secret: secret.expose() };
    const value = { accountId: account.id, by, ...shown };
    await kept.put(session.uid, value, NEW_SECRET_TTL_S, account.id);
  }
  seeOther(context.ctx, deps.pages.path(PATHS.secret));
}

/** There is nothing to do, perhaps because a form was sent twice: a new secret may wait to be seen. */
async function leave(context: AccountPageContext): Promise<void> {
  const { deps, ctx, session } = context;
  const waits = await newSecrets(deps.state).look(session.uid);
  if (waits === undefined) return goTo(context, 'integrations');
  seeOther(ctx, deps.pages.path(PATHS.secret));
}

function administrator({ ctx, account }: AccountPageContext) {
  return { ...actorOf(ctx), accountId: account.id };
}

function ask(context: AccountPageContext, subject: ConfirmedAction, action: string): void {
  const { path } = context.deps.pages;
  const hrefs = { action: path(action), cancelHref: path(PLACES.integrations) };
  show(context, {
    render: (frame, i18n) => confirmationPage({ frame, subject, ...hrefs }, i18n),
  });
}

async function integrationOf({
  deps,
  ctx,
  account,
}: AccountPageContext): Promise<Integration | undefined> {
  return (await deps.integrations.list(account)).find(({ id }) => id === ctx.query['client']);
}

async function secretOf({ deps, ctx, account }: AccountPageContext) {
  const all = (await deps.integrations.list(account)).flatMap((integration) =>
    integration.secrets.map((secret) => ({ integration, secret })),
  );
  return all.find(({ secret }) => secret.id === ctx.query['secret']);
}
