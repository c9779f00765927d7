import { type Html, html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import type { I18n } from '../web/i18n.ts';
import type { Frame } from '../web/layout.ts';

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
