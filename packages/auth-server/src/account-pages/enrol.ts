import type { Context } from 'koa';
import type { Account } from '../accounts/account.ts';
import type { AddedFactor } from '../factors/add-factor.ts';
import type { Passkeys } from '../factors/passkeys.ts';
import type { RecoveryCodes } from '../factors/recovery-codes.ts';
import { dropNewCodes, newCodesOf } from '../factors/recovery-codes.ts';
import type { TotpEnrolments } from '../factors/totp-enrolment.ts';
import type { StateStore } from '../state/state-store.ts';
import { deviceName } from '../views/account/account-page.ts';
import { addPasskeyPage } from '../views/account/add-passkey.ts';
import { addTotpPage } from '../views/account/add-totp.ts';
import { recoveryCodesPage } from '../views/account/recovery-codes.ts';
import { actorOf } from '../web/browser.ts';
import type { Problem } from '../web/form.ts';
import type { I18n } from '../web/i18n.ts';
import type { Form } from '../web/page.ts';
import { type Page, type Pages, seeOther } from '../web/page.ts';

export interface EnrolmentDeps {
  readonly totpEnrolments: TotpEnrolments;
  readonly passkeys: Passkeys;
  readonly recoveryCodes: Pick<RecoveryCodes, 'areCurrent'>;
  readonly state: StateStore;
  readonly pages: Pages;
}

/** Adding a second factor, on the account pages or in the middle of signing in. */
export interface Enrolling {
  readonly deps: EnrolmentDeps;
  readonly ctx: Context;
  readonly account: Account;
  /** The session or interaction that the enrolment belongs to: another browser cannot finish it. */
  readonly binding: string;
  readonly page: Omit<Page, 'render'>;
  readonly hrefs: Readonly<Record<'totp' | 'passkey' | 'codes' | 'cancel', string>>;
  /** Called when the factor is stored, before its first recovery codes are shown. */
  readonly added: (factor: AddedFactor) => Promise<void>;
  /** Leads on. */
  readonly done: () => void;
}

/**
 * Puts the id of the secret into the page's address, so that the secret stays the same when the
 * page is reloaded or shown in another language: the person may have scanned it by then.
 */
export async function openTotp(enrolling: Enrolling): Promise<void> {
  const { deps, ctx, account, binding, hrefs } = enrolling;
  const known = await deps.totpEnrolments.pending(account, binding, pendingOf(ctx));
  if (known !== undefined) return showTotp(enrolling);
  const { id } = await deps.totpEnrolments.begin(account, binding);
  const query = new URLSearchParams(ctx.querystring);
  query.set('pending', id);
  seeOther(ctx, `${hrefs.totp}?${query}`);
}

async function showTotp(
  enrolling: Enrolling,
  problems: readonly Problem<'code' | 'name'>[] = [],
  name?: string,
): Promise<void> {
  const { deps, ctx, account, binding, page, hrefs } = enrolling;
  const { totpEnrolments, pages } = deps;
  const known = await totpEnrolments.pending(account, binding, pendingOf(ctx));
  const { id, secret, uri } = known ?? (await totpEnrolments.begin(account, binding));
  const again = `pending=${id}`;
  const action = `${hrefs.totp}?${again}`;
  const given = name === undefined ? {} : { name };
  pages.show(ctx, {
    ...page,
    again,
    problems,
    render: (frame, i18n) =>
      addTotpPage(
        { frame, action, secret, uri, ...given, cancelHref: hrefs.cancel, problems },
        i18n,
      ),
  });
}

export async function submitTotp(enrolling: Enrolling, form: Form): Promise<void> {
  const { deps, ctx, account, binding } = enrolling;
  const { code = '', name = '' } = form;
  const actor = actorOf(ctx);
  const given = { code, name };
  const id = pendingOf(ctx);
  const result = await deps.totpEnrolments.confirm(account, binding, id, given, actor);
  if (!('problem' in result)) return afterAdding(enrolling, result);
  if (await isDone(enrolling, result.problem)) return seeOther(ctx, enrolling.hrefs.codes);
  return showTotp(enrolling, [result.problem], name);
}

