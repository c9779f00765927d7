import type { ListedFactor } from '../factors/manage-factors.ts';
import { keepNewCodes } from '../factors/new-codes.ts';
import { type ConfirmationModel, confirmationPage } from '../views/account/confirmation.ts';
import { factorsPage } from '../views/account/factors.ts';
import { renameFactorPage } from '../views/account/rename-factor.ts';
import { requesterOf } from '../web/actor.ts';
import type { Problem } from '../web/form.ts';
import { seeOther } from '../web/page.ts';
import type { Form, Visit } from './account-page-context.ts';
import {
  type Enrolling,
  openTotp,
  showCodes,
  showPasskey,
  submitCodes,
  submitPasskey,
  submitTotp,
} from './enrol.ts';
import { formKey, goTo, PLACES, show, showPlace } from './places.ts';
import { keepProof } from './step-up.ts';

const PATHS = {
  totp: '/account/factors/totp',
  passkey: '/account/factors/passkey',
  codes: '/account/factors/codes',
  rename: '/account/factors/rename',
  remove: '/account/factors/remove',
  newCodes: '/account/factors/recovery-codes',
} as const;

export async function showFactors(visit: Visit, problems: readonly Problem[] = []): Promise<void> {
  const { parts, account } = visit;
  const { path } = parts.pages;
  const factors = await parts.manageFactors.list(account);
  const codes = await parts.recoveryCodes.count(account);
  await showPlace(
    visit,
    (model, i18n) =>
      factorsPage(
        {
          ...model,
          factors: factors.map(({ removable, id, ...factor }) => ({
            ...factor,
            renameHref: `${path(PATHS.rename)}?factor=${id}`,
            ...(removable ? { removeHref: `${path(PATHS.remove)}?factor=${id}` } : {}),
          })),
          recoveryCodes: codes,
          addTotpHref: path(PATHS.totp),
          addPasskeyHref: path(PATHS.passkey),
          newCodesHref: path(PATHS.newCodes),
          problems,
        },
        i18n,
      ),
    problems,
  );
}

function enrolling(visit: Visit): Enrolling {
  const { parts, ctx, account, session } = visit;
  const { path } = parts.pages;
  return {
    ...{ parts, ctx, account },
    binding: session.uid,
    page: { csrf: formKey(visit) },
    hrefs: {
      totp: path(PATHS.totp),
      passkey: path(PATHS.passkey),
      codes: path(PATHS.codes),
      cancel: path(PLACES.factors),
    },
    added: async () => {
      await keepProof(visit, true);
      return goTo(visit, 'factors', 'factor_added');
    },
    done: () => ctx.redirect(path(PLACES.factors)),
  };
}

export const addTotp = (visit: Visit) => openTotp(enrolling(visit));
export const confirmTotp = (visit: Visit, form: Form) => submitTotp(enrolling(visit), form);
export const addPasskey = (visit: Visit) => showPasskey(enrolling(visit));
export const confirmPasskey = (visit: Visit, form: Form) => submitPasskey(enrolling(visit), form);
export const codes = (visit: Visit) => showCodes(enrolling(visit));
export const confirmCodes = (visit: Visit, form: Form) => submitCodes(enrolling(visit), form);

export async function showRename(
  visit: Visit,
  problems: readonly Problem<'name'>[] = [],
  given?: string,
): Promise<void> {
  const { path } = visit.parts.pages;
  const factor = await factorOf(visit);
  if (factor === undefined) return goTo(visit, 'factors');
  const { id, name } = factor;
  const action = `${path(PATHS.rename)}?factor=${id}`;
  const cancelHref = path(PLACES.factors);
  show(visit, {
    problems,
    render: (frame, i18n) =>
      renameFactorPage({ frame, action, name: given ?? name, cancelHref, problems }, i18n),
  });
}

export async function rename(visit: Visit, { name = '' }: Form): Promise<void> {
  const { parts, ctx, account } = visit;
  const id = (await factorOf(visit))?.id ?? '';
  const { problem } = await parts.manageFactors.rename(account, id, name, requesterOf(ctx));
  if (problem === undefined) return goTo(visit, 'factors', 'factor_renamed');
  if (!('field' in problem) || problem.field !== 'name') return goTo(visit, 'factors');
  return showRename(visit, [problem], name);
}

export async function askToRemove(visit: Visit): Promise<void> {
  const factor = await factorOf(visit);
  if (factor === undefined) return goTo(visit, 'factors');
  const { id, name } = factor;
  const last = (await visit.parts.manageFactors.list(visit.account)).length === 1;
  return ask(visit, { kind: 'remove_factor', name, last }, `${PATHS.remove}?factor=${id}`);
}

export async function remove(visit: Visit): Promise<void> {
  const { parts, ctx, account } = visit;
  const factor = await factorOf(visit);
  const id = factor?.id ?? '';
  const { problem } = await parts.manageFactors.remove(account, id, requesterOf(ctx));
  if (problem?.code === 'last_factor') return showFactors(visit, [{ code: 'last_factor' }]);
  if (problem !== undefined) return showFactors(visit, [{ code: 'form_stale' }]);
  return goTo(visit, 'factors', 'factor_removed');
}

/** Codes belong to factors: without one there is nothing to recover. */
export async function askForNewCodes(visit: Visit): Promise<void> {
  if (!visit.account.secondFactor) return goTo(visit, 'factors');
  return ask(visit, { kind: 'new_recovery_codes' }, PATHS.newCodes);
}

export async function replaceCodes(visit: Visit): Promise<void> {
  const { parts, ctx, account, session } = visit;
  if (!account.secondFactor) return goTo(visit, 'factors');
  await parts.recoveryCodes.replace(account, requesterOf(ctx), (codes) =>
    keepNewCodes(parts.state, session.uid, account, codes),
  );
  await goTo(visit, 'factors', 'codes_replaced');
  seeOther(ctx, parts.pages.path(PATHS.codes));
}

function ask(visit: Visit, deed: ConfirmationModel['deed'], action: string): void {
  const { path } = visit.parts.pages;
  show(visit, {
    render: (frame, i18n) =>
      confirmationPage(
        { frame, deed, action: path(action), cancelHref: path(PLACES.factors) },
        i18n,
      ),
  });
}

async function factorOf({ parts, ctx, account }: Visit): Promise<ListedFactor | undefined> {
  const { factor: id } = ctx.query;
  return (await parts.manageFactors.list(account)).find((factor) => factor.id === id);
}
