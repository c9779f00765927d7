import { type Html, html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import type { I18n, KeyAfter } from './i18n.ts';
import type { Frame } from './layout.ts';

export type ProblemCode = KeyAfter<'problem.'>;

/**
 * Why a form came back. `field` names the input with the problem; without it, the problem concerns
 * the whole form.
 */
export type Problem<Field extends string = never> = { readonly field?: Field } & (
  | { readonly code: 'throttled'; readonly waitS: number }
  | { readonly code: 'password_short'; readonly lengthMin: number }
  | { readonly code: Exclude<ProblemCode, 'throttled' | 'password_short'> }
);
export type RenderableProblem = Problem<string>;

function problemText(problem: RenderableProblem, i18n: I18n): string {
  switch (problem.code) {
    case 'throttled':
      return i18n.t('problem.throttled', { wait: i18n.duration(problem.waitS) });
    case 'password_short':
      return i18n.t('problem.password_short', { min: problem.lengthMin });
    default:
      return i18n.t(`problem.${problem.code}`);
  }
}

/** Of one field alone: said beside the field, which gets the focus, and nowhere else. */
function isOfOneField([problem, ...others]: readonly RenderableProblem[]): boolean {
  return problem?.field !== undefined && others.length === 0;
}

/** Gets the focus when the page opens, without script, and links to each field. */
export function problemSummary(problems: readonly RenderableProblem[], i18n: I18n): Html {
  if (problems.length === 0 || isOfOneField(problems)) return html``;
  const items = problems.map((problem) => {
    const text = problemText(problem, i18n);
    return problem.field === undefined
      ? html`${text}`
      : html`<a href="${`#${problem.field}`}">${text}</a>`;
  });
  const list =
    items.length === 1
      ? html`<p>${items}</p>`
      : html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  return html`<div class="notice problems" role="alert" tabindex="-1" autofocus>
<h2>${i18n.t('page.problems')}</h2>
${list}
</div>
`;
}

interface Field {
  /** The input's `name`, and its `id`. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string;
  /** `type`, `autocomplete` and the rest. */
  readonly attributes: Html;
  readonly problems: readonly RenderableProblem[];
}

const eye = html`<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentcolor" stroke-width="2" aria-hidden="true"><path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7z"/><circle cx="12" cy="12" r="3"/></svg>`;

export function field(spec: Field, i18n: I18n): Html {
  return fieldAround(spec, i18n, html`<input${inputAttributes(spec)}>`);
}

/** With a button that shows what was typed; the button needs script and stays hidden without. */
export function passwordField(spec: Field, i18n: I18n): Html {
  const input = html`<div class="joined"><input type="password"${inputAttributes(spec)}
 autocapitalize="none" spellcheck="false"><button type="button" class="button" hidden
 aria-pressed="false" aria-label="${i18n.t('form.showPassword')}" title="${i18n.t('form.showPassword')}" data-reveal="${spec.name}">${eye}</button></div>
<p class="hint" role="status" data-caps-lock="${spec.name}" hidden>${i18n.t('form.capsLock')}</p>`;
  return fieldAround(spec, i18n, input);
}

/** A new password, with the rule beside the field: only the length counts. */
export function newPasswordField(
  lengthMin: number,
  problems: readonly RenderableProblem[],
  i18n: I18n,
  focused = false,
): Html {
  return passwordField(
    {
      name: 'new_password',
      label: i18n.t('form.newPassword'),
      hint: i18n.t('form.newPasswordHint', { min: lengthMin }),
      attributes: html` autocomplete="new-password" minlength="${lengthMin}" required passwordrules="${`minlength: ${lengthMin}; maxlength: 256;`}"${focused && html` autofocus`}`,
      problems,
    },
    i18n,
  );
}

/** A one-time code: one input, spaces welcome, offered by the phone. */
export function codeField(
  hint: string,
  focused: boolean,
  problems: readonly RenderableProblem[],
  i18n: I18n,
): Html {
  return field(
    {
      name: 'code',
      label: i18n.t('form.code'),
      hint,
      attributes: html` type="text" class="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]*" maxlength="11" required${focused && html` autofocus`}`,
      problems,
    },
    i18n,
  );
}

/**
 * The e-mail address of a form whose password field belongs to an account that is known: password
 * managers file the password under it. It is hidden, because the page shows the address anyway.
 */
export function usernameForPasswordManagers(email: string): Html {
  return html`<input class="unseen" type="email" name="username" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">`;
}

/** “Remember this device”, for so long; sends `remember_device` (`yes` or absent). */
export interface RememberOffer {
  readonly ticked: boolean;
  readonly lifeS: number;
}

/** @param offer absent where the operator does not offer it. */
export function rememberField(
  offer: RememberOffer | undefined,
  hint: 'signIn.rememberDeviceHint' | 'secondFactor.rememberHint',
  i18n: I18n,
): Html {
  if (offer === undefined) return html``;
  const text = i18n.t(hint, { time: i18n.duration(offer.lifeS) });
  return html`<label class="check"><input type="checkbox" name="remember_device" value="yes"${offer.ticked && html` checked`}> <span>${i18n.t('signIn.rememberDevice')}<br><span class="hint">${text}</span></span></label>
`;
}

/** `quiet` when another button of the page is the main one. */
export function submit(label: string, weight: 'primary' | 'quiet' = 'primary'): Html {
  return html`<button class="button wide${weight === 'primary' && ' primary'}">${label}</button>`;
}

function inputAttributes({ name, hint, value, attributes, problems }: Field): Html {
  const failed = problems.some((problem) => problem.field === name);
  const described = [hint !== undefined && `${name}-hint`, failed && `${name}-problem`];
  const ids = described.filter((id) => id !== false).join(' ');
  return html` id="${name}" name="${name}"${attributes}${value !== undefined && html` value="${value}"`}${failed && html` aria-invalid="true"`}${failed && isOfOneField(problems) && html` autofocus`}${ids !== '' && html` aria-describedby="${ids}"`}`;
}

function fieldAround({ name, label, hint, problems }: Field, i18n: I18n, input: Html): Html {
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${`${name}-hint`}">${hint}</p>\n`}${fieldProblem(name, problems, i18n)}${input}
</div>`;
}

/** What is wrong with a field, in words beside it; the field names it as its description. */
export function fieldProblem(
  name: string,
  problems: readonly RenderableProblem[],
  i18n: I18n,
): Html | undefined {
  const own = problems.filter((problem) => problem.field === name);
  if (own.length === 0) return undefined;
  return html`<p class="problem" id="${`${name}-problem`}">${own.map((problem) => problemText(problem, i18n)).join(' ')}</p>\n`;
}

/**
 * `autofill`: offered in the e-mail field's suggestions, and by the button. `get`: by the button.
 * `create`: a new passkey.
 */
export type PasskeyCeremony = 'autofill' | 'get' | 'create';

interface PasskeyForm {
  readonly ceremony: PasskeyCeremony;
  readonly action: string;
  /** `PublicKeyCredentialRequestOptionsJSON` or `…CreationOptionsJSON` of WebAuthn level 3, §5.1. */
  readonly options: object;
  readonly label: string;
  /** The page's main button, or one beside another. */
  readonly primary: boolean;
  /** Fields before the button. */
  readonly fields?: Html;
}

/**
 * The script fills in `credential` (the credential's standard JSON) and sends the form. Without
 * script the button stays hidden and a sentence says why, save beside other ways (`autofill`), where
 * nothing shows; sentences tell of failures inside the browser.
 */
export function passkeyForm(frame: Frame, spec: PasskeyForm, i18n: I18n): Html {
  const { ceremony, options } = spec;
  const failure = (name: string, text: string) =>
    html`<p class="problem" role="alert" data-failure="${name}" hidden>${text}</p>\n`;
  return form(frame, {
    action: spec.action,
    attributes: html` data-passkey="${ceremony}" data-options="${JSON.stringify(options)}"${ceremony === 'autofill' && html` data-passkey-way hidden`}`,
    body: html`<input type="hidden" name="credential" value="">
${spec.fields}${failure('cancelled', i18n.t('problem.passkey_cancelled'))}${
  ceremony === 'create' && failure('exists', i18n.t('problem.passkey_exists'))
}<button class="${spec.primary ? 'button primary wide' : 'button wide'}" hidden>${keyIcon}${spec.label}</button>
${ceremony !== 'autofill' && html`<p class="hint" data-unavailable>${i18n.t('passkey.unavailable')}</p>`}`,
  });
}

const keyIcon = html`<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentcolor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="8" cy="8" r="4.5"/><path d="m11.5 11.5 9 9m-4-4 3-3"/></svg>`;
