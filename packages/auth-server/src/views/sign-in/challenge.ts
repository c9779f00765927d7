import { type Html, html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import {
  codeField,
  field,
  type Problem,
  passkeyForm,
  passwordField,
  type RememberOffer,
  rememberField,
  submit,
  usernameForPasswordManagers,
} from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import { cardPage, contactLink, emailName, type Frame, type PageModel } from '../../web/layout.ts';

export type ChallengeMethod = 'password' | 'totp' | 'passkey' | 'recovery_code';

/** What the person is asked to prove with. `passkey` carries the request options' JSON. */
export type Challenge =
  | { readonly method: 'password' | 'totp' | 'recovery_code' }
  | { readonly method: 'passkey'; readonly options: object };

/** The same question by another method. */
export interface OtherMethod {
  readonly method: ChallengeMethod;
  readonly href: string;
}

export interface ChallengeModel {
  readonly frame: Frame;
  /** Takes `code` (`totp`), `credential` (`passkey`), `recovery_code` or `password`. */
  readonly action: string;
  readonly email: string;
  readonly challenge: Challenge;
  readonly others: readonly OtherMethod[];
  readonly problems: readonly Problem<'code' | 'recovery_code' | 'password'>[];
  readonly remember?: RememberOffer;
}

export function challengeForm(model: ChallengeModel, label: string, i18n: I18n): Html {
  const { frame, action, challenge } = model;
  const tick = rememberField(model.remember, 'secondFactor.rememberHint', i18n);
  if (challenge.method === 'passkey') {
    const { options } = challenge;
    const ceremony = 'get';
    return html`<p>${i18n.t('challenge.passkey.lead')}</p>
${passkeyForm(frame, { action, options, ceremony, label: i18n.t('challenge.passkey.submit'), primary: true, fields: tick }, i18n)}
${otherMethods(model, i18n)}`;
  }
  const body = html`${usernameForPasswordManagers(model.email)}
${challengeField(challenge.method, model.problems, i18n)}
${tick}${submit(label)}`;
  return html`<p>${i18n.t(`challenge.${challenge.method}.lead`)}</p>
${form(frame, { action, body })}
${otherMethods(model, i18n)}`;
}

function challengeField(
  method: Exclude<ChallengeMethod, 'passkey'>,
  problems: ChallengeModel['problems'],
  i18n: I18n,
): Html {
  const focused = problems.length === 0;
  switch (method) {
    case 'totp':
      return codeField(i18n.t('form.codeHint'), focused, problems, i18n);
    case 'recovery_code':
      return field(
        {
          name: 'recovery_code',
          label: i18n.t('form.recoveryCode'),
          attributes: html` type="text" class="code" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="40" required${focused && html` autofocus`}`,
          problems,
        },
        i18n,
      );
    case 'password':
      return passwordField(
        {
          name: 'password',
          label: i18n.t('form.password'),
          attributes: html` autocomplete="current-password" required${focused && html` autofocus`}`,
          problems,
        },
        i18n,
      );
  }
}

/** Links to the other sign-in methods, and whom to ask when all are lost. */
function otherMethods({ others, frame, challenge }: ChallengeModel, i18n: I18n): Html {
  const { supportHref } = frame;
  const contact =
    supportHref === undefined ? i18n.t('page.administrator') : contactLink(supportHref);
  const listed = html`<section class="others">
<h2>${i18n.t('challenge.others')}</h2>
<ul>${others.map(({ method, href }) => html`<li><a href="${href}">${i18n.t(`challenge.${method}.switch`)}</a></li>`)}</ul>
</section>`;
  return html`${others.length > 0 && listed}
${challenge.method !== 'password' && html`<p class="hint">${i18n.rich('challenge.lost', { contact })}</p>`}`;
}

/** The second step of signing in; `cancelHref` leads back to sign-in as somebody else. */
export interface SecondFactorModel extends PageModel, ChallengeModel {
  readonly cancelHref: string;
}

export function secondFactorPage(model: SecondFactorModel, i18n: I18n): string {
  const { email, problems, challenge, cancelHref } = model;
  const body = html`<p class="lead">${i18n.rich('secondFactor.lead', { email: emailName(email) })} <a href="${cancelHref}">${i18n.t('secondFactor.notYou')}</a></p>
${challengeForm(model, i18n.t('secondFactor.submit'), i18n)}`;
  const passkeys = challenge.method === 'passkey';
  return cardPage(model, { title: i18n.t('secondFactor.title'), problems, body, passkeys }, i18n);
}
