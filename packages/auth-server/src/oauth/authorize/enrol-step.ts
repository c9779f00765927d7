import {
  type Enrolling,
  openTotp,
  passkeyIsAdded,
  showCodes,
  showPasskey,
  submitCodes,
  submitPasskey,
  submitTotp,
  totpIsAdded,
} from '../../account-pages/enrol.ts';
import { amrAfter } from '../../factors/authentication-methods.ts';
import { type EnrolFactorModel, enrolFactorPage } from '../../views/sign-in/enrol-factor.ts';
import { refuse } from './finish.ts';
import {
  actionOf,
  type Form,
  type InteractionContext,
  pageOf,
  redirectToDispatcher,
} from './interaction-context.ts';
import { keepProgress, type NextStep, nextStep, type Proven, provenIn } from './progress.ts';
import { beginAnew } from './sign-in-step.ts';

/** Shown when a second factor is required and the account has none yet. */
export function showChoice(
  context: InteractionContext,
  because: EnrolFactorModel['because'],
): void {
  context.deps.pages.show(context.ctx, {
    ...pageOf(context),
    render: (frame, i18n) =>
      enrolFactorPage(
        {
          frame,
          because,
          totpHref: actionOf(context, 'enrol/totp'),
          passkeyHref: actionOf(context, 'enrol/passkey'),
          cancelHref: actionOf(context, 'cancel'),
        },
        i18n,
      ),
  });
}

/** Ends the sign-in without a second factor. An earlier session in this browser stays as it was. */
export const cancel = (context: InteractionContext) =>
  refuse(context, 'the person set up no second factor');

/**
 * Runs a step for a person who is at this step of the interaction. Others are redirected to their
 * own step.
 *
 * @param isRepeated whether this form did its work before, and its answer was lost.
 */
const at =
  (
    step: NextStep['step'],
    act: (enrolling: Enrolling, form: Form) => Promise<void>,
    isRepeated = async (_: Enrolling, __: Form) => false,
  ) =>
  async (context: InteractionContext, form: Form = {}): Promise<void> => {
    const proven = await provenIn(context.deps, context.details.uid);
    if (proven === undefined) return beginAnew(context);
    const enrolling = enrollingOf(context, proven);
    const isHere = nextStep(context, proven).step === step;
    if (!isHere && !(await isRepeated(enrolling, form))) return redirectToDispatcher(context);
    await act(enrolling, form);
  };

// A person who has a factor must prove it, and adds none here.
export const enrolTotp = at('enrol_factor', (enrolling) => openTotp(enrolling));
export const confirmTotp = at('enrol_factor', submitTotp, totpIsAdded);
export const enrolPasskey = at('enrol_factor', (enrolling) => showPasskey(enrolling));
export const confirmPasskey = at('enrol_factor', submitPasskey, passkeyIsAdded);
// Each code is a second factor, so only a person who proved one in this sign-in sees the codes.
export const seeCodes = at('done', (enrolling) => showCodes(enrolling));
export const saveCodes = at('done', submitCodes);

function enrollingOf(context: InteractionContext, { account, progress }: Proven): Enrolling {
  const { deps, ctx, details } = context;
  return {
    ...{ deps, ctx, account },
    binding: details.uid,
    page: pageOf(context),
    hrefs: {
      totp: actionOf(context, 'enrol/totp'),
      passkey: actionOf(context, 'enrol/passkey'),
      codes: actionOf(context, 'enrol/codes'),
      cancel: deps.pages.path(`/interaction/${details.uid}`),
    },
    added: async ({ proof }) =>
      keepProgress(deps.state, details.uid, {
        ...progress,
        amr: amrAfter(progress.amr, proof),
        factorsVersion: (await deps.accounts.find(account.id))?.factorsVersion,
      }),
    done: () => redirectToDispatcher(context),
  };
}
