import { type Html, html } from '@cls/shared/http/html';
import { form } from '@cls/shared/pages/document';
import {
  field,
  type Problem,
  passkeyForm,
  passwordField,
  type RememberOffer,
  rememberField,
  submit,
} from '../../web/form.ts';
import type { I18n } from '../../web/i18n.ts';
import {
  type Application,
  applicationLinks,
  applicationName,
  besideLogo,
  cardPage,
  type PageModel,
} from '../../web/layout.ts';

/** Sends `email`, `password` and the tick to `action`. */
export interface SignInModel extends PageModel {
  readonly action: string;
  /** From `login_hint` or the attempt before; nobody types it twice. */
  readonly email?: string;
  readonly remember?: RememberOffer;
  /** The application that the person signs in to; absent for the account pages. */
  readonly application?: Application;
  /** Somebody is signed in and asked again, by `email`: here it can be somebody else. */
  readonly otherAccountHref?: string;
  /** Where a forgotten password is reset. */
  readonly resetHref: string;
  /** A passkey as the only step; its form sends `credential`, and the tick. */
  readonly passkey: { readonly action: string; readonly options: object };
  /** Where to sign in through one's organisation, when any customer has its own provider. */
  readonly organisationHref?: string;
  /** The e-mail's domain belongs to a customer with its own provider: the way is there. */
  readonly upstream?: UpstreamProvider;
  readonly problems: readonly Problem<'email' | 'password'>[];
}

/** A customer's own identity provider. Its form posts to `action` and ends at `host`. */
export interface UpstreamProvider {
  readonly organisation: string;
  readonly host: string;
  readonly action: string;
}

export function signInPage(model: SignInModel, i18n: I18n): string {
  const { frame, application, otherAccountHref, upstream, organisationHref, problems } = model;
  const lead = application
    ? i18n.rich('signIn.toContinue', { application: applicationName(application) })
    : i18n.t('signIn.toAccount');
  // Where only a passkey follows, it shows with that: once the script finds that the browser has them.
  const hidden = organisationHref === undefined && html` data-passkey-way hidden`;
  const body = html`${besideLogo(application ?? {}, html`<p class="lead">${lead}</p>`)}
${
  otherAccountHref !== undefined &&
  html`<p>${i18n.t('signIn.again')} <a href="${otherAccountHref}">${i18n.t('signIn.otherAccount')}</a></p>\n`
}${upstream && upstreamPanel(model, upstream, i18n)}${form(frame, { action: model.action, body: fields(model, i18n) })}
<p class="or"${hidden}><span>${i18n.t('signIn.or')}</span></p>
${passkeyForm(
  frame,
  {
    ...model.passkey,
    ...{ ceremony: 'autofill', label: i18n.t('signIn.withPasskey'), primary: false },
    ...(model.remember && {
      fields: html`<input type="hidden" name="remember_device" value="">`,
    }),
  },
  i18n,
)}
${
  organisationHref !== undefined &&
  html`<p><a class="button wide" href="${organisationHref}">${i18n.t('signIn.withOrganisation')}</a></p>`
}${application && applicationLinks(application, i18n)}`;
  const title = i18n.t('signIn.title');
  return cardPage(model, { title, problems, body, passkeys: true }, i18n);
}

function fields(model: SignInModel, i18n: I18n): Html {
  const { email, problems } = model;
  const focus = problems.length > 0 || model.upstream ? undefined : email ? 'password' : 'email';
  return html`${field(
    {
      name: 'email',
      label: i18n.t('form.email'),
      ...(email !== undefined && { value: email }),
      attributes: html` type="email" autocomplete="username webauthn" autocapitalize="none" spellcheck="false" maxlength="254" required${focus === 'email' && html` autofocus`}`,
      problems,
    },
    i18n,
  )}
${passwordField(
  {
    name: 'password',
    label: i18n.t('form.password'),
    // Not required: whose organisation signs people in presses Enter after the e-mail address.
    attributes: html` autocomplete="current-password"${focus === 'password' && html` autofocus`}`,
    problems,
  },
  i18n,
)}
<p class="end"><a href="${model.resetHref}">${i18n.t('signIn.forgot')}</a></p>
${rememberField(model.remember, 'signIn.rememberDeviceHint', i18n)}${submit(i18n.t('signIn.submit'), model.upstream ? 'quiet' : 'primary')}`;
}

function upstreamPanel(model: SignInModel, upstream: UpstreamProvider, i18n: I18n): Html {
  const { organisation, host, action } = upstream;
  const values = { organisation: html`<strong>${organisation}</strong>` };
  return html`<section class="notice">
<p>${i18n.rich('signIn.upstream', values)}</p>
${form(model.frame, {
  action,
  body: html`${model.email !== undefined && html`<input type="hidden" name="email" value="${model.email}">\n`}${submit(i18n.t('signIn.continueTo', { host }))}`,
})}
</section>
`;
}
