import type { Context } from 'koa';
import type { AccountDirectory } from '../../accounts/account.ts';
import type { MfaPolicy } from '../../accounts/mfa-policy.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Passkeys } from '../../factors/passkeys.ts';
import type { RecoveryCodes } from '../../factors/recovery-codes.ts';
import type { TotpEnrolments } from '../../factors/totp-enrolment.ts';
import { ACCOUNT_PAGES_CLIENT_ID } from '../../library/client-metadata.ts';
import type { Client, Provider } from '../../library/oidc.ts';
import type { UpstreamSignIn } from '../../organisations/sign-in-upstream.ts';
import type { UpstreamRecords } from '../../organisations/upstream-provider.ts';
import type { AccountApplications } from '../../sessions/account-applications.ts';
import type { RememberedDevices } from '../../sessions/remembered-devices.ts';
import type { ProofDeps } from '../../sign-in/prove.ts';
import type { RecordDevice } from '../../sign-in/record-device.ts';
import type { SecondStep } from '../../sign-in/second-step.ts';
import type { StateStore } from '../../state/state-store.ts';
import { senderOf } from '../../web/browser.ts';
import type { ErrorKind } from '../../web/error.ts';
import { showErrorPage } from '../../web/error-page.ts';
import { type Application, logoOf, shownClient } from '../../web/layout.ts';
import { nextLinkFrom } from '../../web/next-link.ts';
import { formTargetsOf, type Page, type Pages, seeOther } from '../../web/page.ts';

export interface InteractionDeps extends ProofDeps {
  readonly secondStep: SecondStep;
  readonly passkeys: Passkeys;
  readonly recoveryCodes: Pick<RecoveryCodes, 'areCurrent'>;
  readonly totpEnrolments: TotpEnrolments;
  readonly upstreamSignIn: UpstreamSignIn;
  readonly upstreamProviders: Pick<UpstreamRecords, 'list'>;
  readonly recordDevice: RecordDevice;
  readonly rememberedDevices: RememberedDevices;
  readonly accountApplications: AccountApplications;
  readonly issuer: string;
  readonly accounts: AccountDirectory;
  readonly state: StateStore;
  readonly audit: AuditLog;
  readonly pages: Pages;
  readonly mfaPolicy: MfaPolicy;
  readonly scopeBase: string;
  readonly audience: string;
}

export type Details = Awaited<ReturnType<Provider['interactionDetails']>>;

/** One request of an interaction: what its routes need. */
export interface InteractionContext {
  readonly provider: Provider;
  readonly deps: InteractionDeps;
  readonly ctx: Context;
  readonly details: Details;
  readonly client: Client | undefined;
}

export type { Form } from '../../web/page.ts';

/** What every page of an interaction has. */
export function pageOf({ client, details }: InteractionContext): Omit<Page, 'render'> {
  return { csrf: details.uid, formTargets: formTargetsOf(client) };
}

export function actionOf({ deps, details }: InteractionContext, what: string): string {
  return deps.pages.path(`/interaction/${details.uid}/${what}`);
}

export function applicationOf({ deps, client, details }: InteractionContext): Application {
  const { redirect_uri: target } = details.params;
  if (client === undefined || isAccountPages(client)) return { name: '', host: '' };
  const shown = shownClient(client, typeof target === 'string' ? target : undefined);
  return { ...shown, ...logoOf({ logo: client['logo'] }, deps.pages.path) };
}

/** They are this service itself: nobody is on the way to another application. */
export function isAccountPages(client: Client | undefined): boolean {
  return client?.clientId === ACCOUNT_PAGES_CLIENT_ID;
}

/** @param search of the address that leads on, with what was chosen there: a language. */
export function redirectToDispatcher(
  { deps, ctx, details }: InteractionContext,
  search = '',
): void {
  seeOther(ctx, deps.pages.path(`/interaction/${details.uid}${search}`));
}

/**
 * Each refusal is in the request's log line. Of the refusals during one block, only the first is an
 * audit event.
 */
export function recordRefusal(
  context: InteractionContext,
  subject: string,
  reason: string,
  first = true,
): void {
  context.ctx.state['refused'] = reason;
  if (first) record(context, 'sign_in.refused', subject, reason);
}

export function record(
  { deps, ctx, client, details }: InteractionContext,
  type: 'sign_in.succeeded' | 'sign_in.refused',
  subject: string,
  reason: string,
): void {
  deps.audit.record({
    type,
    subject,
    reason,
    ...senderOf(ctx),
    ...(client === undefined ? {} : { clientId: client.clientId }),
    // An interaction signs somebody in once, however often its last step is done.
    ...(type === 'sign_in.succeeded' ? { once: `${type} ${subject} ${details.uid}` } : {}),
  });
}

export function showError(context: InteractionContext, kind: ErrorKind, status: number): void {
  const { deps, ctx } = context;
  const nextLink = nextLinkFrom(applicationOf(context), deps.pages);
  showErrorPage(deps.pages, ctx, { status, kind, nextLink });
}
