import { amrAfter } from '../mfa/authentication-methods.ts';
import { type EnrolFactorModel, enrolFactorPage } from '../views/sign-in/enrol-factor.ts';
import {
  type Enrolling,
  openTotp,
  showCodes,
  showPasskey,
  submitCodes,
  submitPasskey,
  submitTotp,
} from './enrol.ts';
import { refuse } from './finish.ts';
import { nextStep, type Proven } from './next-step.ts';
import { keepProgress, provenIn } from './progress.ts';
import { beginAnew } from './sign-in-step.ts';
import { actionOf, type Form, goOn, pageOf, standingOf, type Visit } from './visit.ts';

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

/** Who sets none up does not get in. An earlier session in this browser goes on as it was. */
export const cancel = (visit: Visit) => refuse(visit, 'the person set up no second factor');

/** Only where it is the next step: whoever has a factor proves that one, and adds none. */
const whereNext = (act: (enrolling: Enrolling, form: Form) => Promise<void>) =>
  started((visit, proven, enrolling, form) =>
    nextStep(standingOf(visit, proven)).step === 'enrol_factor'
      ? act(enrolling, form)
      : Promise.resolve(goOn(visit)),
  );

const afterwards = (act: (enrolling: Enrolling, form: Form) => Promise<void>) =>
  started((_, __, enrolling, form) => act(enrolling, form));

export const enrolTotp = whereNext((enrolling) => openTotp(enrolling));
export const confirmTotp = whereNext(submitTotp);
export const enrolPasskey = whereNext((enrolling) => showPasskey(enrolling));
export const confirmPasskey = whereNext(submitPasskey);
export const seeCodes = afterwards((enrolling) => showCodes(enrolling));
export const saveCodes = afterwards(submitCodes);

/** For a person who has proven the first factor in this interaction. */
function started(
  act: (visit: Visit, proven: Proven, enrolling: Enrolling, form: Form) => Promise<void>,
): (visit: Visit, form?: Form) => Promise<void> {
  return async (visit, form = {}) => {
    const proven = await provenIn(visit.parts, visit.details.uid);
    if (proven === undefined) return beginAnew(visit);
    await act(visit, proven, enrollingOf(visit, proven), form);
  };
}

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