/** Whether this form added its factor before, and its answer was lost. */
export const totpIsAdded = ({ deps, ctx, account, binding }: Enrolling): Promise<boolean> =>
  deps.totpEnrolments.isAdded(account, binding, pendingOf(ctx));
export const passkeyIsAdded = ({ deps, account, binding }: Enrolling, form: Form) =>
  deps.passkeys.isAdded(account, binding, form['credential'] ?? '');

export async function showPasskey(
  enrolling: Enrolling,
  problems: readonly Problem<'name'>[] = [],
  name?: string,
): Promise<void> {
  const { deps, ctx, account, binding, page, hrefs } = enrolling;
  const options = await deps.passkeys.beginCreation(account, binding);
  const { device = {} } = actorOf(ctx);
  const { excludeCredentials: known = [] } = options as { excludeCredentials?: unknown[] };
  deps.pages.show(ctx, {
    ...page,
    problems,
    render: (frame, i18n) => {
      const given = name ?? nameOfPasskey(deviceName(device, i18n), known.length, i18n);
      const { passkey: action, cancel: cancelHref } = hrefs;
      return addPasskeyPage({ frame, action, options, name: given, cancelHref, problems }, i18n);
    },
  });
}

/** To start with: the browser in which it is made, and a number beside others. */
function nameOfPasskey(name: string, known: number, i18n: I18n): string {
  return known === 0 ? name : i18n.t('sessions.numbered', { name, number: known + 1 });
}

export async function submitPasskey(enrolling: Enrolling, form: Form): Promise<void> {
  const { deps, ctx, account, binding } = enrolling;
  const { credential = '', name = '' } = form;
  const actor = actorOf(ctx);
  const result = await deps.passkeys.finishCreation(account, binding, { credential, name }, actor);
  if (!('problem' in result)) return afterAdding(enrolling, result);
  const { problem } = result;
  if (await isDone(enrolling, problem)) return seeOther(ctx, enrolling.hrefs.codes);
  // The page for a passkey has no field for a code.
  const shown = 'field' in problem && problem.field === 'code' ? [] : [problem];
  return showPasskey(enrolling, shown as readonly Problem<'name'>[], name);
}

async function afterAdding(enrolling: Enrolling, added: AddedFactor): Promise<void> {
  await enrolling.added(added);
  if (added.recoveryCodes === undefined) return enrolling.done();
  // The codes have a page of their own, so that a reload does nothing twice.
  seeOther(enrolling.ctx, enrolling.hrefs.codes);
}

/** The problems that a form for a new factor meets when it is sent a second time. */
const DONE_BEFORE: readonly string[] = [
  'form_stale',
  'passkey_failed',
  'passkey_exists',
  'name_taken',
];

/**
 * Whether the form was sent a second time: its factor was added, and its codes wait to be saved.
 */
async function isDone(
  { deps, account, binding }: Enrolling,
  problem: { readonly code: string },
): Promise<boolean> {
  if (!DONE_BEFORE.includes(problem.code)) return false;
  return (await newCodesOf(deps.state, deps.recoveryCodes, binding, account)) !== undefined;
}

export async function showCodes(
  enrolling: Enrolling,
  problems: readonly Problem<'saved'>[] = [],
): Promise<void> {
  const { deps, ctx, account, binding, page, hrefs } = enrolling;
  const kept = await newCodesOf(deps.state, deps.recoveryCodes, binding, account);
  if (kept === undefined) return enrolling.done();
  const { codes, createdAtMs } = kept;
  const action = hrefs.codes;
  const { email } = account;
  deps.pages.show(ctx, {
    ...page,
    problems,
    render: (frame, i18n) =>
      recoveryCodesPage(
        { frame, action, email, codes, createdAt: new Date(createdAtMs), problems },
        i18n,
      ),
  });
}

export async function submitCodes(enrolling: Enrolling, form: Form): Promise<void> {
  const { deps, binding } = enrolling;
  if (form['saved'] !== 'yes') {
    return showCodes(enrolling, [{ field: 'saved', code: 'not_saved' }]);
  }
  await dropNewCodes(deps.state, binding);
  enrolling.done();
}

function pendingOf(ctx: Context): string {
  const { pending } = ctx.query;
  return typeof pending === 'string' && /^[\w-]{43}$/.test(pending) ? pending : '';
}
