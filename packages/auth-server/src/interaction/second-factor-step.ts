import { amrAfter } from '../mfa/authentication-methods.ts';
import { type SecondStepMethod, secondStepAnswer } from '../sign-in/second-step.ts';
import type { Problem } from '../views/form.ts';
import { secondFactorPage } from '../views/sign-in/second-factor.ts';
import type { SignInProgress } from './next-step.ts';
import { problemStatus } from './page.ts';
import { keepProgress, progressOf } from './progress.ts';
import { requesterOf } from './requester.ts';
import { otherAccount } from './sign-in-step.ts';
import { actionOf, type Form, goOn, pageOf, record, type Visit } from './visit.ts';

export async function showSecondFactor(
  visit: Visit,
  progress: SignInProgress | undefined,
  problems: readonly Problem<'code' | 'recovery_code' | 'password'>[],
  tried?: SecondStepMethod,
): Promise<void> {
  const { parts, ctx, details } = visit;
  const account = await parts.accounts.find(progress?.accountId ?? '');
  if (account === undefined) return otherAccount(visit);
  const methods = await parts.secondStep.methods(account);
  const asked = tried ?? ctx.query['method'];
  const method = methods.find((one) => one === asked) ?? methods[0] ?? 'totp';
  const challenge =
    method === 'passkey'
      ? { method, options: await parts.passkeys.beginSecondStep(account, details.uid) }
      : { method };
  const others = methods
    .filter((one) => one !== method)
    .map((one) => ({
      method: one,
      href: `${parts.pages.path(`/interaction/${details.uid}`)}?method=${one}`,
    }));
  parts.pages.show(ctx, {
    ...pageOf(visit),
    status: problemStatus(problems),
    render: (frame, i18n) =>
      secondFactorPage(
        {
          frame,
          action: actionOf(visit, 'second-factor'),
          email: account.email,
          challenge,
          others,
          problems,
          cancelHref: actionOf(visit, 'other-account'),
        },
        i18n,
      ),
  });
}

export async function secondFactor(visit: Visit, form: Form): Promise<void> {
  const { parts, details } = visit;
  const progress = await progressOf(visit.parts.state, visit.details.uid);
  const account = progress && (await parts.accounts.find(progress.accountId));
  if (progress === undefined || account === undefined || account.disabled) {
    return otherAccount(visit);
  }
  const answer = secondStepAnswer(form, details.uid);
  const outcome = await parts.secondStep.prove(account, answer, requesterOf(visit.ctx));
  if ('problem' in outcome) {
    record(visit, 'sign_in.refused', account.id, answer.method);
    return showSecondFactor(visit, progress, [outcome.problem], answer.method);
  }
  await keepProgress(parts.state, visit.details.uid, {
    ...progress,
    amr: amrAfter(progress.amr, outcome.proof),
  });
  goOn(visit);
}
