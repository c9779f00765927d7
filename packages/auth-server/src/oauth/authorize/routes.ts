import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { newCodesOf } from '../../factors/recovery-codes.ts';
import { errors, type KoaContextWithOIDC, type Provider } from '../../library/oidc.ts';
import { leaveEndedSession } from '../../library/reliances/interaction-session.ts';
import { routesOf } from '../../library/request-context.ts';
import { rememberUiLocales } from '../../web/browser.ts';
import { showErrorPage } from '../../web/error-page.ts';
import { showExpired } from '../../web/expired-page.ts';
import { seeOther } from '../../web/page.ts';
import { consent, leaveConsent, showConsent } from './consent-step.ts';
import {
  cancel,
  confirmPasskey,
  confirmTotp,
  enrolPasskey,
  enrolTotp,
  saveCodes,
  seeCodes,
  showChoice,
} from './enrol-step.ts';
import {
  finishedSignIns,
  finishSignIn,
  isRemembered,
  knowDevice,
  rememberDevice,
} from './finish.ts';
import {
  actionOf,
  type Details,
  type Form,
  type InteractionContext,
  type InteractionDeps,
  redirectToDispatcher,
  showError,
} from './interaction-context.ts';
import { findOrganisation, goToOrganisation, showOrganisation } from './organisation-step.ts';
import { nextStep, provenIn } from './progress.ts';
import { secondFactor, showSecondFactor } from './second-factor-step.ts';
import { otherAccount, passkey, showSignIn, signIn } from './sign-in-step.ts';

/** The pages of `/interaction/…` and what their forms do. */
export function interactionRoutes(provider: Provider, deps: InteractionDeps): Middleware {
  const router = new Router({ prefix: '/interaction', sensitive: true, strict: true });
  const withInteraction =
    (act: (context: InteractionContext) => Promise<void>) => async (ctx: Context) => {
      const details = await detailsOf(provider, ctx);
      if (details === undefined) return showOver(provider, deps, ctx);
      rememberUiLocales(ctx, details.params['ui_locales']);
      const client = await provider.Client.find(String(details.params['client_id'] ?? ''));
      await act({ provider, deps, ctx, details, client });
    };
  const submit = (act: (context: InteractionContext, form: Form) => Promise<void>) =>
    withInteraction(async (one) => {
      const read = await deps.pages.readForm(one.ctx, one.details.uid);
      if ('refused' in read) return showError(one, read.refused, 400);
      await act(one, read.form);
    });
  router.get('/:uid', withInteraction(show));
  router.post('/:uid/sign-in', submit(signIn));
  router.post('/:uid/passkey', submit(passkey));
  router.get('/:uid/organisation', withInteraction(showOrganisation));
  router.get('/:uid/find-organisation', withInteraction(showOrganisation));
  router.post('/:uid/find-organisation', submit(findOrganisation));
  router.post('/:uid/organisation', submit(goToOrganisation));
  router.post('/:uid/second-factor', submit(secondFactor));
  router.get('/:uid/other-account', withInteraction(otherAccount));
  router.get('/:uid/cancel', withInteraction(cancel));
  router.get('/:uid/enrol/totp', withInteraction(enrolTotp));
  router.post('/:uid/enrol/totp', submit(confirmTotp));
  router.get('/:uid/enrol/passkey', withInteraction(enrolPasskey));
  router.post('/:uid/enrol/passkey', submit(confirmPasskey));
  router.get('/:uid/enrol/codes', withInteraction(seeCodes));
  router.post('/:uid/enrol/codes', submit(saveCodes));
  router.post('/:uid/consent', submit(consent));
  // A form that was refused and opened again, or an unknown one: back to the person's own step.
  for (const method of ['get', 'post'] as const) {
    router[method](
      '/:uid/:form',
      withInteraction(async (one) => redirectToDispatcher(one, one.ctx.search)),
    );
  }
  return routesOf(router);
}

/** The interaction is over, or it is of another browser, or of another person in this browser. */
async function showOver(provider: Provider, deps: InteractionDeps, ctx: Context): Promise<void> {
  const uid = String(ctx['params'].uid);
  const ours = ctx.cookies.get(provider.cookieName('interaction'), { signed: true }) === uid;
  if (ours && (await leaveConsent(provider, deps.state, ctx, uid))) return;
  if (await leaveFinished(provider, deps, ctx, uid)) return;
  if (!ours) return showExpired(deps.pages, ctx);
  const [interaction, { accountId }] = await Promise.all([
    provider.Interaction.find(uid),
    provider.Session.get(ctx as KoaContextWithOIDC),
  ]);
  const meant = interaction?.session?.accountId;
  if (meant === undefined || accountId === undefined || meant === accountId) {
    return showExpired(deps.pages, ctx);
  }
  showErrorPage(deps.pages, ctx, { status: 400, kind: 'person_changed' });
}

/** The Back button leads to a sign-in that is finished: who is signed in goes on in the application. */
async function leaveFinished(
  provider: Provider,
  { state }: InteractionDeps,
  ctx: Context,
  uid: string,
): Promise<boolean> {
  if (ctx.method !== 'GET') return false;
  const [finished, { accountId }] = await Promise.all([
    finishedSignIns(state).look(uid),
    provider.Session.get(ctx as KoaContextWithOIDC),
  ]);
  if (finished === undefined || finished.accountId !== accountId) return false;
  seeOther(ctx, finished.href);
  return true;
}

/** Undefined when the interaction ended, expired, or belongs to another browser. */
async function detailsOf(provider: Provider, ctx: Context): Promise<Details | undefined> {
  const uid = String(ctx['params'].uid);
  const find = async () => {
    try {
      return await provider.interactionDetails(ctx.req, ctx.res);
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    }
  };
  let details = await find();
  if (details === undefined) {
    await leaveEndedSession(provider, uid);
    details = await find();
  }
  return details?.uid === uid ? details : undefined;
}

async function show(context: InteractionContext): Promise<void> {
  const { deps, details } = context;
  const proven = await provenIn(deps, details.uid);
  const remembered = proven !== undefined && (await isRemembered(context, proven));
  const next = nextStep(context, proven, remembered);
  switch (next.step) {
    case 'sign_in':
      return showSignIn(context, []);
    case 'second_factor':
      return showSecondFactor(context, next.proven, []);
    case 'consent':
      return showConsent(context);
    case 'enrol_factor':
      return showChoice(context, next.because);
    case 'done': {
      const { account } = next.proven;
      // The form was sent twice, or the person went back before saving the codes.
      const unsaved = await newCodesOf(deps.state, deps.recoveryCodes, details.uid, account);
      if (unsaved !== undefined) return seeOther(context.ctx, actionOf(context, 'enrol/codes'));
      await knowDevice(context, next.proven);
      if (!(await rememberDevice(context, next.proven))) return redirectToDispatcher(context);
      return finishSignIn(context, next.proven);
    }
  }
}
