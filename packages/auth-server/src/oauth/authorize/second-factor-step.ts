import { readCookie } from '@cls/shared/pages/browser';
import { amrAfter } from '../../factors/authentication-methods.ts';
import { type SecondStepMethod, secondStepAnswer } from '../../sign-in/second-step.ts';
import { type SecondFactorModel, secondFactorPage } from '../../views/sign-in/challenge.ts';
import { actorOf, REMEMBERED_COOKIE } from '../../web/browser.ts';
import type { Problem } from '../../web/form.ts';
import {
  actionOf,
  type Form,
  type InteractionContext,
  pageOf,
  recordRefusal,
  redirectToDispatcher,
} from './interaction-context.ts';
import { keepProgress, type Proven, provenIn } from './progress.ts';
import { beginAnew, wantsToBeKnown } from './sign-in-step.ts';

export async function showSecondFactor(
  context: InteractionContext,
  proven: Proven,
  problems: readonly Problem<'code' | 'recovery_code' | 'password'>[],
  tried?: SecondStepMethod,
  given?: Form,
): Promise<void> {
  const { deps, ctx, details } = context;
  const { account } = proven;
  const methods = await deps.secondStep.methods(account);
  const asked = tried ?? ctx.query['method'];
  const method = methods.find((one) => one === asked) ?? methods[0] ?? 'totp';
  const challenge =
    method === 'passkey'
      ? { method, options: await deps.passkeys.beginSecondStep(account, details.uid) }
      : { method };
  const others = methods
    .filter((one) => one !== method)
    .map((one) => ({
      method: one,
      href: `${deps.pages.path(`/interaction/${details.uid}`)}?method=${one}`,
    }));
  deps.pages.show(ctx, {
    ...pageOf(context),
    problems,
    ...(tried === undefined ? {} : { again: `method=${method}` }),
    render: (frame, i18n) =>
      secondFactorPage(
        {
          frame,
          action: actionOf(context, 'second-factor'),
          email: account.email,
          challenge,
          others,
          problems,
          cancelHref: actionOf(context, 'other-account'),
          ...rememberOffer(context, proven, given),
        },
        i18n,
      ),
  });
}

/** Who came through an organisation saw no tick before: the page of the first step is not ours. */
function rememberOffer(
  { deps, ctx }: InteractionContext,
  { progress }: Proven,
  given: Form | undefined,
): Pick<SecondFactorModel, 'remember'> {
  const { lifeS } = deps.rememberedDevices;
  if (lifeS === 0 || progress.throughOrganisation !== true) return {};
  const ticked =
    given === undefined ? readCookie(ctx, REMEMBERED_COOKIE) !== undefined : wantsToBeKnown(given);
  return { remember: { ticked, lifeS } };
}

export async function secondFactor(context: InteractionContext, form: Form): Promise<void> {
  const { deps, details } = context;
  const proven = await provenIn(deps, details.uid);
  if (proven === undefined) return beginAnew(context);
  const { account, progress } = proven;
  if (progress.amr.includes('mfa')) return redirectToDispatcher(context); // A second press: the code is used up.
  const answer = secondStepAnswer(form, details.uid);
  const outcome = await deps.secondStep.prove(account, answer, actorOf(context.ctx));
  if ('problem' in outcome) {
    const { problem } = outcome;
    recordRefusal(context, account.id, problem.code, problem.code !== 'throttled' || problem.first);
    return showSecondFactor(context, proven, [problem], answer.method, form);
  }
  const amr = amrAfter(progress.amr, outcome.proof);
  const rememberDevice = progress.throughOrganisation
    ? wantsToBeKnown(form)
    : progress.rememberDevice;
  const proof = { amr, provenAtS: undefined, rememberDevice };
  await keepProgress(deps.state, details.uid, { ...progress, ...proof });
  redirectToDispatcher(context);
}
