import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { errors, type Provider } from 'oidc-provider';
import { expiredPage } from '../views/outcome/expired.ts';
import { consent, showConsent } from './consent-step.ts';
import {
  confirmPasskey,
  confirmTotp,
  enrolPasskey,
  enrolTotp,
  saveCodes,
  seeCodes,
  showChoice,
} from './enrol-step.ts';
import { finishSignIn, knowDevice } from './finish.ts';
import { nextStep } from './next-step.ts';
import { findOrganisation, goToOrganisation, showOrganisation } from './organisation-step.ts';
import { progressOf } from './progress.ts';
import { wayOnFrom } from './provider-pages.ts';
import { readForm } from './read-form.ts';
import { secondFactor, showSecondFactor } from './second-factor-step.ts';
import { otherAccount, passkey, showSignIn, signIn } from './sign-in-step.ts';
import {
  type Details,
  type Form,
  goOn,
  type InteractionParts,
  showError,
  standingOf,
  type Visit,
} from './visit.ts';

/** The pages of `/interaction/…` and what their forms do. */
export function interactionRoutes(provider: Provider, parts: InteractionParts): Middleware {
  const router = new Router({ prefix: '/interaction', sensitive: true, strict: true });
  const visit = (act: (visit: Visit) => Promise<void>) => async (ctx: Context) => {
    const details = await detailsOf(provider, ctx);
    if (details === undefined) return showExpired(parts, ctx);
    const client = await provider.Client.find(String(details.params['client_id'] ?? ''));
    await act({ provider, parts, ctx, details, client });
  };
  const submit = (act: (visit: Visit, form: Form) => Promise<void>) =>
    visit(async (one) => {
      const form = await readForm(one.ctx);
      if (form === undefined || !parts.pages.isOurs(form, one.details.uid)) {
        return showError(one, 'form_refused', 400);
      }
      await act(one, form);
    });
  router.get('/:uid', visit(show));
  router.post('/:uid/sign-in', submit(signIn));
  router.post('/:uid/passkey', submit(passkey));
  router.get('/:uid/organisation', visit(showOrganisation));
  router.post('/:uid/find-organisation', submit(findOrganisation));
  router.post('/:uid/organisation', submit(goToOrganisation));
  router.post('/:uid/second-factor', submit(secondFactor));
  router.get('/:uid/other-account', visit(otherAccount));
  router.get('/:uid/enrol/totp', visit(enrolTotp));
  router.post('/:uid/enrol/totp', submit(confirmTotp));
  router.get('/:uid/enrol/passkey', visit(enrolPasskey));
  router.post('/:uid/enrol/passkey', submit(confirmPasskey));
  router.get('/:uid/enrol/codes', visit(seeCodes));
  router.post('/:uid/enrol/codes', submit(saveCodes));
  router.post('/:uid/consent', submit(consent));
  // The address of a form that was refused, opened anew: back to the page where the person stands.
  router.get(
    '/:uid/:form',
    visit(async (one) => goOn(one)),
  );
  return router.routes() as unknown as Middleware;
}

/** Undefined for one that ended, expired, or is of another browser. */
async function detailsOf(provider: Provider, ctx: Context): Promise<Details | undefined> {
  try {
    const details = await provider.interactionDetails(ctx.req, ctx.res);
    return details.uid === ctx['params'].uid ? details : undefined;
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

async function show(visit: Visit): Promise<void> {
  const progress = await progressOf(visit.parts.state, visit.details.uid);
  const next = nextStep(standingOf(visit, progress));
  switch (next.step) {
    case 'sign_in':
      return showSignIn(visit, []);
    case 'second_factor':
      return showSecondFactor(visit, progress, []);
    case 'consent':
      return showConsent(visit);
    case 'enrol_factor':
      return showChoice(visit, next.because);
    case 'done':
      if (progress !== undefined) await knowDevice(visit, progress);
      return finishSignIn(visit, progress?.accountId ?? '', next.amr);
  }
}

/** The person may have signed in in another tab, or gone back to a form that is done with. */
function showExpired({ pages }: InteractionParts, ctx: Context): void {
  pages.show(ctx, {
    status: 410,
    render: (frame, i18n) =>
      expiredPage(
        {
          frame,
          referenceId: String(ctx.state['requestId'] ?? ''),
          wayOn: wayOnFrom(undefined, pages),
        },
        i18n,
      ),
  });
}
