import type { ListedFactor } from '../factors/manage-factors.ts';
import { keepNewCodes } from '../factors/recovery-codes.ts';
import { type ConfirmationModel, confirmationPage } from '../views/account/confirmation.ts';
import { factorsPage } from '../views/account/factors.ts';
import { renameFactorPage } from '../views/account/rename-factor.ts';
import { actorOf } from '../web/browser.ts';
import type { Problem } from '../web/form.ts';
import { seeOther } from '../web/page.ts';
import type { AccountPageContext, Form } from './account-page-context.ts';
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

export async function showFactors(
  context: AccountPageContext,
  problems: readonly Problem[] = [],
): Promise<void> {
  const { deps, account } = context;
  const { path } = deps.pages;
  const factors = await deps.manageFactors.list(account);
  const codes = await deps.recoveryCodes.count(account);
  await showPlace(
    context,
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

function enrolling(context: AccountPageContext): Enrolling {
  const { deps, ctx, account, session } = context;
  const { path } = deps.pages;
  return {
    ...{ deps, ctx, account },
    binding: session.uid,
    page: { csrf: formKey(context) },
    hrefs: {
      totp: path(PATHS.totp),
      passkey: path(PATHS.passkey),
      codes: path(PATHS.codes),
      cancel: path(PLACES.factors),
    },
    added: async () => {
      await keepProof(context, true);
      return goTo(context, 'factors', 'factor_added');
    },
    done: () => ctx.redirect(path(PLACES.factors)),
  };
}

export const addTotp = (context: AccountPageContext) => openTotp(enrolling(context));
export const confirmTotp = (context: AccountPageContext, form: Form) =>
  submitTotp(enrolling(context), form);
export const addPasskey = (context: AccountPageContext) => showPasskey(enrolling(context));
export const confirmPasskey = (context: AccountPageContext, form: Form) =>
  submitPasskey(enrolling(context), form);
export const codes = (context: AccountPageContext) => showCodes(enrolling(context));
export const confirmCodes = (context: AccountPageContext, form: Form) =>
  submitCodes(enrolling(context), form);

export async function showRename(
  context: AccountPageContext,
  problems: readonly Problem<'name'>[] = [],
  given?: string,
): Promise<void> {
  const { path } = context.deps.pages;
  const factor = await factorOf(context);
  if (factor === undefined) return goTo(context, 'factors');
  const { id, name } = factor;
  const action = `${path(PATHS.rename)}?factor=${id}`;
  const cancelHref = path(PLACES.factors);
  show(context, {
    problems,
    render: (frame, i18n) =>
      renameFactorPage({ frame, action, name: given ?? name, cancelHref, problems }, i18n),
  });
}

export async function rename(context: AccountPageContext, { name = '' }: Form): Promise<void> {
  const { deps, ctx, account } = context;
  const id = (await factorOf(context))?.id ?? '';
  const { problem } = await deps.manageFactors.rename(account, id, name, actorOf(ctx));
  if (problem === undefined) return goTo(context, 'factors', 'factor_renamed');
  if (!('field' in problem) || problem.field !== 'name') return goTo(context, 'factors');
  return showRename(context, [problem], name);
}

export async function askToRemove(context: AccountPageContext): Promise<void> {
  const factor = await factorOf(context);
  if (factor === undefined) return goTo(context, 'factors');
  const { id, name } = factor;
  const last = (await context.deps.manageFactors.list(context.account)).length === 1;
  return ask(context, { kind: 'remove_factor', name, last }, `${PATHS.remove}?factor=${id}`);
}

export async function remove(context: AccountPageContext): Promise<void> {
  const { deps, ctx, account } = context;
  const factor = await factorOf(context);
  const id = factor?.id ?? '';
  const { problem } = await deps.manageFactors.remove(account, id, actorOf(ctx));
  if (problem?.code === 'last_factor') return showFactors(context, [{ code: 'last_factor' }]);
  if (problem !== undefined) return showFactors(context, [{ code: 'form_stale' }]);
  return goTo(context, 'factors', 'factor_removed');
}

/** Codes belong to factors: without one there is nothing to recover. */
export async function askForNewCodes(context: AccountPageContext): Promise<void> {
  if (!context.account.secondFactor) return goTo(context, 'factors');
  const { total } = await context.deps.recoveryCodes.count(context.account);
  const kind = total === 0 ? 'first_recovery_codes' : 'new_recovery_codes';
  return ask(context, { kind }, PATHS.newCodes);
}

export async function replaceCodes(context: AccountPageContext): Promise<void> {
  const { deps, ctx, account, session } = context;
  if (!account.secondFactor) return goTo(context, 'factors');
  await deps.recoveryCodes.replace(account, actorOf(ctx), (codes) =>
    keepNewCodes(deps.state, session.uid, account, codes),
  );
  await goTo(context, 'factors', 'codes_replaced');
  seeOther(ctx, deps.pages.path(PATHS.codes));
}

function ask(
  context: AccountPageContext,
  subject: ConfirmationModel['subject'],
  action: string,
): void {
  const { path } = context.deps.pages;
  show(context, {
    render: (frame, i18n) =>
      confirmationPage(
        { frame, subject, action: path(action), cancelHref: path(PLACES.factors) },
        i18n,
      ),
  });
}

async function factorOf({
  deps,
  ctx,
  account,
}: AccountPageContext): Promise<ListedFactor | undefined> {
  const { factor: id } = ctx.query;
  return (await deps.manageFactors.list(account)).find((factor) => factor.id === id);
}
