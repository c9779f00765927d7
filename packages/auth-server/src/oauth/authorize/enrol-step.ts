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
  goOn,
  pageOf,
  standingOf,
  type Visit,
} from './interaction-context.ts';
import { type NextStep, nextStep, type Proven } from './next-step.ts';
import { keepProgress, provenIn } from './progress.ts';
import { beginAnew } from './sign-in-step.ts';

/** A second factor is demanded, and the account has none yet. */
export function showChoice(visit: Visit, because: EnrolFactorModel['because']): void {
  visit.parts.pages.show(visit.ctx, {
    ...pageOf(visit),
    render: (frame, i18n) =>
      enrolFactorPage(
        {
          frame,
          because,
          totpHref: actionOf(visit, 'enrol/totp'),
          passkeyHref: actionOf(visit, 'enrol/passkey'),
          cancelHref: actionOf(visit, 'cancel'),
        },
        i18n,
      ),
  });
}

/** Without a second factor nobody gets in. An earlier session in this browser stays as it was. */
export const cancel = (visit: Visit) => refuse(visit, 'the person set up no second factor');

/**
 * For who is at that step of this interaction; others are led to where they stand.
 *
 * @param isRepeated whether the form has led them on already, and was not answered.
 */
const at =
  (
    step: NextStep['step'],
    act: (enrolling: Enrolling, form: Form) => Promise<void>,
    isRepeated = async (_: Enrolling, __: Form) => false,
  ) =>
  async (visit: Visit, form: Form = {}): Promise<void> => {
    const proven = await provenIn(visit.parts, visit.details.uid);
    if (proven === undefined) return beginAnew(visit);
    const enrolling = enrollingOf(visit, proven);
    const isHere = nextStep(standingOf(visit, proven)).step === step;
    if (!isHere && !(await isRepeated(enrolling, form))) return goOn(visit);
    await act(enrolling, form);
  };

// A person with a factor must prove that one, and adds none here.
export const enrolTotp = at('enrol_factor', (enrolling) => openTotp(enrolling));
export const confirmTotp = at('enrol_factor', submitTotp, totpIsAdded);
export const enrolPasskey = at('enrol_factor', (enrolling) => showPasskey(enrolling));
export const confirmPasskey = at('enrol_factor', submitPasskey, passkeyIsAdded);
// Each code is a second factor: only who has proven one in this sign-in sees them.
export const seeCodes = at('done', (enrolling) => showCodes(enrolling));
export const saveCodes = at('done', submitCodes);

function enrollingOf(visit: Visit, { account, progress }: Proven): Enrolling {
  const { parts, ctx, details } = visit;
  return {
    ...{ parts, ctx, account },
    binding: details.uid,
    page: pageOf(visit),
    hrefs: {
      totp: actionOf(visit, 'enrol/totp'),
      passkey: actionOf(visit, 'enrol/passkey'),
      codes: actionOf(visit, 'enrol/codes'),
      cancel: parts.pages.path(`/interaction/${details.uid}`),
    },
    added: ({ proof }) =>
      keepProgress(parts.state, details.uid, {
        ...progress,
        amr: amrAfter(progress.amr, proof),
      }),
    done: () => goOn(visit),
  };
}
